// Pictures to take away: a chart or a drawing as an SVG or PNG file, made in the browser.
import { h, s } from "./dom.js";

const LOOK = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linecap", "stroke-linejoin",
  "opacity", "visibility", "font-family", "font-size", "text-anchor"];
const FACE = "system-ui, sans-serif";
// A PNG has up to this many dots for each unit of the picture, and up to so many on a side.
const SHARP = 2;
const DOTS = 6000;

// Two buttons; `drawn` returns the picture as an SVG element.
export function takeaway(name, drawn) {
  const save = (kind, made) => async () => saved(await made(), `${fileName(name)}.${kind}`);
  return h("p", { class: "takeaway" }, h("span", {}, "Save the picture as "),
    h("button", { class: "link", type: "button", onclick: save("svg", () => new Blob([written(drawn())], { type: "image/svg+xml" })) }, "SVG"), " or ",
    h("button", { class: "link", type: "button", onclick: save("png", () => raster(drawn())) }, "PNG"));
}

function fileName(name) {
  return name.replace(/[^\p{L}\p{N}._-]+/gu, "-").replace(/^[-.]+|-+$/g, "").slice(0, 80) || "neodp";
}

function saved(blob, name) {
  const link = h("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

function written(svg) {
  return new XMLSerializer().serializeToString(svg);
}

function raster(svg) {
  const [, , wide, high] = svg.getAttribute("viewBox").split(" ").map(Number);
  const scale = Math.min(SHARP, DOTS / Math.max(wide, high));
  const canvas = h("canvas", { width: Math.round(wide * scale), height: Math.round(high * scale) });
  return new Promise((resolve, reject) => {
    const image = new Image();
    image.onload = () => {
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob(resolve, "image/png");
    };
    image.onerror = () => reject(new Error("the picture cannot be drawn"));
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(written(svg))}`;
  });
}

// A chart as it looks on the page, with its titles and its legend, so that it can stand alone.
export function framed(chart, title, yTitle, legend) {
  const [, , wide, high] = chart.getAttribute("viewBox").split(" ").map(Number);
  const ink = getComputedStyle(chart).color, ground = getComputedStyle(document.documentElement).getPropertyValue("--surface").trim();
  const text = (x, y, size, words) => s("text", { x, y, "font-family": FACE, "font-size": size, fill: ink }, words);
  const lines = wrapped(title, wide / 8.2), above = 20 * lines.length + 26, row = 20;
  const total = above + high + row * legend.length + 12;
  const copy = plain(chart);
  copy.setAttribute("transform", `translate(0 ${above})`);
  return s("svg", { xmlns: "http://www.w3.org/2000/svg", viewBox: `0 0 ${wide} ${total}`, width: wide, height: total },
    s("title", {}, title),
    s("rect", { width: wide, height: total, fill: ground }),
    lines.map((line, i) => text(12, 22 + 20 * i, 14.5, line)),
    text(12, above - 8, 12, yTitle),
    copy,
    legend.map(({ name, key }, i) => {
      const mark = plain(key);
      mark.setAttribute("transform", `translate(46 ${above + high + row * i})`);
      return [mark, text(84, above + high + row * i + 10, 12.5, name)];
    }));
}

// A copy of an element and all that is in it, with its looks as attributes: a file has no style sheet.
function plain(element) {
  const copy = s("g", {});
  for (const child of element.children) copy.append(looking(child));
  return copy;
}

function looking(element) {
  const copy = element.cloneNode(false), style = getComputedStyle(element);
  copy.removeAttribute("class");
  for (const name of LOOK) copy.setAttribute(name, style.getPropertyValue(name));
  copy.append(...[...element.childNodes].map((child) => (child.nodeType === Node.ELEMENT_NODE ? looking(child) : child.cloneNode())));
  return copy;
}

function wrapped(words, most) {
  const lines = [""];
  for (const word of words.split(" ")) {
    if (lines.at(-1) && lines.at(-1).length + word.length >= most) lines.push("");
    lines.push(`${lines.pop()} ${word}`.trim());
  }
  return lines;
}

// The drawing of a graph: its nodes and edges where they are, in the colours that they have.
export function sketch(cy, title, ground, ink) {
  const { x1, y1, w, h: tall } = cy.elements().boundingBox({ includeLabels: true }), room = 20;
  const box = [x1 - room, y1 - room, w + 2 * room, tall + 2 * room];
  const labelled = cy.nodes().length <= 600;
  const edges = cy.edges().map((edge) => {
    const [a, b] = [edge.source().position(), edge.target().position()];
    return s("line", { x1: a.x, y1: a.y, x2: b.x, y2: b.y, stroke: edge.style("line-color"), "stroke-width": parseFloat(edge.style("width")),
      "stroke-dasharray": edge.style("line-style") === "dashed" ? "6 3" : null });
  });
  const nodes = cy.nodes().map((node) => {
    const { x, y } = node.position(), [wide, high] = [node.width(), node.height()];
    const look = { fill: node.style("background-color"), stroke: node.style("border-color"), "stroke-width": parseFloat(node.style("border-width")) };
    const shape = node.style("shape");
    const form = shape === "rectangle" ? s("rect", { x: x - wide / 2, y: y - high / 2, width: wide, height: high, ...look })
      : shape === "diamond" ? s("polygon", { points: `${x},${y - high / 2} ${x + wide / 2},${y} ${x},${y + high / 2} ${x - wide / 2},${y}`, ...look })
        : s("circle", { cx: x, cy: y, r: wide / 2, ...look });
    return [form, labelled || node.hasClass("chosen")
      ? s("text", { x, y: y + high / 2 + 12, "text-anchor": "middle", "font-family": FACE, "font-size": 11, fill: ink }, node.data("name")) : null];
  });
  return s("svg", { xmlns: "http://www.w3.org/2000/svg", viewBox: box.join(" "), width: box[2], height: box[3] },
    s("title", {}, title), s("rect", { x: box[0], y: box[1], width: box[2], height: box[3], fill: ground }), edges, nodes);
}
