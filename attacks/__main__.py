"""``python -m attacks``: see the package."""

import sys

from attacks.page import main

if __name__ == "__main__":
    sys.exit(main())
