// Small conveniences. Every page works without this script.
"use strict";

// <button data-copy="ID" hidden> copies the text of that element.
for (const button of document.querySelectorAll("button[data-copy]")) {
  const source = document.getElementById(button.dataset.copy);
  if (!source || !navigator.clipboard) continue;
  button.hidden = false;
  const label = button.textContent;
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(source.textContent);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Select it and copy it by hand";
    }
    setTimeout(() => { button.textContent = label; }, 2000);
  });
}
