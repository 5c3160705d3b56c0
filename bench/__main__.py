"""``python -m bench [NAME …] [--quick]``: run the named benchmarks, or all."""

from __future__ import annotations

import argparse
import importlib

from bench import BENCHMARKS
from bench.report import machine


def main() -> None:
    """Run the benchmarks named on the command line, or all of them."""
    parser = argparse.ArgumentParser(prog="python -m bench", description="Side-by-side benchmarks of neodp.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which ones; all by default: {', '.join(BENCHMARKS)}")
    parser.add_argument("--quick", action="store_true", help="smaller graphs, under a minute in all")
    parser.add_argument(
        "--largest", type=int, metavar="EDGES", help="how many edges the largest graph of growth and blocks has"
    )
    parser.add_argument(
        "--sweep",
        type=part,
        metavar="PART/PARTS",
        help="only for poll: one part of a long comparison with the optimum, as in 1/12",
    )
    options = parser.parse_args()
    unknown = [name for name in options.names if name not in BENCHMARKS]
    if unknown:
        parser.error(f"there is no benchmark {unknown[0]!r}; there is {', '.join(BENCHMARKS)}")
    if options.sweep and options.names != ["poll"]:
        parser.error("--sweep is for poll: python -m bench poll --sweep 1/12")
    print(machine(), flush=True)
    failed = {}
    for name in options.names or BENCHMARKS:
        print(f"\n# {name}\n", flush=True)
        chosen = {"largest": options.largest} if name in ("growth", "blocks") and options.largest else {}
        chosen |= {"sweep": options.sweep} if options.sweep else {}
        try:
            importlib.import_module(f"bench.{name}").run(options.quick, **chosen)
        except (Exception, SystemExit) as e:  # a jar or a server that one of them needs may be missing: the others run
            failed[name] = str(e) or type(e).__name__
            print(f"{name} did not run: {failed[name]}", flush=True)
    if failed:
        raise SystemExit(f"did not run: {', '.join(failed)}")


def part(text: str) -> tuple[int, int]:
    """Read a part and the number of parts, as in 1/12; raise ValueError if there is no such part."""
    number, parts = map(int, text.split("/"))
    if not 1 <= number <= parts:
        raise ValueError(text)
    return number, parts


if __name__ == "__main__":
    main()
