"""Audits of the running program: the distribution of its answers, the time it takes, and what would be noticed.

``python -m attacks.audits draws`` draws many answers and tests every inequality of every edge with stated error
probabilities, ``python -m attacks.audits exact`` counts random numbers instead of drawing them, and
``python -m attacks.audits timing`` looks for datasets in the clock. docs/audits.md has what they print. A bounded part
of each runs with the tests.
"""

__all__: list[str] = []
