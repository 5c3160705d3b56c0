"""Starting is fast: what computes is imported when something is computed."""

import subprocess
import sys


def test_importing_neodp_imports_neither_numba_nor_scipy() -> None:
    code = "import sys, neodp; print(*sorted({'numba', 'scipy', 'pyarrow', 'networkx'} & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == []
