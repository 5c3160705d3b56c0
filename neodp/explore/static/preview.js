// A table of people from this machine, before an answer: which columns, which levels, and how accurate a poll would be.
import { live, post } from "./api.js";
import { counted, h, loading, notice, printable, settled, shortened } from "./dom.js";
import { sentence } from "./overview.js";
import { pictured, QUERIES } from "./poll.js";

const LARGEST = 32 * 2 ** 20;
let waiting = null; // what to do with a file that is dropped
let last = null; // the file that was dropped before the view was there

export function opened(file) {
  if (waiting) waiting(file);
  else last = file;
}

export function tablePage() {
  const body = h("div", {});
  const input = h("input", { type: "file", disabled: !live, "aria-label": "A table of people",
    accept: ".csv,.tsv,.tab,.txt,.gz,.parquet,.pq,.arrow,.feather,.xlsx,.xlsm,.xlsb,.xls,.ods" });
  input.addEventListener("change", () => { if (input.files.length) open(input.files[0]); });

  async function open(file) {
    if (file.size > LARGEST) {
      body.replaceChildren(notice("wrong", `${file.name} has ${Math.ceil(file.size / 2 ** 20)} MiB.`, "Up to 32 MiB can be opened here; 'neodp poll' takes any size."));
      return;
    }
    body.replaceChildren(loading(`Reading ${shortened(file.name, 60)}…`));
    try {
      body.replaceChildren(...form(file.name, await encoded(file)));
    } catch (problem) {
      body.replaceChildren(notice("wrong", sentence(problem.message), sentence(problem.hint ?? "")));
    }
  }

  waiting = open;
  if (last) queueMicrotask(() => {
    open(last);
    last = null;
  });
  return [
    h("h1", {}, "A table of people, before an answer"),
    h("p", { class: "lead" }, "How often would a private answer be right? No answer is drawn here, and no vote is shown. The table stays on this machine and is not kept."),
    live ? h("section", { class: "card" }, h("div", { class: "drop" }, h("p", {}, "Drop a table on this page, or choose one: CSV, Excel, LibreOffice, Parquet or Arrow, with a row for each person."), input), body)
      : notice("careful", "This file cannot read tables. Opening one needs the server: run 'neodp explore'."),
  ];
}

function encoded(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(",") + 1));
    reader.onerror = () => reject(new Error(`${file.name} cannot be read`));
    reader.readAsDataURL(file);
  });
}

// The fields, and below them the preview that follows them.
function form(name, data) {
  const state = { file: name, data, vote: null, epsilon: null, query: "majority", levels: {} };
  const result = h("div", { "aria-live": "polite" });
  const levels = h("div", { class: "fields" });
  const told = h("p", {});

  const compute = settled(200, async () => {
    result.setAttribute("aria-busy", "true");
    try {
      const facts = await post("table", state);
      if (proposed(facts, state)) return compute();
      everybody.hidden = state.epsilon !== "";
      told.textContent = `${shortened(facts.name, 60)}: ${counted(facts.rows, "row")}, ${counted(facts.columns.length, "column")}.`;
      fill(vote, facts.columns, state.vote, "choose a column");
      fill(epsilon, facts.columns, state.epsilon, "one epsilon for everybody");
      named(facts.levels);
      result.replaceChildren(...previewed(facts, state));
    } catch (problem) {
      result.replaceChildren(notice("wrong", sentence(problem.message), sentence(problem.hint ?? "")));
    } finally {
      result.removeAttribute("aria-busy");
    }
  });

  // One field for each name of a level, which stays while its column does.
  function named(names) {
    if (levels.dataset.names === JSON.stringify(names)) return;
    levels.dataset.names = JSON.stringify(names);
    state.levels = {};
    levels.replaceChildren(...(names ?? []).map((each) => h("label", { class: "pair" }, h("span", {}, `epsilon of “${shortened(each, 30)}”`),
      h("input", { type: "number", min: 0, step: "any", oninput: (event) => {
        state.levels[each] = event.target.value;
        if (names.every((other) => state.levels[other])) compute();
      } }))));
  }

  const given = (what, attributes = {}) => h("input", { ...attributes, oninput: (event) => {
    state[what] = event.target.type === "checkbox" ? event.target.checked : event.target.value;
    compute();
  } });
  const vote = h("select", { onchange: () => { state.vote = vote.value; compute(); } });
  const everybody = h("label", { class: "field" }, h("span", {}, "Everybody's epsilon"), given("everybody", { type: "number", min: 0, step: "any", placeholder: "1" }));
  const epsilon = h("select", { onchange: () => {
    state.epsilon = epsilon.value;
    everybody.hidden = epsilon.value !== "";
    compute();
  } });
  const query = h("select", { onchange: () => { state.query = query.value; compute(); } }, QUERIES.map(([value, text]) => h("option", { value }, text)));
  compute();
  return [told, h("div", { class: "compare" },
    h("div", { class: "fields" },
      field("Column of the votes", vote), field("Everybody's privacy", epsilon), everybody, levels, field("Question", query),
      field("Options, if they are not yes and no", given("options", { type: "text", placeholder: "tea,coffee" })),
      h("label", { class: "check" }, given("skip_empty", { type: "checkbox" }), h("span", {}, "Leave out people without an answer or an epsilon")),
      h("details", {}, h("summary", {}, "How the file is read"), h("div", { class: "fields" },
        field("Row that names the columns", given("header_row", { type: "number", min: 1, placeholder: "found by itself" })),
        field("Sheet of a workbook", given("sheet", { type: "text", placeholder: "the only one with cells" }))))),
    result)];
}

// Take the columns whose names are the usual ones, once a file is read or its header is found in another row.
function proposed(facts, state) {
  let changed = false;
  for (const what of ["vote", "epsilon"]) {
    if (state[what] === "" || facts.columns.includes(state[what])) continue;
    state[what] = facts.proposed[what] ?? "";
    changed = true;
  }
  return changed;
}

function field(name, control) {
  return h("label", { class: "field" }, h("span", {}, name), control);
}

function fill(select, columns, chosen, none) {
  if (select.dataset.columns !== JSON.stringify(columns)) {
    select.dataset.columns = JSON.stringify(columns);
    select.replaceChildren(h("option", { value: "" }, none), ...columns.map((each) => h("option", { value: each }, shortened(each, 60))));
  }
  select.value = columns.includes(chosen) ? chosen : "";
}

function previewed(facts, state) {
  if (facts.preview === null) {
    const missing = !state.vote ? "Choose the column of the votes." : facts.levels ? "Give each level of privacy an epsilon: the smaller, the more privacy." : "Choose the column of everybody's epsilon, or give one for everybody.";
    return [h("p", { class: "hint" }, missing)];
  }
  const { skipped, silent } = facts.preview;
  return [
    ...pictured(facts.preview),
    skipped ? h("p", { class: "hint" }, `${counted(skipped, "row")} without an answer or an epsilon left out.`) : "",
    silent ? h("p", { class: "hint" }, `${counted(silent, "row")} with epsilon 0: their votes are not read.`) : "",
    h("h3", {}, "In a terminal, in the folder of the table"),
    h("pre", { class: "command" }, h("code", {}, printable(facts.command))),
    h("p", { class: "hint" }, "The same preview. With --release NAME it draws the answer, once, and keeps it."),
  ];
}
