// A chart of chances: lines with bands from the least to the greatest, a crosshair for mouse and keyboard.
import { announce, h, s, shortened } from "./dom.js";
import { framed, takeaway } from "./picture.js";

// A drawing of its own on a phone, where letters would else be too small.
const NARROW = matchMedia("(max-width: 34rem)");
const ROOM = { left: 46, right: 16, top: 14, bottom: 44 };
const DASHES = [null, "7 4", "2 3", "9 3 2 3"];

// series: [{name, shade, dash, points: [{x, y, low, high, text}]}]; names: x -> words; title: that of a saved picture.
export function chart({ title, label, series, xTitle, yTitle, names, base }) {
  const xs = [...new Set(series.flatMap((each) => each.points.map((point) => point.x)))].sort((a, b) => a - b);
  const [wide, high] = NARROW.matches ? [350, 270] : [720, 320];
  const [first, last] = [xs[0] ?? 0, xs.at(-1) ?? 1];
  const ys = series.flatMap((each) => each.points.flatMap((point) => [point.low ?? point.y, point.y]));
  const bottom = Math.max(0, Math.min(0.5, Math.floor(Math.min(...ys, 0.5) * 10) / 10));
  const pad = xs.length < 30 ? 18 : 6;
  const place = {
    x: (x) => ROOM.left + pad + (last === first ? 0.5 : (x - first) / (last - first)) * (wide - ROOM.left - ROOM.right - 2 * pad),
    y: (y) => ROOM.top + (1 - (y - bottom) / (1 - bottom)) * (high - ROOM.top - ROOM.bottom),
  };
  const few = xs.length <= 24;
  const picture = s("svg", { class: "chart", viewBox: `0 0 ${wide} ${high}`, role: "img", "aria-label": label, tabindex: "0" },
    grid(place, bottom, wide),
    xTicks(place, xs, names, wide, high),
    base === undefined || base < bottom ? null : s("line", { class: "base", x1: ROOM.left, x2: wide - ROOM.right, y1: place.y(base), y2: place.y(base) }),
    series.map((each, i) => drawn(place, each, i, few, series.length)),
    s("text", { class: "title", x: ROOM.left, y: high - 6 }, xTitle));
  const cross = s("line", { class: "cross", y1: ROOM.top, y2: high - ROOM.bottom });
  picture.append(cross);
  const tip = h("p", { class: "tip", "aria-hidden": "true" }, "Point at the picture, or use the arrow keys, to read values.");
  read(picture, cross, tip, place, xs, series, names);
  const legend = series.map((each, i) => ({ name: shortened(each.name, 60), key: legendKey(each, i, few) }));
  const list = h("ul", { class: "legend" }, legend.map(({ name, key }) => h("li", {}, key, name)));
  const alone = () => framed(picture, title, yTitle, legend);
  return h("figure", {}, h("p", { class: "ytitle" }, yTitle), picture, tip, list, takeaway(title, alone));
}

function grid(place, bottom, wide) {
  const step = bottom < 0.45 ? 0.25 : 0.1;
  const at = [];
  for (let y = 1; y >= bottom - 1e-9; y -= step) at.push(Math.round(y * 100) / 100);
  return at.map((y) => [
    s("line", { class: "grid", x1: ROOM.left, x2: wide - ROOM.right, y1: place.y(y), y2: place.y(y) }),
    s("text", { class: "tick", x: ROOM.left - 8, y: place.y(y) + 4, "text-anchor": "end" }, String(y)),
  ]);
}

function xTicks(place, xs, names, wide, high) {
  const longest = Math.max(...xs.map((x) => names(x).length), 1);
  const most = Math.max(2, Math.floor((wide - 80) / (longest * 7.5 + 14)));
  const every = Math.ceil(xs.length / most);
  return xs.filter((_, i) => i % every === 0).map((x) =>
    s("text", { class: "tick", x: place.x(x), y: high - ROOM.bottom + 18, "text-anchor": "middle" }, names(x)));
}

// With few points, lines stand a little aside of each other, so that equal ones do not hide each other.
function drawn(place, { shade, points, dash }, i, few, lines) {
  const aside = few && points.length ? (i - (lines - 1) / 2) * 5 : 0;
  const at = points.map((point) => ({ ...point, px: place.x(point.x) + aside, py: place.y(point.y) }));
  const banded = at.filter((point) => point.low !== undefined);
  const marks = [];
  if (few) {
    for (const point of banded) {
      marks.push(s("line", { class: "whisker", stroke: shade, x1: point.px, x2: point.px, y1: place.y(point.low), y2: place.y(point.high) }));
    }
  } else if (banded.length) {
    const upper = banded.map((point) => `${point.px},${place.y(point.high)}`);
    const lower = banded.map((point) => `${point.px},${place.y(point.low)}`).reverse();
    marks.push(s("polygon", { class: "band", fill: shade, stroke: shade, "stroke-dasharray": DASHES[dash ?? i % 4] ?? "1 0", points: [...upper, ...lower].join(" ") }));
  }
  marks.push(s("polyline", { class: "line", stroke: shade, "stroke-dasharray": DASHES[dash ?? i % 4], points: at.map((p) => `${p.px},${p.py}`).join(" ") }));
  if (few) marks.push(at.map((point) => mark(i, point.px, point.py, shade)));
  return marks;
}

// Answers differ in the shape of their marks as well as in colour.
function mark(i, x, y, shade) {
  const r = 4.2;
  if (i % 4 === 1) return s("rect", { class: "mark", fill: shade, x: x - r + 0.4, y: y - r + 0.4, width: 2 * r - 0.8, height: 2 * r - 0.8 });
  if (i % 4 === 2) return s("polygon", { class: "mark", fill: shade, points: `${x},${y - r - 1} ${x + r + 1},${y + r} ${x - r - 1},${y + r}` });
  if (i % 4 === 3) return s("polygon", { class: "mark", fill: shade, points: `${x},${y - r - 1} ${x + r + 1},${y} ${x},${y + r + 1} ${x - r - 1},${y}` });
  return s("circle", { class: "mark", fill: shade, cx: x, cy: y, r });
}

function legendKey(each, i, few) {
  return s("svg", { viewBox: "0 0 30 12", class: "key", "aria-hidden": "true" },
    s("line", { class: "line", stroke: each.shade, "stroke-dasharray": DASHES[each.dash ?? i % 4], x1: 1, x2: 29, y1: 6, y2: 6 }),
    few ? mark(i, 15, 6, each.shade) : null);
}

function read(picture, cross, tip, place, xs, series, names) {
  let at = -1;
  const show = (index, aloud) => {
    at = Math.max(0, Math.min(xs.length - 1, index));
    const x = xs[at];
    cross.setAttribute("class", "cross shown");
    cross.setAttribute("x1", place.x(x));
    cross.setAttribute("x2", place.x(x));
    const found = series.flatMap((each) => each.points.filter((point) => point.x === x).map((point) => `${shortened(each.name)}: ${point.text}`));
    tip.textContent = `${names(x)} – ${found.join("; ")}`;
    if (aloud) announce(tip.textContent);
  };
  picture.addEventListener("pointermove", (event) => {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(picture.getScreenCTM().inverse());
    const distances = xs.map((x) => Math.abs(place.x(x) - point.x));
    show(distances.indexOf(Math.min(...distances)), false);
  });
  picture.addEventListener("keydown", (event) => {
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: xs.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    show(to, true);
  });
}
