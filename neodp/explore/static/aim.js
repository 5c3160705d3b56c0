// Accuracy and epsilon, one slider each: whichever is moved, the other follows.
import { post } from "./api.js";
import { h, notice, settled, short } from "./dom.js";
import { sentence } from "./overview.js";

const CHANGES = {
  epsilon: { text: "one epsilon for everybody", name: "Epsilon of everybody", low: -2, high: 1 },
  factor: { text: "a factor on the epsilons above", name: "Factor on everybody's epsilon", low: -1, high: 2 },
};

// `poll` has the groups, the query and the options; `use` takes the epsilons that were found, one for each group.
export function aiming(poll, use) {
  const state = { margin: null, change: "epsilon", accuracy: 0.95, value: null };
  let asked = 0;
  const words = h("div", { class: "aimed", role: "status" }, "Computing…");
  const now = h("p", { class: "hint still" });
  const shown = { accuracy: h("span", {}), value: h("span", {}) };
  const named = h("span", {});
  const accuracy = h("input", { type: "range", min: 51, max: 99, step: 1, value: 95, "aria-label": "Accuracy" });
  const value = h("input", { type: "range", step: 0.01 });
  const margin = h("input", { type: "number", min: 1 });
  const apply = h("button", { type: "button", disabled: true }, "Use it for the groups");

  const compute = settled(150, async () => {
    const mine = (asked += 1);
    words.setAttribute("aria-busy", "true");
    try {
      const given = state.value === null ? { accuracy: state.accuracy } : { value: state.value };
      const found = await post("aim", { ...poll, margin: state.margin, change: state.change, ...given });
      if (mine !== asked) return; // a later move has been made
      margin.max = found.largest;
      if (state.margin === null) margin.value = found.margin;
      if (state.value === null) follow(value, shown.value, found.value, found.value === null ? "–" : short(found.value, 3));
      else follow(accuracy, shown.accuracy, found.reaches, `${Math.floor(100 * found.reaches + 1e-9)} %`);
      apply.disabled = found.value === null;
      apply.onclick = () => use((epsilon) => (state.change === "epsilon" ? found.value : Number((epsilon * found.value).toPrecision(3))));
      words.replaceChildren(found.words);
      now.replaceChildren(found.now_words);
    } catch (problem) {
      if (mine !== asked) return;
      apply.disabled = true;
      words.replaceChildren(notice("wrong", sentence(problem.message), sentence(problem.hint ?? "")));
      now.replaceChildren();
    } finally {
      if (mine === asked) words.removeAttribute("aria-busy");
    }
  });

  // Move a slider to what was found; epsilons are on a logarithmic scale.
  function follow(slider, place, found, text) {
    if (found !== null) slider.value = slider === value ? Math.log10(found) : 100 * found;
    place.textContent = text;
    slider.setAttribute("aria-valuetext", slider === accuracy ? `right ${text} of the time` : text);
  }

  function changed() {
    const { name, low, high } = CHANGES[state.change];
    value.min = low;
    value.max = high;
    named.textContent = name;
    value.setAttribute("aria-label", name);
  }

  accuracy.addEventListener("input", () => {
    Object.assign(state, { accuracy: accuracy.valueAsNumber / 100, value: null });
    follow(accuracy, shown.accuracy, state.accuracy, `${accuracy.value} %`);
    compute();
  });
  value.addEventListener("input", () => {
    state.value = Number((10 ** value.valueAsNumber).toPrecision(2));
    follow(value, shown.value, state.value, short(state.value, 3));
    compute();
  });
  margin.addEventListener("input", () => {
    if (!margin.checkValidity() || margin.value === "") return;
    state.margin = margin.valueAsNumber;
    compute();
  });
  const change = h("select", { onchange: () => {
    Object.assign(state, { change: change.value, accuracy: accuracy.valueAsNumber / 100, value: null });
    changed();
    follow(accuracy, shown.accuracy, state.accuracy, `${accuracy.value} %`);
    compute();
  } }, Object.entries(CHANGES).map(([name, { text }]) => h("option", { value: name }, text)));
  changed();
  follow(accuracy, shown.accuracy, state.accuracy, "95 %");

  const slider = (name, place, control) => h("label", {}, h("span", { class: "row" }, h("span", {}, name), place), control);
  const card = h("section", { class: "card", "aria-label": "Accuracy and epsilon" }, h("h2", {}, "Accuracy and epsilon"),
    h("p", {}, "Move one, and the other follows. The balanced mechanism guarantees the accuracy, from the margin on: how many would have to vote otherwise to change the true answer."),
    h("div", { class: "fields" },
      h("div", { class: "sliders" }, slider("Right at least", shown.accuracy, accuracy), slider(named, shown.value, value)),
      words,
      h("label", { class: "field" }, h("span", {}, "Margin of the result, in votes"), margin),
      h("label", { class: "field" }, h("span", {}, "What to look for"), change),
      now, h("div", {}, apply)));

  // Called whenever the poll changes: the accuracy that is wanted stays, unless an epsilon was moved last.
  return { card, refresh() {
    accuracy.min = Math.floor(100 / (poll.query === "plurality" ? poll.options : 2)) + 1;
    compute();
  } };
}
