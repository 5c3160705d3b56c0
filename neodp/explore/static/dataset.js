// One dataset: its distribution, what decides it, and its neighbours.
import { h, notice, s, short, shortened, swatch, table, tone } from "./dom.js";
import { sentence } from "./overview.js";

export function datasetPanel(facts, colors, choose) {
  const shade = (name) => tone(colors.find((color) => color.name === name)?.shade ?? "#5b6470");
  return [
    h("h2", { tabindex: "-1" }, "Dataset ", h("span", { class: "code" }, shortened(facts.key, 60))),
    h("p", {}, "True answer: ", swatch(shade(facts.color), facts.color),
      facts.preference ? `, then ${facts.preference.slice(1).map((name) => shortened(name)).join(", ")}` : null),
    facts.problem ? notice("wrong", sentence(facts.problem.message), sentence(facts.problem.hint)) : null,
    facts.distribution ? distribution(facts, shade) : null,
    facts.distribution ? deciding(facts, choose) : null,
    neighbors(facts, shade, choose),
  ];
}

function distribution(facts, shade) {
  return [
    h("h3", {}, "Chance of each answer"),
    h("ul", { class: "bars" }, facts.distribution.map((each) => h("li", {},
      h("span", { class: "name" }, swatch(shade(each.color), each.color), h("span", {}, each.text)),
      s("svg", { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
        s("rect", { width: 100 * each.p, height: 10, fill: shade(each.color) }))))),
  ];
}

function deciding(facts, choose) {
  const title = h("h3", {}, "What decides it");
  if (facts.decided === null) return [title, h("p", {}, "The stored mechanism no longer matches the graph, so no path explains it.")];
  const { path, epsilons, deltas } = facts.decided;
  if (!path.length) return [title, h("p", {}, "Nothing bounds it: no dataset with a given alpha can be reached, so the answer is the true one.")];
  const total = epsilons.reduce((sum, epsilon) => sum + epsilon, 0);
  const reason = path.length === 1
    ? "The alpha that is given at this dataset."
    : ["The alpha that is given at ", key(path[0], choose), `, epsilon ${short(total)} away along ${path.length - 1 === 1 ? "one edge" : `${path.length - 1} edges`}.`];
  const list = path.length === 1 ? null : h("ol", { class: "path" }, path.map((each, i) => h("li", {}, key(each, choose),
    i ? h("span", { class: "step" }, `epsilon ${short(epsilons[i - 1])}${deltas[i - 1] ? `, delta ${short(deltas[i - 1])}` : ""}`) : h("span", { class: "step" }, "alpha given here"))));
  return [title, h("p", {}, reason), path.length > 12 ? h("details", {}, h("summary", {}, "The whole path"), list) : list];
}

function neighbors(facts, shade, choose) {
  const some = facts.neighbors.slice(0, 200);
  const rows = some.map((each) => [key(each.key, choose), swatch(shade(each.color), each.color), each.true?.text ?? "–",
    short(each.epsilon) + (each.delta ? `, ${short(each.delta)}` : "")]);
  const more = facts.neighbors.length > some.length ? h("p", {}, `and ${facts.neighbors.length - some.length} more`) : null;
  const delta = facts.neighbors.some((each) => each.delta);
  return [h("h3", {}, `Neighbours (${facts.neighbors.length})`),
    table("Neighbours", ["dataset", "true answer", "accuracy", delta ? "epsilon, delta" : "epsilon"], rows, { quiet: true, numeric: [2, 3] }), more];
}

export function key(name, choose) {
  return h("button", { class: "link code", type: "button", onclick: () => choose(name) }, shortened(name, 40));
}
