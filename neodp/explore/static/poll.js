// A poll that one thinks about: the accuracy of both mechanisms by margin, with sliders for the levels.
import { aiming } from "./aim.js";
import { ask, live, post } from "./api.js";
import { chart } from "./chart.js";
import { h, notice, number, printable, settled, short, table, tone } from "./dom.js";
import { sentence } from "./overview.js";

const SHADES = { balanced: "#0077BB", weighted: "#EE7733" };
export const QUERIES = [["majority", "a majority: more than half"], ["threshold:2/3", "at least two thirds"], ["threshold:3/4", "at least three quarters"], ["threshold:1/3", "at least one third"], ["plurality", "the most votes of several options"]];
const OPTIONS = 12;
const MOST = 8;

export async function pollPage() {
  const groups = await ask("population");
  const state = { groups, query: "majority", options: 3 };
  const editor = h("div", { class: "groups" });
  const result = h("div", { "aria-live": "polite" });

  const aim = live ? aiming(state, (epsilon) => {
    for (const group of state.groups) group.epsilon = epsilon(group.epsilon);
    build();
    compute();
  }) : null;

  const draw = settled(150, async () => {
    if (!result.children.length) result.replaceChildren(h("p", { class: "hint" }, "Computing…"));
    result.setAttribute("aria-busy", "true");
    try {
      result.replaceChildren(...pictured(await post("poll", state)));
    } catch (problem) {
      result.replaceChildren(notice("wrong", sentence(problem.message), sentence(problem.hint)));
    } finally {
      result.removeAttribute("aria-busy");
    }
  });

  function compute() {
    draw();
    aim?.refresh();
  }

  function build() {
    editor.replaceChildren(...state.groups.map((group, i) => groupRow(group, i, state.groups.length > 1 && (() => {
      state.groups.splice(i, 1);
      build();
      compute();
    }), compute)),
    h("p", {}, h("button", { type: "button", disabled: !live || state.groups.length >= MOST, onclick: () => {
      state.groups.push({ epsilon: 1, people: 10, name: null });
      build();
      compute();
      editor.querySelectorAll("input[type=range]").item(state.groups.length - 1).focus();
    } }, "Add a group")));
  }

  const query = h("select", { disabled: !live, onchange: (event) => {
    state.query = event.target.value;
    several.hidden = state.query !== "plurality";
    compute();
  } }, QUERIES.map(([value, text]) => h("option", { value }, text)));
  const options = h("input", { type: "number", min: 2, max: OPTIONS, value: state.options, disabled: !live });
  options.addEventListener("input", () => {
    if (!options.checkValidity() || options.value === "") return;
    state.options = options.valueAsNumber;
    compute();
  });
  const several = h("label", { class: "field", hidden: true }, h("span", {}, "How many options"), options);
  build();
  compute();
  return [
    h("h1", {}, "A poll, before anybody is asked"),
    h("p", { class: "lead" }, "How often would the private answer be the true one? Nothing here depends on a vote: only on how many people there are and how much privacy each group asks for."),
    live ? null : notice("careful", "This file holds one poll. Moving its levels needs the server: run 'neodp explore'."),
    h("div", { class: "compare" },
      h("div", {},
        h("section", { class: "card", "aria-label": "Groups" }, h("h2", {}, "People"), h("p", {}, "The smaller epsilon, the more privacy."), editor,
          h("label", { class: "field" }, h("span", {}, "Question"), query), several),
        aim?.card),
      h("section", { class: "card", "aria-label": "Accuracy" }, h("h2", {}, "Accuracy by margin"), result)),
  ];
}

function groupRow(group, i, remove, compute) {
  const shown = h("span", {}, short(group.epsilon, 3));
  const name = group.name ? printable(group.name) : `Group ${i + 1}`;
  const range = h("input", { type: "range", min: -2, max: 1, step: 0.01, value: Math.log10(Math.max(group.epsilon, 0.01)), disabled: !live, "aria-label": `${name}: epsilon`, "aria-valuetext": short(group.epsilon, 3) });
  range.addEventListener("input", () => {
    group.epsilon = Number((10 ** range.valueAsNumber).toPrecision(2));
    shown.textContent = short(group.epsilon, 3);
    range.setAttribute("aria-valuetext", short(group.epsilon, 3));
    compute();
  });
  const people = h("input", { type: "number", min: 1, max: 100000, value: group.people, disabled: !live, "aria-label": `${name}: people` });
  people.addEventListener("input", () => {
    if (!people.checkValidity() || people.value === "") return;
    group.people = people.valueAsNumber;
    compute();
  });
  return h("div", { class: "group", role: "group", "aria-label": name },
    h("div", { class: "sliders" }, h("label", {}, h("span", { class: "row" }, h("span", {}, name, " ", h("span", { class: "was" }, "epsilon")), shown), range)),
    h("label", { class: "field" }, h("span", {}, "people"), people),
    remove && live ? h("button", { type: "button", "aria-label": `Remove ${name}`, onclick: remove }, "×") : null);
}

export function pictured(found) {
  const series = found.mechanisms.flatMap((each) => {
    const points = (column, what) => column.map((value, i) => value && { x: found.margins[i], y: value.p, text: `${value.text}` }).filter(Boolean);
    const even = points(each.even);
    return [
      ...(even.length ? [{ name: `${each.name}, winners spread evenly`, shade: tone(SHADES[each.name]), dash: 0, points: even }] : []),
      { name: `${each.name}, at least`, shade: tone(SHADES[each.name]), dash: 1, points: points(each.least) },
    ];
  });
  const facts = [
    ["expected accuracy, all votes equally likely", (each) => each.expected.text],
    ["every table has at least", (each) => each.worst.text],
    ["where those who want most privacy are right, and all others wrong", (each) => each.against.text],
  ];
  const rows = found.margins.map((margin, i) => [number(margin), ...found.mechanisms.flatMap((each) => [each.even[i]?.text ?? "–", each.least[i].text])]);
  return [
    h("p", {}, `${sentence(printable(found.question))} The margin is how many people would have to vote differently to change the true answer.`),
    found.margins.length
      ? chart({ title: sentence(found.question), label: "Accuracy of the poll by margin; the table below has the same figures.", series, xTitle: "margin, in people", yTitle: "chance of the true answer", names: number, base: found.coin })
      : h("p", {}, "Only one answer is possible: it is always right."),
    found.caution ? notice("careful", sentence(found.caution)) : "",
    table("Both mechanisms", ["", ...found.mechanisms.map((each) => each.name)], facts.map(([name, value]) => [name, ...found.mechanisms.map(value)]), { quiet: true, numeric: [1, 2] }),
    found.mechanisms.length === 1 ? h("p", { class: "hint" }, "Here nothing is better on average than the balanced mechanism.") : "",
    h("details", {}, h("summary", {}, "The picture as a table"),
      table("Accuracy by margin", ["margin", ...found.mechanisms.flatMap((each) => [`${each.name}, evenly spread`, `${each.name}, at least`])], rows, { quiet: true, numeric: [0, 1, 2, 3, 4] })),
  ];
}
