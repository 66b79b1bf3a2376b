"""Texts that are not told are found in others, however many and however they are written."""

from __future__ import annotations

import base64
import random
import sys
from urllib.parse import quote, quote_plus

import pytest
from bpp.pipeline.values import concealing
from bpp.pipeline.values.concealing import SHORTEST, Concealed
from bpp.pipeline.values.quoting import Quoting


def test_the_longest_is_found_wherever_one_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(400):
        rng = random.Random(seed)
        monkeypatch.setattr(concealing, "_COMPARED", rng.choice((1, 2, 7, 64)))
        texts = ["".join(rng.choices("ab", k=rng.randrange(14))) for _ in range(rng.randrange(30))]
        text = "".join(rng.choices("ab", k=60))
        marks = Concealed((one, f"<{len(one)}>") for one in texts)
        assert marks.without(text) == searched(texts, text), seed


def searched(texts: list[str], text: str) -> str:
    """A text with the longest of some others replaced by its length, by trying each everywhere."""
    known = sorted((one for one in texts if len(one) >= SHORTEST), key=len, reverse=True)
    made, at = "", 0
    while at < len(text):
        found = next((one for one in known if text.startswith(one, at)), None)
        made += text[at] if found is None else f"<{len(found)}>"
        at += 1 if found is None else len(found)
    return made


CODED = {
    "base64": base64.b64encode,
    "base64 for addresses": base64.urlsafe_b64encode,
    "base64 without its end": lambda data: base64.b64encode(data).rstrip(b"="),
    "hexadecimal": lambda data: data.hex().encode(),
    "hexadecimal in capitals": lambda data: data.hex().upper().encode(),
    "an address": lambda data: quote(data).encode(),
    "a form": lambda data: quote_plus(data).encode(),
    "an address, all of it": lambda data: b"".join(b"%%%02x" % byte for byte in data),
}


@pytest.mark.parametrize("coding", CODED)
def test_what_is_coded_is_found_wherever_it_begins(coding: str) -> None:
    secret = "hünter2/secret???>>>~ of ours"
    texts = Concealed([(secret, "#")], loose=True)
    for before in ("", "u", "us", "use", "user:", "Basic dXNl/", "x="):
        for inside in ("", "u", "us", "me:"):
            word = CODED[coding]((inside + secret + inside).encode()).decode()
            told = texts.without(f"not valid: {before}{word}, that is")
            assert "#" in told
            assert word not in told


@pytest.mark.parametrize(
    ("secret", "text"),
    [
        ("Hunter2Secret", "İ: HUNTER2secret"),
        ("straİnge", "İ: STRAİNGE"),
        ("ΟΔΥΣΣΕΥΣ", "İ: οδυσσευς"),
        ("Hunter2Secret", "İ: " + base64.b64encode(b"hunter2secret!!").decode()),
    ],
)
def test_letters_of_any_size_hide_nothing(secret: str, text: str) -> None:
    assert Concealed([(secret, "#")], loose=True).without(text) == "İ: #"


def test_texts_that_begin_alike_are_not_tried_one_by_one() -> None:
    assert calls_for(1000) < 3 * calls_for(500)


def calls_for(count: int) -> int:
    """How many calls it takes to find none of some addresses in a text of as many other ones."""
    texts = Concealed((f"https://example.com/{i}x", "#") for i in range(count))
    text = " ".join(f"https://example.com/{i}y" for i in range(count))
    calls = 0

    def counted(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in {"call", "c_call"}

    sys.setprofile(counted)
    try:
        assert texts.without(text) == text
    finally:
        sys.setprofile(None)
    return calls


def test_what_is_taken_over_again_is_not_indexed_again() -> None:
    asked: list[str] = []

    def values() -> list[tuple[str, str]]:
        asked.append("once")
        return [("(x)", "Hunter2Secret")]

    one, other = Quoting(), Quoting()
    one.conceal(values)
    for _ in range(3):
        other.add(one)
        assert other.without_values("is hunter2secret") == "is (x)"
    assert asked == ["once"]


@pytest.mark.parametrize("text", ["got a string", "`bpp functions` lists all", "the import `x`"])
def test_values_that_are_words_of_ours_leave_our_sentences(text: str) -> None:
    quoting = Quoting()
    quoting.conceal(lambda: [("(x)", ["string", "Function", "import"]), ("(y)", "Hunter2Secret")])
    assert quoting.without_values(f"{text}: Hunter2Secret") == f"{text}: (y)"


def test_names_that_would_be_told_alike_stay_apart() -> None:
    texts = Concealed([("hunter2", "#")])
    data = {"a-hunter2": {"hunter2": 1, "#": 2}, "a-#": 3, "a-# 2": 4, "b": "hunter2"}
    assert texts.in_data(data) == {"a-#": {"#": 1, "# 2": 2}, "a-# 2": 3, "a-# 2 2": 4, "b": "#"}
