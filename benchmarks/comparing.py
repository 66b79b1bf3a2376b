"""Outputs of programs as data, and the first path at which two of them differ."""

from __future__ import annotations

import json
from typing import Any

from .measuring import Differs


def must_hold(output: bytes, wanted: dict[str, Any]) -> None:
    """Looks at an output, JSON or YAML, of which the resources count.

    Raises:
        Differs: with the first differing path.
    """
    difference = first_difference(read(output).get("resources"), wanted, "resources")
    if difference is not None:
        raise Differs(difference)


def must_be(output: bytes, wanted: list[Any]) -> None:
    """Looks at an output of several YAML documents.

    Raises:
        Differs: with the first differing path.
    """
    from ruamel.yaml import YAML

    try:
        found = list(YAML(typ="safe").load_all(output))
    except Exception as error:
        raise Differs(f"the output cannot be read: {type(error).__name__}") from None
    difference = first_difference(found, wanted, "documents")
    if difference is not None:
        raise Differs(difference)


def read(output: bytes) -> dict[str, Any]:
    """An output as plain data.

    Raises:
        Differs: when it is none.
    """
    try:
        if output.lstrip().startswith(b"{"):
            data = json.loads(output)
        else:
            from ruamel.yaml import YAML

            data = YAML(typ="safe").load(output)
    except Exception as error:
        raise Differs(f"the output cannot be read: {type(error).__name__}") from None
    if not isinstance(data, dict):
        raise Differs("the output is no mapping")
    return data


def first_difference(mine: Any, wanted: Any, path: str) -> str | None:
    """A sentence that begins with the first path at which data differ; None when they are equal.

    Types count: `1` is neither `1.0` nor `true`. The order of keys does not.
    """
    if type(mine) is not type(wanted):
        return f"{path}: {_short(mine)} instead of {_short(wanted)}"
    if isinstance(wanted, dict):
        for key in wanted:
            if key not in mine:
                return f"{path}.{key}: missing"
            found = first_difference(mine[key], wanted[key], f"{path}.{key}")
            if found is not None:
                return found
        extra = next((key for key in mine if key not in wanted), None)
        return None if extra is None else f"{path}.{extra}: too much"
    if isinstance(wanted, list):
        for index, (one, other) in enumerate(zip(mine, wanted, strict=False)):
            found = first_difference(one, other, f"{path}[{index}]")
            if found is not None:
                return found
        same = len(mine) == len(wanted)
        return None if same else f"{path}: {len(mine)} elements instead of {len(wanted)}"
    return None if mine == wanted else f"{path}: {_short(mine)} instead of {_short(wanted)}"


def _short(value: Any) -> str:
    text = json.dumps(value, default=str)
    return text if len(text) <= 60 else f"{text[:57]}..."
