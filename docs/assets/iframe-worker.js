/* Browsers start no worker from a file. Where the site is read from the disk, the search runs in a hidden frame that is
   spoken to like a worker. The name of this file keeps the theme from fetching one for it from the network. */
if (location.protocol === "file:") {
  window.Worker = class {
    constructor(url) {
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      const inside = this.frame.contentWindow;
      inside.postMessage = (data) => this.onmessage?.(new MessageEvent("message", { data }));
      const script = inside.document.createElement("script");
      script.src = url;
      this.ready = new Promise((resolve) => script.addEventListener("load", resolve));
      inside.document.head.append(script);
    }

    postMessage(data) {
      const inside = this.frame.contentWindow;
      this.ready.then(() => inside.dispatchEvent(new inside.MessageEvent("message", { data })));
    }

    terminate() {
      this.frame.remove();
    }
  };
}
