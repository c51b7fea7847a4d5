// Runs before the scripts of each page, and notes what must not happen there. Notes outlive
// the page: a form may lead away from it before anybody looks.
(() => {
  "use strict";
  const KEY = "__guard";
  let here = [];
  const store = (notes) => {
    try { sessionStorage.setItem(KEY, JSON.stringify(notes)); } catch { here = notes; }
  };
  const stored = () => {
    try { return JSON.parse(sessionStorage.getItem(KEY) ?? "[]"); } catch { return here; }
  };
  const note = (text) => { store([...stored(), `${text} on ${location.href}`]); };
  for (const name of ["alert", "confirm", "prompt", "print"]) {
    window[name] = () => { note(`called ${name}`); };
  }
  Object.defineProperty(window, "__executed", {
    set() { note("executed"); },
    get() { return undefined; },
  });
  document.addEventListener("securitypolicyviolation", (event) => {
    note(`violated ${event.effectiveDirective} with ${event.blockedURI} ${event.sample}`);
  }, true);
  window.addEventListener("error", (event) => {
    const what = event.message ?? event.target?.src ?? event.target?.href ?? event.target;
    note(`failed ${what}`);
  }, true);
  window.addEventListener("unhandledrejection", (event) => {
    note(`failed ${event.reason}`);
  });
  Object.defineProperty(window, "__guard", {
    value: () => { const notes = stored(); store([]); return notes; },
  });
})();
