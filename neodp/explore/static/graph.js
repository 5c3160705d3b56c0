// The graph: a drawing to pan and zoom, a table for who cannot see it, one dataset, and what if something were changed.
import { ask, post } from "./api.js";
import { datasetPanel, key } from "./dataset.js";
import { announce, counted, h, mixed, notice, number, s, settled, shortened, swatch, table, tone, variable } from "./dom.js";
import { sentence } from "./overview.js";
import { sketch, takeaway } from "./picture.js";
import { whatIf } from "./what_if.js";

const PAGE = 50;
// With more datasets or edges, a dataset is a cell of a heat map, and the edges are drawn around the chosen one only.
const MANY = 600;
const MANY_EDGES = 3000;

export async function graphPage(graph) {
  const [facts, drawing] = await Promise.all([ask("overview", { graph }), ask("drawing", { graph })]);
  const view = new View(graph, facts, drawing);
  return view.elements();
}

class View {
  constructor(graph, facts, drawing) {
    Object.assign(this, { graph, facts, drawing, colors: facts.colors });
    this.canvas = h("div", { class: "canvas", tabindex: "0", role: "application", "aria-roledescription": "graph",
      "aria-label": "Drawing of the graph. Arrow keys move it, plus and minus zoom, 0 shows all of it. Choose a dataset by search or in the table below the drawing." });
    this.pins = s("svg", { class: "pins", "aria-hidden": "true" });
    this.panel = h("section", { class: "card", "aria-label": "Dataset" });
    this.list = h("div", {});
    this.page = 0;
    this.wanted = "";
    this.changes = whatIf(graph, facts, drawing, (found) => this.follow(found));
  }

  elements() {
    this.canvas.addEventListener("keydown", (event) => this.keyed(event));
    requestAnimationFrame(() => this.begin());
    const whole = this.drawing.whole;
    return [
      h("h1", {}, shortened(this.facts.name, 80)),
      whole ? null : h("p", { class: "lead" }, `${counted(this.drawing.datasets, "dataset")} are too many to draw: shown are the datasets around one that you choose.`),
      h("div", { class: "bench" },
        h("div", {},
          h("div", { class: "card" }, this.tools(), h("div", { class: "frame" }, this.canvas, this.pins), this.marks(), takeaway(this.facts.name, () => this.picture())),
          h("details", { class: "card", ontoggle: () => this.rows() }, h("summary", {}, "The datasets as a table"), this.list)),
        h("div", { class: "side" }, this.panel, this.changes.element)),
    ];
  }

  tools() {
    const known = h("datalist", { id: "known" });
    const input = h("input", { type: "search", id: "search", list: "known", autocomplete: "off", spellcheck: "false" });
    const suggest = settled(80, () => {
      this.wanted = input.value.trim().toLowerCase();
      const found = this.wanted && this.drawing.whole ? this.drawing.keys.filter((each) => each.toLowerCase().includes(this.wanted)).slice(0, 12) : [];
      known.replaceChildren(...found.map((each) => h("option", { value: each })));
      this.page = 0;
      this.rows();
    });
    input.addEventListener("input", suggest);
    const form = h("form", { class: "tools", role: "search", onsubmit: (event) => {
      event.preventDefault();
      if (input.value) this.choose(this.nearest(input.value));
    } },
      h("label", { class: "grow" }, h("span", {}, "Find a dataset by its key"), input, known),
      h("button", { type: "submit" }, "Show"),
      h("button", { type: "button", "aria-label": "Zoom in", onclick: () => this.zoom(1.4) }, "+"),
      h("button", { type: "button", "aria-label": "Zoom out", onclick: () => this.zoom(1 / 1.4) }, "−"),
      h("button", { type: "button", onclick: () => this.fit() }, "Show all"));
    return form;
  }

  // What was typed, if there is such a key; else the only key that contains it.
  nearest(typed) {
    if (!this.drawing.whole || this.drawing.keys.includes(typed)) return typed;
    const trimmed = typed.trim();
    const found = this.drawing.keys.filter((each) => each.toLowerCase().includes(trimmed.toLowerCase()));
    return this.drawing.keys.includes(trimmed) ? trimmed : found.length === 1 ? found[0] : typed;
  }

  marks() {
    const ink = "currentColor";
    const mark = (shape, text) => h("li", {}, s("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, shape), text);
    return h("ul", { class: "marks", "aria-label": "Legend" },
      this.colors.map((color) => h("li", {}, swatch(tone(color.shade), color.name))),
      h("li", {}, "the paler, the less accurate"),
      mark(s("circle", { cx: 8, cy: 8, r: 6, fill: "none", stroke: ink, "stroke-width": 2 }), "on the boundary"),
      this.drawing.keys?.length > MANY ? h("li", {}, "edges are drawn around the chosen dataset")
        : mark(s("polygon", { points: "8,1 15,8 8,15 1,8", fill: "none", stroke: ink, "stroke-width": 1.2 }), "alpha is given"),
      this.drawing.whole && this.colors.length === 2 ? h("li", {}, "columns: edges from the boundary, which is in the middle") : null);
  }

  begin() {
    if (!this.latest) this.panel.replaceChildren(h("h2", {}, "No dataset chosen"),
      h("p", {}, "Choose one in the drawing or by its key to see the chance of each answer, what decides it, and its neighbours."));
    if (this.drawing.whole) this.draw(this.drawing);
    if (this.latest) this.mark(this.latest); // chosen before the drawing was there
    else if (!this.drawing.whole && this.drawing.start !== null) this.choose(this.drawing.start);
  }

  draw(columns) {
    this.columns = columns;
    this.found = null;
    this.cy?.destroy();
    const nodes = columns.keys.map((name, i) => ({ group: "nodes", data: { id: `n${i}`, name: shortened(name, 18), i, fill: this.fill(columns, columns.p, i) }, position: { x: columns.x[i], y: columns.y[i] },
      classes: [columns.boundary[i] && "boundary", columns.given[i] && "given"].filter(Boolean) }));
    const many = nodes.length > MANY;
    this.sparse = many || columns.source.length > MANY_EDGES;
    const edges = this.sparse ? [] : columns.source.map((_, i) => this.edge(i));
    this.cy = cytoscape({ container: this.canvas, elements: [...nodes, ...edges], layout: { name: "preset" }, style: this.style(many && columns.cell), minZoom: 0.005, maxZoom: 6,
      autoungrabify: true, boxSelectionEnabled: false, selectionType: "single", textureOnViewport: many, pixelRatio: many ? 1 : "auto" });
    this.cy.on("viewport resize", () => this.pin());
    this.cy.on("tap", "node", (event) => this.choose(columns.keys[event.target.data("i")]));
    this.fit();
  }

  edge(i) {
    const { source, target, crossing } = this.columns;
    return { group: "edges", data: { id: `e${i}`, source: `n${source[i]}`, target: `n${target[i]}`, wide: this.width(this.columns, i) }, classes: crossing[i] ? ["crossing"] : [] };
  }

  style(cell) {
    const [ink, line, surface, accent, muted] = ["--ink", "--strong", "--surface", "--accent", "--muted"].map(variable);
    return [
      { selector: "node", style: { width: 20, height: 20, "background-color": "data(fill)", label: "data(name)", color: ink, "font-size": 11, "font-family": "system-ui, sans-serif",
        "text-valign": "bottom", "text-margin-y": 3, "min-zoomed-font-size": cell ? 11 : 7, "border-width": 0, "text-background-color": surface, "text-background-opacity": 0.75 } },
      { selector: "node.given", style: { shape: "diamond", width: 26, height: 26 } },
      { selector: "node.boundary", style: { "border-width": 2, "border-color": ink } },
      ...(cell ? [{ selector: "node", style: { shape: "rectangle", width: 0.86 * cell[0], height: 0.96 * cell[1], "text-valign": "center", "text-margin-y": 0, "text-background-opacity": 0,
        "font-size": this.letters(cell), "min-zoomed-font-size": 7 } }] : []),
      { selector: "edge", style: { width: "data(wide)", "line-color": line, "curve-style": "haystack", opacity: 0.9 } },
      { selector: "edge.crossing", style: { "line-style": "dashed", "line-color": muted } },
      { selector: "node.near", style: { "underlay-color": accent, "underlay-opacity": 0.18, "underlay-padding": 5 } },
      { selector: "node.onpath", style: { "underlay-color": accent, "underlay-opacity": 0.5, "underlay-padding": 6 } },
      { selector: "edge.onpath", style: { "line-color": accent, width: 6, opacity: 1, "line-style": "solid", "z-index": 9 } },
      { selector: "node.chosen", style: { "border-width": cell ? 0 : 4, "border-color": accent, "z-index": 10, "text-opacity": 0 } },
      { selector: "node:active", style: { "overlay-opacity": 0.1 } },
    ];
  }

  // The size of letters at which the longest name fits into a cell of the map.
  letters(cell) {
    const longest = Math.max(...this.columns.keys.map((name) => Math.min(name.length, 18)));
    return Math.max(6, Math.min(0.6 * cell[1], 0.86 * cell[0] / (0.62 * longest)));
  }

  width(columns, i) {
    this.span ??= [Math.min(...new Set(columns.epsilon)), Math.max(...new Set(columns.epsilon))];
    const [low, high] = this.span;
    return high > low ? 1 + 3 * (columns.epsilon[i] - low) / (high - low) : 1.6;
  }

  // The paler, the less accurate.
  paint(p) {
    if (!this.cy) return;
    this.cy.batch(() => this.cy.nodes().forEach((node) => node.data("fill", this.fill(this.columns, p, node.data("i")))));
  }

  fill(columns, p, i) {
    this.ground ??= variable("--surface");
    const least = 1 / this.colors.length;
    const strength = p ? 0.2 + 0.8 * Math.max(0, (p[i] - least) / (1 - least)) : 0.6;
    return mixed(this.ground, tone(this.colors[columns.color[i]].shade), strength);
  }

  // Towards the chosen dataset if it is in sight, so that it stays there; else towards the middle.
  zoom(by) {
    if (!this.cy) return;
    const { clientWidth: wide, clientHeight: high } = this.canvas;
    const chosen = this.found && this.cy.getElementById(`n${this.place.get(this.found.key)}`);
    const at = chosen?.nonempty() ? chosen.renderedPosition() : null;
    const seen = at && at.x >= 0 && at.x <= wide && at.y >= 0 && at.y <= high;
    this.cy.zoom({ level: this.cy.zoom() * by, renderedPosition: seen ? at : { x: wide / 2, y: high / 2 } });
  }

  fit() {
    this.cy?.fit(undefined, 30);
    if (this.cy && this.cy.zoom() > 1.8) {
      this.cy.zoom(1.8);
      this.cy.center();
    }
  }

  keyed(event) {
    const step = 60;
    const pans = { ArrowLeft: [step, 0], ArrowRight: [-step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] };
    if (pans[event.key]) this.cy?.panBy({ x: pans[event.key][0], y: pans[event.key][1] });
    else if (event.key === "+" || event.key === "=") this.zoom(1.3);
    else if (event.key === "-") this.zoom(1 / 1.3);
    else if (event.key === "0") this.fit();
    else return;
    event.preventDefault();
  }

  async choose(name) {
    this.panel.setAttribute("aria-busy", "true");
    try {
      const found = await post("dataset", { graph: this.graph, key: name, changes: this.changes.current() });
      this.chosen = found.key;
      this.latest = found;
      if (found.around) this.draw(found.around);
      this.panel.replaceChildren(...datasetPanel(found, this.colors, (other) => this.choose(other)).flat(Infinity).filter(Boolean));
      this.mark(found);
      this.changes.choose(found);
      announce(`Dataset ${shortened(found.key)}, true answer ${shortened(found.color)}, ${found.distribution ? found.distribution.map((each) => `${shortened(each.color)} ${each.text}`).join(", ") : "no mechanism"}`);
    } catch (problem) {
      this.panel.replaceChildren(notice("wrong", sentence(problem.message), sentence(problem.hint)));
    } finally {
      this.panel.removeAttribute("aria-busy");
    }
  }

  // Show in the drawing what was chosen, what decides it, and its neighbours.
  mark(found) {
    if (!this.cy) return;
    this.place ??= new Map();
    if (this.place.of !== this.columns) {
      this.place = new Map(this.columns.keys.map((name, i) => [name, i]));
      this.place.of = this.columns;
    }
    const node = (name) => this.cy.getElementById(`n${this.place.get(name)}`);
    this.cy.batch(() => {
      this.cy.elements().removeClass("chosen near onpath");
      if (this.sparse) this.around(found);
      for (const each of found.neighbors) node(each.key).addClass("near");
      this.trace(found.decided?.path ?? []);
      node(found.key).addClass("chosen");
    });
    this.found = found;
    const chosen = node(found.key);
    const { x1, y1, x2, y2 } = this.cy.extent(), at = chosen.position();
    if (chosen.nonempty() && (at.x < x1 || at.x > x2 || at.y < y1 || at.y > y2)) this.cy.center(chosen);
    this.pin();
  }

  // A ring, a name and the path that decides: of the same size at every zoom, so that the chosen one is always seen.
  pin() {
    const at = (name) => this.cy.getElementById(`n${this.place.get(name)}`);
    const chosen = this.found && this.cy ? at(this.found.key) : null;
    if (!chosen?.nonempty()) {
      this.pins.replaceChildren();
      return;
    }
    const { x, y } = chosen.renderedPosition(), [wide, high] = [chosen.renderedWidth(), chosen.renderedHeight()].map((each) => Math.max(18, each + 8));
    const ring = { x: x - wide / 2, y: y - high / 2, width: wide, height: high, rx: Math.min(9, high / 2) };
    const path = (this.found.decided?.path ?? []).map(at).filter((node) => node.nonempty()).map((node) => node.renderedPosition());
    const points = path.map((each) => `${each.x},${each.y}`).join(" ");
    const side = x > this.canvas.clientWidth / 2 ? -1 : 1;
    this.pins.replaceChildren(
      ...(path.length > 1 ? [s("polyline", { class: "halo", points }), s("polyline", { class: "way", points })] : []),
      s("rect", { class: "halo", ...ring }), s("rect", { class: "ring", ...ring }),
      s("text", { x: x + side * (wide / 2 + 6), y: y - high / 4, "text-anchor": side < 0 ? "end" : "start" }, shortened(this.found.key, 24)));
  }

  picture() {
    return sketch(this.cy, this.facts.name, variable("--surface"), variable("--ink"));
  }

  // The edges at the chosen dataset and along the path that decides it.
  around(found) {
    this.cy.edges().remove();
    const { source, target } = this.columns;
    const at = this.place.get(found.key), path = (found.decided?.path ?? []).map((name) => this.place.get(name));
    const steps = new Set(path.slice(1).flatMap((v, i) => [`${v} ${path[i]}`, `${path[i]} ${v}`]));
    this.cy.add(source.flatMap((u, i) => (u === at || target[i] === at || steps.has(`${u} ${target[i]}`) ? [this.edge(i)] : [])));
  }

  trace(path) {
    const node = (name) => this.cy.getElementById(`n${this.place?.get(name)}`);
    path.forEach((name, i) => {
      node(name).addClass("onpath");
      if (i) node(name).edgesWith(node(path[i - 1])).addClass("onpath");
    });
  }

  // The mechanism of the changed graph, or of the graph as it is.
  follow(found) {
    this.columns = { ...this.columns, p: found?.p ?? this.drawing.p, text: found?.text ?? this.drawing.text, given: found?.given ?? this.drawing.given };
    if (this.place) this.place.of = this.columns;
    this.paint(this.columns.p);
    this.cy?.batch(() => this.cy.nodes().forEach((node) => node.toggleClass("given", this.columns.given[node.data("i")])));
    if (found?.witness?.length) this.cy?.batch(() => {
      this.cy.elements().removeClass("onpath near");
      this.trace(found.witness);
    });
    else if (this.chosen !== undefined) this.choose(this.chosen);
    this.rows();
  }

  rows() {
    if (!this.list.parentElement?.open) return;
    if (!this.columns) return;
    const { keys, color, text, distance, boundary, given } = this.columns;
    const all = [...keys.keys()].filter((i) => !this.wanted || keys[i].toLowerCase().includes(this.wanted));
    const last = Math.max(0, Math.ceil(all.length / PAGE) - 1);
    this.page = Math.min(this.page, last);
    const some = all.slice(this.page * PAGE, (this.page + 1) * PAGE);
    const where = this.drawing.whole ? "edges from the boundary" : "edges from the chosen one";
    const rows = some.map((i) => [key(keys[i], (name) => this.choose(name)), swatch(tone(this.colors[color[i]].shade), this.colors[color[i]].name), text ? text[i] : "–",
      distance[i] < 0 ? "cut off" : number(distance[i]), [boundary[i] && "boundary", given[i] && "alpha given"].filter(Boolean).join(", ")]);
    const turn = (by) => () => { this.page += by; this.rows(); };
    this.list.replaceChildren(
      table(`Datasets ${number(this.page * PAGE + 1)} to ${number(this.page * PAGE + some.length)} of ${number(all.length)}`, ["dataset", "true answer", "accuracy", where, ""], rows, { numeric: [2, 3] }),
      h("p", { class: "tools" }, h("button", { type: "button", disabled: this.page === 0, onclick: turn(-1) }, "Previous"), h("button", { type: "button", disabled: this.page >= last, onclick: turn(1) }, "Next")));
  }
}
