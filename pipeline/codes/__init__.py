"""The pages that explain diagnostic codes; only `bpp explain` and tools import this package."""

from .catalogue import CODES, TOPICS, Code, find, page

__all__ = ["CODES", "TOPICS", "Code", "find", "page"]
