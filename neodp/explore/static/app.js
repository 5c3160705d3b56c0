// Which view is shown: the address after # names a graph and a view, as in #/survey/graph.
import { ask, live } from "./api.js";
import { h, notice, printable, shortened } from "./dom.js";
import { graphPage } from "./graph.js";
import { overviewPage, sentence } from "./overview.js";
import { pollPage } from "./poll.js";
import { queriesPage, releasesPage } from "./tables.js";

const VIEWS = {
  overview: ["Overview", overviewPage, true],
  graph: ["Graph", graphPage, true],
  queries: ["Queries", queriesPage, true],
  polls: ["Polls", pollPage, false],
  releases: ["Releases", releasesPage, false],
};
const main = document.getElementById("main");
const picker = document.getElementById("graphs");
let turn = 0;

function wanted(graphs) {
  const [, graph, view] = location.hash.split("/").map(decodeURIComponent);
  return {
    graph: graphs.some((each) => each.name === graph) ? graph : graphs[0]?.name ?? "",
    view: Object.hasOwn(VIEWS, view) ? view : "overview",
  };
}

function address(graph, view) {
  return `#/${encodeURIComponent(graph)}/${view}`;
}

async function show(graphs, moved) {
  const mine = ++turn;
  const { graph, view } = wanted(graphs);
  picker.value = graph;
  document.getElementById("views").replaceChildren(...Object.entries(VIEWS).map(([name, [title]]) =>
    h("a", { href: address(graph, name), "aria-current": name === view ? "page" : null }, title)));
  document.title = `${VIEWS[view][0]} – ${shortened(graph)} – neodp explorer`;
  main.setAttribute("aria-busy", "true");
  let content;
  try {
    const [, page, needsGraph] = VIEWS[view];
    content = needsGraph && !graph ? [empty()] : await page(graph);
  } catch (problem) {
    content = [notice("wrong", sentence(problem.message), sentence(problem.hint ?? ""))];
  }
  if (mine !== turn) return;
  main.replaceChildren(...content.flat(Infinity).filter(Boolean));
  main.removeAttribute("aria-busy");
  if (moved) main.focus();
}

function empty() {
  return h("section", { class: "card" }, h("h1", {}, "No graph yet"), h("p", {}, "The store has no graphs. Make one with ", h("code", {}, "neodp generate three-voters votes --balanced"), " and reload this page."));
}

async function start() {
  try {
    const { store, graphs } = await ask("graphs");
    picker.replaceChildren(...graphs.map((each) => h("option", { value: each.name }, shortened(each.name))));
    picker.addEventListener("change", () => { location.hash = address(picker.value, wanted(graphs).view); });
    document.getElementById("foot").textContent = live
      ? `${printable(store)}. Read only: nothing can be changed here, and nothing leaves this machine.`
      : `${printable(store)}. A file of its own: it asks no server, and shows the store as it was when it was written.`;
    addEventListener("hashchange", () => show(graphs, true));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => show(graphs, false));
    await show(graphs, false);
  } catch (problem) {
    main.replaceChildren(notice("wrong", sentence(problem.message), sentence(problem.hint ?? "")));
  }
}

start();
