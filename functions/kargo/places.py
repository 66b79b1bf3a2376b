"""What users are told of each function: where it may be used, and since when."""

from __future__ import annotations

from typing import Any, Final

from ..expr.kinds import StructType

SINCE: Final = {
    "freightMetadata": "1.8",
    "stageMetadata": "1.8",
    "semverParse": "1.9",
    "sharedConfigMap": "1.9",
    "sharedSecret": "1.9",
    "artifactFrom": "1.9",
    "asYAML": "1.11",
    "asJSON": "1.11",
    "freightStatus": "1.12",
}
"""The version of Kargo that brought a function, if it is newer than 1.7."""

_STEPS: Final = "in variables, in `if` and `config` of steps"
_PLACES: Final = {
    "text": "in every template",
    **dict.fromkeys(
        ("versions", "resources", "freight"), f"{_STEPS}, in arguments of verification"
    ),
    "discovery": f"{_STEPS}, in arguments of verification, in criteria of Warehouses",
    "status": "in `if` and `config` of steps",
}


def about(name: str, place: str, gives: StructType | None = None) -> dict[str, Any]:
    """The topic and the notes of a function, whose result may be a struct."""
    notes = [f"Usable {_PLACES[place]}"]
    if name in SINCE:
        notes.append(f"Since Kargo {SINCE[name]}")
    if gives is not None and gives.fields:
        notes.append(f"The result has {', '.join(f'`{one}`' for one in gives.fields)}")
    if gives is not None and gives.methods:
        notes.append(f"The result has {', '.join(f'`{one}()`' for one in gives.methods)}")
    return {"topic": "freight" if place == "discovery" else place, "notes": tuple(notes)}
