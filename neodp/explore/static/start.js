// The first page of a store without graphs: what was answered, and what can be done here.
import { ask, live } from "./api.js";
import { counted, h, number, printable, short, shortened, table } from "./dom.js";
import { when } from "./tables.js";

const LAST = 8;

export async function startPage() {
  const { populations } = await ask("releases");
  const answers = populations.flatMap((each) => each.releases.map((release) => ({ ...release, population: each.population })))
    .sort((one, other) => (other.time ?? "").localeCompare(one.time ?? ""));
  return [
    h("h1", {}, answers.length ? "Answers in this store" : "Nothing was answered yet"),
    h("p", { class: "lead" }, answers.length
      ? `${counted(answers.length, "answer")} about ${counted(populations.length, "population")}. There is no graph of datasets in this store, so only polls and answers are shown.`
      : "This store has no graph of datasets and no answers. Begin with a table of people, or with the sizes of groups."),
    answers.length ? latest(answers) : null,
    populations.length ? left(populations) : null,
    h("div", { class: "doors" },
      door("polls", "Plan a poll", "How often would a private answer be right, for this many people with these levels of privacy?"),
      door("table", "Open a table", "Drop a table of people anywhere on this page, and see how accurate its answer would be. It stays on this machine, and is not kept."),
      h("section", { class: "card" }, h("h2", {}, "Make a graph of datasets"),
        h("p", {}, "Type ", h("code", {}, "neodp generate three-voters votes --balanced"), " in a terminal, and reload this page."))),
  ];
}

function door(view, title, text) {
  return h("section", { class: "card" }, h("h2", {}, h("a", { href: `#//${view}` }, title)), h("p", {}, text, live ? null : " This needs the server: run 'neodp explore'."));
}

function latest(answers) {
  const rows = answers.slice(0, LAST).map((each) => [shortened(each.about, 60), printable(each.name), h("strong", {}, shortened(each.answer, 80)), when(each.time)]);
  return h("section", { class: "card" },
    h("h2", {}, answers.length > LAST ? `The last ${LAST} answers` : "Answers"),
    table("Answers", ["about", "release", "answer", "time"], rows, { quiet: true }),
    h("p", {}, h("a", { href: "#//releases" }, "All answers, and what they cost")));
}

function left(populations) {
  const rows = populations.map((each) => [shortened(each.population, 60), number(each.used),
    each.share ? `${short(1 - each.share)} of everybody's own epsilon` : each.left === null ? "no limit on the number" : each.left === 0 ? "none" : counted(each.left, "answer")]);
  return h("section", { class: "card" }, h("h2", {}, "Whose data, and what is left"),
    table("Budget", ["population", "answers", "left"], rows, { quiet: true, numeric: [1] }));
}
