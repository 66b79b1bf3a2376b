"""Random inputs against laws that hold for every input; `python -m tests.fuzz --help`.

A target (`targets.py`) makes inputs and holds one of them against its laws. Inputs come from
`mutation.py` (changed seeds), `soup.py` (tokens in any order) and from generators that know the
form: `expressions.py`, `documents.py`, `layouts.py`. Every input is told by the target's name, a
seed and a number, so a run can be repeated; one that breaks a law is saved in `corpus/<target>/`,
which `tests/test_fuzz.py` tries again for ever.
"""
