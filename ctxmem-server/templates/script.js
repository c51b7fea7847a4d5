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

// Who presses twice means it once.
let sent = -Infinity;
addEventListener("submit", (event) => {
  if (event.timeStamp - sent < 500) event.preventDefault();
  else sent = event.timeStamp;
});

// Times in the zone, the region and the words of the reader; the exact time in UTC stays as the title.
const spoken = document.documentElement.lang;
const region = navigator.languages.find((language) => language.split("-")[0] === spoken) || spoken;
// It takes a tenth of a second to make on a slow phone, and many pages have no times.
let relative;
const soon = 7 * 864e5;
const units = [["year", 31536e6], ["month", 2592e6], ["week", 6048e5], ["day", 864e5], ["hour", 36e5], ["minute", 6e4]];
for (const time of document.querySelectorAll("time[datetime]")) {
  const at = new Date(time.dateTime);
  // A day has no time, and is the same everywhere.
  if (Number.isNaN(at.getTime()) || time.dateTime.length === 10) continue;
  const local = at.toLocaleString(region, { dateStyle: "medium", timeStyle: "short" });
  const since = at.getTime() - Date.now();
  const [unit, length] = units.find(([, length]) => Math.abs(since) >= length) || ["minute", 6e4];
  relative ??= new Intl.RelativeTimeFormat(spoken, { numeric: "auto" });
  const ago = relative.format(Math.round(since / length), unit);
  time.title = time.textContent;
  // Rows are short: there the rest is in the title.
  if (time.closest(".facts")) {
    time.title = local;
    time.textContent = Math.abs(since) < soon ? ago : at.toLocaleDateString(region, { dateStyle: "medium" });
  } else {
    time.textContent = time.closest(".app") ? local : `${local} (${ago})`;
  }
}

// Forms speak of times in UTC where this script is missing; with it, of those where the reader is.
for (const text of document.querySelectorAll("[data-local]")) text.textContent = text.dataset.local;
for (const field of document.querySelectorAll("input[type=datetime-local]")) {
  if (!field.value) continue;
  const at = new Date(`${field.value}Z`);
  field.value = new Date(at.getTime() - at.getTimezoneOffset() * 6e4).toISOString().slice(0, 19);
}
addEventListener("formdata", ({ target, formData }) => {
  for (const { type, name, value } of target.elements) {
    const at = new Date(value);
    if (Number.isNaN(at.getTime())) continue;
    if (type === "datetime-local") formData.set(name, at.toISOString().slice(0, 19));
    if (type === "date") formData.set("zone", Intl.DateTimeFormat().resolvedOptions().timeZone);
  }
});

// In the list of facts "Edit" opens the words where they stand. The page behind it has all the rest.
const pick = document.getElementById("pick");
for (const link of pick ? document.querySelectorAll(".facts .edit") : []) {
  link.addEventListener("click", (event) => {
    if (event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    const row = link.closest("li");
    const make = (tag, properties) => Object.assign(document.createElement(tag), properties);
    const form = make("form", { method: "post", action: "/account/facts/correct", className: "in-place" });
    const fields = { fact: row.querySelector("[name=fact]").value };
    for (const name of ["made_for", "view"]) if (pick.elements[name]) fields[name] = pick.elements[name].value;
    for (const name in fields) form.append(make("input", { type: "hidden", name, value: fields[name] }));
    const words = make("textarea", { name: "value", required: true, dir: "auto", value: row.querySelector(".text").dataset.words });
    words.setAttribute("aria-label", pick.dataset.label);
    const cancel = make("button", { type: "button", className: "link", textContent: pick.dataset.cancel });
    const close = () => {
      form.remove();
      row.classList.remove("edited");
      link.focus();
    };
    cancel.addEventListener("click", close);
    form.addEventListener("keydown", ({ key, ctrlKey, metaKey }) => {
      if (key === "Escape") close();
      if (key === "Enter" && (ctrlKey || metaKey)) form.requestSubmit();
    });
    const actions = make("div", { className: "actions" });
    actions.append(make("button", { textContent: pick.dataset.save }), cancel, make("a", { href: link.href, textContent: pick.dataset.more }));
    form.append(words, actions);
    row.classList.add("edited");
    row.append(form);
    words.focus();
  });
}
