"""The pages that explain diagnostic codes; loaded for `bpp explain`, SARIF and tools only."""

from .catalogue import CODES, TOPICS, Code, find, page

__all__ = ["CODES", "TOPICS", "Code", "find", "page"]
