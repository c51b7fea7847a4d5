// Small conveniences. Every page works without this script.
"use strict";

// The words of this script in the language of the page.
const words = document.currentScript.dataset;

// <button data-copy="ID" hidden> copies the text of that element.
for (const button of document.querySelectorAll("button[data-copy]")) {
  const source = document.getElementById(button.dataset.copy);
  if (!source || !navigator.clipboard) continue;
  button.hidden = false;
  const label = button.textContent;
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(source.textContent);
      button.textContent = words.copied;
    } catch {
      button.textContent = words.byHand;
    }
    setTimeout(() => { button.textContent = label; }, 2000);
  });
}

// Times in the zone, the region and the words of the reader; the exact time in UTC stays as the title.
const spoken = document.documentElement.lang;
const region = navigator.languages.find((language) => language.split("-")[0] === spoken) || spoken;
const relative = new Intl.RelativeTimeFormat(spoken, { numeric: "auto" });
const units = [["year", 31536e6], ["month", 2592e6], ["week", 6048e5], ["day", 864e5], ["hour", 36e5], ["minute", 6e4]];
for (const time of document.querySelectorAll("time[datetime]")) {
  const at = new Date(time.dateTime);
  if (Number.isNaN(at.getTime())) continue;
  const local = at.toLocaleString(region, { dateStyle: "medium", timeStyle: "short" });
  const since = at.getTime() - Date.now();
  const [unit, length] = units.find(([, length]) => Math.abs(since) >= length) || ["minute", 6e4];
  time.title = time.textContent;
  time.textContent = `${local} (${relative.format(Math.round(since / length), unit)})`;
}
