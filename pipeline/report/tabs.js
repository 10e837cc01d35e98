// Shows one section at a time, the one that the address names. Without this script they follow one another; so they do
// in print. Hidden sections keep their width, so that their figures are drawn before anybody asks for them.
(() => {
  "use strict";
  const sections = [...document.querySelectorAll("main > section")];
  const links = [...document.querySelectorAll(".tabs a")];

  function show() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const chosen = target?.closest("main > section") ?? sections[0];
    for (const section of sections) section.classList.toggle("shown", section === chosen);
    for (const link of links) {
      if (link.hash === `#${chosen.id}`) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
    // A closed part hides what is linked to.
    for (let part = target?.closest("details"); part; part = part.parentElement.closest("details")) part.open = true;
    if (target === chosen) window.scrollTo({ top: 0, behavior: "instant" });
    else target?.scrollIntoView({ behavior: "instant" });
  }

  document.documentElement.classList.add("one-at-a-time");
  window.addEventListener("hashchange", show);
  show();
})();
