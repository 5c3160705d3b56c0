"""``python -m neodp``: the command line."""

import sys

from neodp.cli import main

sys.exit(main())
