"""What is known about a diagnostic code."""

from __future__ import annotations

from ...functions.record import Record


class Code(Record):
    """One diagnostic code and its page.

    `title` is a few words, `text` says what is wrong and why that is a rule, `remedy` how to put it
    right. `example` is a small text that gives the diagnostic: a substitution when it begins with
    one, else sections of a blueprint; empty where a text alone cannot show it. The delimiters of a
    substitution are written « and »: which ones they are is a matter of the dialect.
    """

    name: str
    title: str
    text: str
    remedy: str
    topic: str
    example: str = ""

    def spoken(self, opener: str, closer: str) -> Code:
        """The record with the delimiters of a dialect in its texts."""

        def put(text: str) -> str:
            return text.replace("«", opener).replace("»", closer)

        return self.evolve(text=put(self.text), remedy=put(self.remedy), example=put(self.example))
