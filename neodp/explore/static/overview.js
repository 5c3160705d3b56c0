// The overview: how large a graph is, what it promises, and how accurate its mechanism is by distance.
import { ask } from "./api.js";
import { chart } from "./chart.js";
import { counted, h, notice, number, short, shortened, swatch, table, tone } from "./dom.js";

const ORIGINS = {
  stored: "The mechanism is stored on the graph's datasets.",
  stale: "The graph has changed since its mechanism was written: what is shown is the old mechanism.",
  computed: "No mechanism is stored. What is shown was computed just now from the graph's alpha, and is not kept.",
};

export async function overviewPage(graph) {
  const facts = await ask("overview", { graph });
  return [
    h("h1", {}, shortened(facts.name, 80)),
    h("p", { class: "lead" }, introduction(facts)),
    told(facts),
    tiles(facts),
    facts.layers.length ? accuracy(facts) : null,
    facts.levels.length ? levels(facts) : null,
  ];
}

function introduction(facts) {
  const answers = facts.colors.map((color) => swatch(tone(color.shade), color.name));
  return ["Every dataset is one possible state of the data; its true answer is one of ", answers.flatMap((each, i) => [i ? " " : "", each]), ". ",
    "An edge joins two datasets that differ in one person’s data."];
}

function told(facts) {
  if (facts.problem) return notice("wrong", sentence(facts.problem.message), sentence(facts.problem.hint));
  return notice(facts.origin === "stored" ? "quiet" : "careful", ORIGINS[facts.origin],
    facts.origin === "stored" ? null : `Store one for the present graph: neodp extend ${facts.quoted}`);
}

export function sentence(text) {
  return text ? text[0].toUpperCase() + text.slice(1) + (text.endsWith(".") || text.endsWith("?") ? "" : ".") : "";
}

function tiles(facts) {
  const shown = [
    ["datasets", number(facts.datasets)],
    ["edges", number(facts.edges)],
    ["on the boundary", number(facts.boundary), "Datasets where one person decides the true answer."],
  ];
  if (facts.accuracy) {
    shown.push(["least accuracy", facts.accuracy.least.text, "The chance of the true answer that every dataset has at least."]);
    shown.push(["mean accuracy", facts.accuracy.mean.text, "The chance of the true answer, averaged over all datasets alike."]);
  }
  return h("dl", { class: "tiles" }, shown.map(([name, value, meaning]) =>
    h("div", {}, h("dt", {}, name), h("dd", {}, value), meaning ? h("dd", { class: "meaning" }, meaning) : null)));
}

function accuracy(facts) {
  const names = new Map(facts.layers.flatMap((layer) => layer.steps.map((step) => [step.step, step.name])));
  const series = facts.layers.map((layer) => ({
    name: layer.color === null ? "all true answers" : `true answer: ${facts.colors[layer.color].name}`,
    shade: layer.color === null ? tone("#5b6470") : tone(facts.colors[layer.color].shade),
    points: layer.steps.map((step) => ({
      x: step.step, y: step.mean.p, low: step.least.p, high: step.greatest.p,
      text: `mean ${step.mean.text}, from ${step.least.text} to ${step.greatest.text}, ${counted(step.datasets, "dataset")}`,
    })),
  }));
  const rows = facts.layers.flatMap((layer) => layer.steps.map((step) => [
    step.name, layer.color === null ? "all" : shortened(facts.colors[layer.color].name), number(step.datasets), step.least.text, step.mean.text, step.greatest.text,
  ]));
  const head = ["edges away from the boundary", "true answer", "datasets", "least", "mean", "greatest"];
  return h("section", { class: "card" },
    h("h2", {}, "Accuracy by distance"),
    h("p", {}, "How often the answer is the true one, by how many edges a dataset is away from the boundary: the mean, and from the least to the greatest."),
    chart({ title: `${facts.name}: accuracy by distance from the boundary`, label: `Accuracy by distance from the boundary, for ${counted(series.length, "line")}; the table below has the same figures.`,
      series, xTitle: "edges away from the boundary", yTitle: "chance of the true answer", names: (x) => names.get(x) ?? String(x), base: 1 / facts.colors.length }),
    h("details", {}, h("summary", {}, "The same as a table"), table("Accuracy by distance", head, rows, { quiet: true, numeric: [2, 3, 4, 5] })));
}

function levels(facts) {
  const rows = facts.levels.map((level) => [short(level.epsilon), level.delta ? short(level.delta) : "0", number(level.edges), `${short(Math.exp(level.epsilon), 3)} times`]);
  return h("section", { class: "card" },
    h("h2", {}, "What the edges promise"),
    h("p", {}, "If the data of one person changes, the chance of every answer changes by the factor in the last column at most",
      facts.levels.some((level) => level.delta) ? ", plus delta." : "."),
    table("Privacy levels of the edges", ["epsilon", "delta", "edges", "at most"], rows, { quiet: true, numeric: [0, 1, 2, 3] }));
}
