// Canned queries as tables; releases and what they cost.
import { ask, live, post } from "./api.js";
import { counted, h, notice, number, printable, s, short, shortened, table } from "./dom.js";
import { sentence } from "./overview.js";

export async function queriesPage(graph) {
  const known = await ask("queries");
  const result = h("div", { "aria-live": "polite" });
  const chooser = h("select", { onchange: () => begin() }, known.map((each) => h("option", { value: each.name }, words(each.name))));
  const fields = h("div", { class: "tools" });
  const answers = h("p", {});
  const chosen = () => known.find((each) => each.name === chooser.value);

  function begin() {
    const query = chosen();
    answers.textContent = query.answers;
    fields.replaceChildren(...query.parameters.map((each) => h("label", {}, h("span", {}, each.name === "key" ? "key of the dataset" : each.name === "limit" ? "most rows" : each.name),
      h("input", { type: "text", name: each.name, value: each.default ?? "", required: true, disabled: !live, autocomplete: "off" }))),
    h("button", { type: "submit" }, "Run"));
    result.replaceChildren();
    if (query.parameters.every((each) => each.default !== null)) run();
  }

  async function run() {
    const given = Object.fromEntries(new FormData(form).entries());
    try {
      const found = await post("query", { graph, query: chooser.value, parameters: live ? given : {} });
      result.replaceChildren(...queried(found));
    } catch (problem) {
      result.replaceChildren(notice("wrong", sentence(problem.message), sentence(problem.hint)));
    }
  }

  const form = h("form", { onsubmit: (event) => {
    event.preventDefault();
    run();
  } }, fields);
  queueMicrotask(begin);
  return [
    h("h1", {}, "Queries"),
    h("p", { class: "lead" }, "Questions about the stored graph and its mechanism, answered by the store in Cypher. The command ", h("code", {}, "neodp query NAME GRAPH"), " gives the same."),
    h("section", { class: "card", "aria-label": "Query" }, h("label", { class: "field tools" }, h("span", { class: "hidden" }, "Query"), chooser), answers, form, result),
  ];
}

function words(name) {
  return name.replaceAll("_", " ");
}

function queried(found) {
  if (!found.rows.length) return [h("p", {}, "No rows: nothing fits.")];
  const numeric = found.columns.map((_, i) => i).filter((i) => found.rows.every((row) => row[i] === null || typeof row[i] === "number"));
  return [table("Result", found.columns.map(words), found.rows.map((row) => row.map(cell)), { quiet: true, numeric }), h("p", { class: "hint" }, counted(found.rows.length, "row"))];
}

function cell(value) {
  if (value === null || value === undefined) return "–";
  if (typeof value === "number") return Number.isInteger(value) ? number(value) : short(value, 6);
  if (Array.isArray(value)) return value.map(cell).join(", ");
  return printable(typeof value === "object" ? JSON.stringify(value) : value);
}

export async function releasesPage() {
  const { populations } = await ask("releases");
  return [
    h("h1", {}, "Releases and budget"),
    h("p", { class: "lead" }, "The answers given, and what they cost the people. The dataset that was asked for is not shown here."),
    populations.length ? populations.map(ledger) : h("section", { class: "card" }, h("p", {}, "There are no answers yet, and nobody has set a budget.")),
  ];
}

function ledger(each) {
  const left = each.left === null ? "" : `, ${number(each.left)} left`;
  return h("section", { class: "card" },
    h("h2", {}, `Population ${shortened(each.population, 60)}`),
    each.share
      ? h("p", {}, `${counted(each.used, "release")}; ${short(each.share)} of everybody's own epsilon is spent, ${short(1 - each.share)} is left.`)
      : h("p", {}, `${counted(each.used, "release")} used${left}. The limit is ${each.limit}.`),
    each.spent.length ? spent(each) : null,
    each.releases.length
      ? table("Releases", ["about", "release", "answer", "time"], each.releases.map((release) => [printable(release.about), printable(release.name), h("strong", {}, printable(release.answer)), when(release.time)]))
      : null,
    each.releases.some((release) => release.question)
      ? table("Questions to the graph of people", ["release", "question"], each.releases.filter((release) => release.question).map((release) => [printable(release.name), h("code", {}, printable(release.question))]))
      : null,
    each.releases.some((release) => release.command)
      ? h("details", {}, h("summary", {}, "The commands that asked"), each.releases.map((release) => release.command ? h("p", {}, h("code", {}, printable(release.command))) : null)) : null);
}

function spent(each) {
  const rows = each.spent.map((level) => [printable(level.level), level.text, level.delta ? short(level.delta) : "0", level.share === null ? "no limit on epsilon"
    : s("svg", { class: "budget", viewBox: "0 0 100 10", preserveAspectRatio: "none", role: "img", "aria-label": `${Math.round(100 * level.share)} per cent of the limit` }, s("rect", { width: 100 * level.share, height: 10, fill: "currentColor" }))]);
  return table("Spent so far", ["people of", "epsilon", "at delta", "of the limit"], rows, { numeric: [1, 2] });
}

export function when(time) {
  return time ? h("time", { datetime: time }, printable(time).replace("T", " ").replace(/(:\d\d)(\.\d+)?Z$/, "$1 UTC")) : "–";
}
