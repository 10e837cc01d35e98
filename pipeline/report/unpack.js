// Vega and what the figures show stand packed in the page, as Base64 of gzip: a third of their size. window.unpacked
// gives the data once Vega is there.
(() => {
  "use strict";
  async function unpacked(id) {
    const packed = Uint8Array.from(atob(document.getElementById(id).textContent), (letter) => letter.charCodeAt(0));
    return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  }

  window.unpacked = Promise.all(["library", "figure-data"].map(unpacked)).then(([library, data]) => {
    // Vega compiles its own expressions in the same way.
    new Function(library)();
    return JSON.parse(data);
  });
})();
