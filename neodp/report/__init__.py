"""Reports of releases: a page that stands alone, and the certificate that anybody can check."""

from neodp.report.content import Report, report

__all__ = ["Report", "report"]
