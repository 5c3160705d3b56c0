"""Reports of releases: a self-contained page, and the certificate that anybody can check."""

from neodp.report.content import Report, report

__all__ = ["Report", "report"]
