// Elements from words. Text always becomes a text node, so that no name or key can become markup.

const SVG = "http://www.w3.org/2000/svg";

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export function h(tag, attributes, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

export function s(tag, attributes, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

// A text on one line, where what cannot be seen is written as an escape.
export function printable(text) {
  return String(text).replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g, (c) =>
    "\\u" + c.codePointAt(0).toString(16).padStart(4, "0"));
}

export function shortened(text, most = 40) {
  const plain = printable(text);
  return plain.length <= most ? plain : plain.slice(0, most >> 1) + "…" + plain.slice(plain.length - (most >> 1) + 1);
}

export function number(value) {
  return value === null || value === undefined ? "–" : value.toLocaleString("en-GB");
}

export function counted(n, noun) {
  return `${number(n)} ${noun}${n === 1 ? "" : "s"}`;
}

// A number as people write it, with at most so many digits.
export function short(value, digits = 4) {
  return String(Number(value.toPrecision(digits)));
}

export function swatch(shade, name) {
  return h("span", { class: "answer" },
    s("svg", { class: "swatch", viewBox: "0 0 10 10", "aria-hidden": "true" }, s("circle", { cx: 5, cy: 5, r: 5, fill: shade })),
    shortened(name));
}

// On a phone, every row of a table with many columns is a list of its cells, each with the name of its column.
export function table(caption, head, rows, options = {}) {
  const numeric = options.numeric ?? [];
  const kind = (i) => (numeric.includes(i) ? "number" : null);
  const label = (i) => (typeof head[i] === "string" && head[i] ? head[i] : null);
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    h("table", { class: head.length > 3 ? "wide" : null, role: "table" },
      h("caption", { class: options.quiet ? "hidden" : null }, caption),
      h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, head.map((name, i) => h("th", { scope: "col", role: "columnheader", class: kind(i) }, name)))),
      h("tbody", { role: "rowgroup" }, rows.map((row) => h("tr", { role: "row" }, row.map((cell, i) =>
        h(i === 0 ? "th" : "td", { scope: i === 0 ? "row" : null, role: i === 0 ? "rowheader" : "cell", class: kind(i), "data-label": label(i) }, cell)))))));
}

// The words that stand in a place until its content is there.
export function loading(what = "Loading…") {
  return h("p", { class: "loading", role: "status" }, what);
}

export function notice(kind, message, hint) {
  return h("p", { class: `notice ${kind}`, role: kind === "wrong" ? "alert" : null },
    printable(message), hint ? [" ", h("span", { class: "hint" }, printable(hint))] : null);
}

export function announce(text) {
  document.getElementById("status").textContent = text;
}

// Once something has been still for a moment.
export function settled(wait, work) {
  let timer = 0;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => work(...given), wait);
  };
}

// The colour of an answer on the background that the page has.
export function tone(shade) {
  return isDark() ? mixed(shade, "#ffffff", 0.3) : shade;
}

export function isDark() {
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

export function mixed(one, other, share) {
  const parts = (color) => [1, 3, 5].map((i) => parseInt(color.slice(i, i + 2), 16));
  const [a, b] = [parts(one), parts(other)];
  return "#" + a.map((x, i) => Math.round(x + (b[i] - x) * share).toString(16).padStart(2, "0")).join("");
}

export function variable(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
