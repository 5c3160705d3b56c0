"""``python -m neodp``: the three voters of paper 000, Fig. 1, end to end."""

from __future__ import annotations

import neodp
from neodp import generate


def main() -> None:
    graph = generate.three_voters()
    graph = graph.with_alpha(neodp.balanced(graph))
    mechanism = neodp.extend(graph)
    print("Three voters, each 1 or 2; the question: what does the majority say?")
    print("Changing one vote may shift the odds of an answer by e^1; where voter 1 decides, by e^0.5 only.\n")
    print("votes  truth  Pr[blue]  Pr[red]")
    for vertex, key in enumerate(graph.keys.to_pylist()):
        p, q = mechanism.probabilities[vertex]
        print(f"{key:5}  {graph.colors[graph.color[vertex]]:5}  {p:.6f}  {q:.6f}")
    print(f"\naudit: {neodp.audit(graph, mechanism)}")
    print(f"one private answer for 121: {neodp.draw(mechanism, '121')}")


if __name__ == "__main__":
    main()
