"""The records behind diagnostic codes; only what explains them imports this package."""

from .catalogue import CODES, TOPICS, find, page
from .record import Code

__all__ = ["CODES", "TOPICS", "Code", "find", "page"]
