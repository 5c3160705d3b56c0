// What if: move alpha or an epsilon and see the mechanism follow, with the exact check. Nothing is stored.
import { live, post } from "./api.js";
import { announce, h, notice, number, printable, settled, short, shortened } from "./dom.js";
import { sentence } from "./overview.js";

const LEVELS = 8;

export function whatIf(graph, facts, drawing, follow) {
  const state = { epsilon: new Map(), edges: new Map(), alpha: {}, balanced: false };
  const result = h("div", { "aria-live": "polite" });
  const own = h("div", { class: "sliders" });
  const element = h("section", { class: "card", "aria-label": "What if" });
  const movable = drawing.whole && live;

  const current = () => ({ epsilon: [...state.epsilon], edges: [...state.edges.values()], alpha: state.alpha, balanced: state.balanced });
  const changed = () => state.epsilon.size || state.edges.size || Object.keys(state.alpha).length || state.balanced;

  const compute = settled(120, async () => {
    reset.disabled = !changed();
    if (!changed()) {
      result.replaceChildren();
      follow(null);
      return;
    }
    try {
      const found = await post("what-if", { graph, changes: current() });
      result.replaceChildren(...outcome(found));
      follow(found);
    } catch (problem) {
      result.replaceChildren(notice("wrong", sentence(problem.message), sentence(problem.hint)));
    }
  });

  const reset = h("button", { type: "button", disabled: true, onclick: () => {
    state.epsilon.clear();
    state.edges.clear();
    state.alpha = {};
    state.balanced = false;
    build();
    compute();
    announce("Everything is reset to the stored values.");
  } }, "Reset");

  function build() {
    const few = facts.levels.length <= LEVELS;
    const levels = few ? facts.levels.map((level) => slider(`epsilon ${short(level.epsilon)}`, `${number(level.edges)} edges`, level.epsilon, 0, Math.max(2 * level.epsilon, 1), (value) => {
      if (value === level.epsilon) state.epsilon.delete(level.epsilon);
      else state.epsilon.set(level.epsilon, value);
      compute();
    })) : [h("p", { class: "hint" }, `The edges have ${facts.levels.length} or more different epsilons; up to ${LEVELS} can be moved here.`)];
    const even = h("label", { class: "check" }, h("input", { type: "checkbox", onchange: (event) => {
      state.balanced = event.target.checked;
      compute();
    } }), h("span", {}, "Recompute alpha: balanced, so that no answer is favoured at the boundary"));
    own.replaceChildren();
    delete own.dataset.key;
    element.replaceChildren(h("h2", {}, "What if"), ...(movable
      ? [h("p", {}, "Move a value: the mechanism follows, and every edge is checked exactly. Nothing is stored."), h("div", { class: "sliders" }, levels, even, own, h("p", {}, reset)), result]
      : [h("p", {}, drawing.whole ? "Moving alpha or an epsilon needs the server: run 'neodp explore' on the store." : `This graph is too large to move values here; use: neodp what-if ${facts.quoted}`)]));
  }

  // Alpha of the dataset that is chosen, and the epsilon of each of its edges.
  function choose(found) {
    if (!movable) return;
    if (own.dataset.key === found.key && own.contains(document.activeElement)) return;
    own.dataset.key = found.key;
    own.replaceChildren(given(found), ...edges(found));
  }

  function given(found) {
    if (found.alpha === null) return h("p", { class: "hint" }, "Choose a dataset with a given alpha to move it.");
    const two = facts.colors.length === 2, answer = two ? facts.colors[0].name : found.color;
    const value = found.alpha[facts.colors.findIndex((color) => color.name === answer)];
    const where = two ? "" : ", and wherever the answers stand in this order";
    return slider(`alpha at ${shortened(found.key, 24)}`, `chance of “${shortened(answer, 20)}”${where}`, value, 0, 1, (now) => {
      state.alpha[found.key] = now;
      compute();
    });
  }

  function edges(found) {
    if (!found.neighbors.length) return [];
    const place = h("div", {});
    const pick = h("select", { onchange: () => show(Number(pick.value)) }, found.neighbors.slice(0, 200).map((each, i) => h("option", { value: i }, shortened(each.key, 40))));
    function show(i) {
      const { key, epsilon } = found.neighbors[i], name = [found.key, key].sort().join("\n");
      place.replaceChildren(slider(`epsilon of this edge`, `${shortened(found.key, 20)} – ${shortened(key, 20)}`, epsilon, 0, Math.max(2 * epsilon, 1), (now) => {
        state.edges.set(name, [found.key, key, now]);
        compute();
      }));
    }
    show(0);
    return [h("label", { class: "field" }, h("span", {}, "One edge alone, to"), pick), place];
  }

  build();
  return { element, choose, current };
}

function slider(name, meaning, value, low, high, moved) {
  const shown = h("span", {}, short(value));
  const input = h("input", { type: "range", min: low, max: high, step: (high - low) / 200, value, "aria-label": printable(`${name}, ${meaning}`) });
  const began = value;
  input.addEventListener("input", () => {
    const near = Math.abs(input.valueAsNumber - began) <= (high - low) / 250;
    const now = near ? began : Number(input.valueAsNumber.toPrecision(4));
    shown.textContent = short(now);
    input.setAttribute("aria-valuetext", short(now));
    moved(now);
  });
  return h("label", {}, h("span", { class: "row" }, h("span", {}, printable(name), " ", h("span", { class: "was" }, printable(meaning))), shown), input);
}

function outcome(found) {
  if (found.problem) return [notice("wrong", sentence(found.problem.message), sentence(found.problem.hint)),
    found.witness?.length ? h("p", { class: "hint" }, "The drawing shows the path between the two datasets.") : ""];
  const { audit, before, after, moved } = found;
  const line = (name, one, two) => h("tr", {}, h("th", { scope: "row" }, name), h("td", { class: "number" }, one ?? "–"), h("td", { class: "number" }, two));
  return [
    found.caution ? notice("careful", sentence(found.caution)) : "",
    h("table", {}, h("caption", { class: "hidden" }, "Accuracy before and after"),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "accuracy"), h("th", { scope: "col", class: "number" }, "as it is"), h("th", { scope: "col", class: "number" }, "changed"))),
      h("tbody", {}, line("least", before?.least.text, after.least.text), line("mean", before?.mean.text, after.mean.text))),
    audit.violations === 0
      ? notice("good", `Private: all ${number(audit.checks)} inequalities on ${number(audit.edges)} edges hold, checked ${audit.exact ? "exactly" : "numerically"}.`)
      : notice("wrong", `Not private: ${number(audit.violations)} of ${number(audit.checks)} inequalities are broken.`),
    moved === null ? "" : h("p", { class: "hint" }, `${number(moved)} datasets have another accuracy than before.`),
  ];
}
