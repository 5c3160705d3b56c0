// Which view is shown: the address after # names a graph and a view, as in #/survey/graph, so that reloading keeps it.
import { ask, live } from "./api.js";
import { h, loading, notice, printable, shortened } from "./dom.js";
import { graphPage } from "./graph.js";
import { overviewPage, sentence } from "./overview.js";
import { pollPage } from "./poll.js";
import { opened, tablePage } from "./preview.js";
import { startPage } from "./start.js";
import { queriesPage, releasesPage } from "./tables.js";

// Title and page of each view; whether it is about a graph; whether it stays as it was left when another view is shown.
const VIEWS = {
  start: { title: "Start", page: startPage },
  overview: { title: "Overview", page: overviewPage, graph: true },
  graph: { title: "Graph", page: graphPage, graph: true, stays: true },
  queries: { title: "Queries", page: queriesPage, graph: true, stays: true },
  polls: { title: "Polls", page: pollPage, stays: true },
  table: { title: "Table", page: tablePage, stays: true },
  releases: { title: "Releases", page: releasesPage },
};
const main = document.getElementById("main");
const picker = document.getElementById("graphs");
const kept = new Map();
let turn = 0;

// A store without graphs begins with a page of its own, and has no views of graphs.
function offered(graphs) {
  return Object.keys(VIEWS).filter((name) => (graphs.length ? name !== "start" : !VIEWS[name].graph));
}

function wanted(graphs) {
  const [, graph, view] = location.hash.split("/").map(decoded);
  const views = offered(graphs);
  return {
    graph: graphs.some((each) => each.name === graph) ? graph : graphs[0]?.name ?? "",
    view: views.includes(view) ? view : views[0],
  };
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return "";
  }
}

function address(graph, view) {
  return `#/${encodeURIComponent(graph)}/${view}`;
}

async function show(graphs, moved) {
  const mine = ++turn;
  const { graph, view } = wanted(graphs);
  const { title, page, graph: needsGraph, stays } = VIEWS[view];
  if (location.hash !== address(graph, view)) history.replaceState(null, "", address(graph, view));
  picker.value = graph;
  document.getElementById("views").replaceChildren(...offered(graphs).map((name) =>
    h("a", { href: address(graph, name), "aria-current": name === view ? "page" : null }, VIEWS[name].title)));
  document.title = [title, ...(needsGraph ? [shortened(graph)] : []), "neodp explorer"].join(" – ");
  const place = needsGraph ? address(graph, view) : view;
  for (const other of kept.keys()) if (other.startsWith("#") && !other.startsWith(address(graph, ""))) kept.delete(other);
  let content = kept.get(place);
  if (content === undefined) {
    main.setAttribute("aria-busy", "true");
    main.replaceChildren(loading());
    try {
      content = await page(graph);
      if (stays) kept.set(place, content);
    } catch (problem) {
      content = [h("h1", {}, title), notice("wrong", sentence(problem.message), sentence(problem.hint ?? ""))];
    }
    if (mine !== turn) return;
  }
  main.replaceChildren(...content.flat(Infinity).filter(Boolean));
  main.removeAttribute("aria-busy");
  if (moved) {
    scrollTo(0, 0);
    main.focus({ preventScroll: true });
  }
}

// A table that is dropped anywhere is opened in its view.
function dropping() {
  let over = 0;
  const holds = (event) => live && [...event.dataTransfer?.types ?? []].includes("Files");
  const mark = (by) => {
    over = Math.max(0, over + by);
    document.body.classList.toggle("dropping", over > 0);
  };
  addEventListener("dragenter", (event) => { if (holds(event)) mark(1); });
  addEventListener("dragleave", (event) => { if (holds(event)) mark(-1); });
  addEventListener("dragover", (event) => { if (holds(event)) event.preventDefault(); });
  addEventListener("drop", (event) => {
    if (!holds(event)) return;
    event.preventDefault();
    mark(-over);
    opened(event.dataTransfer.files[0]);
    location.hash = address(picker.value, "table");
  });
}

async function start() {
  try {
    const { store, graphs } = await ask("graphs");
    picker.replaceChildren(...graphs.map((each) => h("option", { value: each.name }, shortened(each.name))));
    picker.closest("label").hidden = !graphs.length;
    picker.addEventListener("change", () => { location.hash = address(picker.value, wanted(graphs).view); });
    document.getElementById("foot").textContent = live
      ? `${printable(store)}. Read only: nothing can be changed here, and nothing leaves this machine.`
      : `${printable(store)}. A file of its own: it asks no server, and shows the store as it was when it was written.`;
    dropping();
    addEventListener("hashchange", () => show(graphs, true));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      kept.clear();
      show(graphs, false);
    });
    await show(graphs, false);
  } catch (problem) {
    main.replaceChildren(h("h1", {}, "The explorer cannot be shown"), notice("wrong", sentence(problem.message), sentence(problem.hint ?? "")));
    main.removeAttribute("aria-busy");
  }
}

start();
