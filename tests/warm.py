"""Imported once by the process that all children are copies of, so that none has to load compiled code itself."""

import neodp
from neodp.core.ball import evaluate

_g = neodp.generate.path(4)
evaluate(_g.with_alpha(neodp.balanced(_g)), ["0"])
