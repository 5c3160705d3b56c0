"""``python -m tests.trust``: see the package."""

import sys

from tests.trust.page import main

if __name__ == "__main__":
    sys.exit(main())
