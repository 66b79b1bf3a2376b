"""What is known about a diagnostic code."""

from __future__ import annotations

import attrs


@attrs.frozen(kw_only=True)
class Code:
    """One diagnostic code and its page.

    `title` is a few words, `text` says what is wrong and why that is a rule, `remedy` how to put it
    right. `example` is a small text that gives the diagnostic: an expression when it begins with
    `${`, else sections of a blueprint; empty where a text alone cannot show it.
    """

    name: str
    title: str
    text: str
    remedy: str
    topic: str
    example: str = ""
