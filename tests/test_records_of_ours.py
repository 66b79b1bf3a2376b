"""`Record`: what a class below it promises."""

from __future__ import annotations

import copy
import pickle
from typing import Any, ClassVar

import pytest
from bpp.functions.record import Record, field


class Point(Record):
    """Two coordinates."""

    kind: ClassVar[str] = "point"

    x: int
    y: int = 2
    tags: list[str] = field(factory=list)
    seen: int = field(default=0, eq=False, repr=False)


class Named(Point):
    """A point with a name."""

    name: str = "a"


class Own(Record, eq=False):
    """A record that equals only itself."""

    x: int


def test_fields_are_arguments_by_place_and_by_name() -> None:
    assert (Point(1).x, Point(1).y, Point(1).tags) == (1, 2, [])
    assert (Point(1, 5).y, Point(y=6, x=1).y) == (5, 6)
    assert Named(1, name="b").name == "b"
    assert Point.__match_args__ == ("x", "y", "tags", "seen")
    assert Named.__match_args__ == ("x", "y", "tags", "seen", "name")


def test_a_factory_makes_one_for_each() -> None:
    assert Point(1).tags is not Point(1).tags


@pytest.mark.parametrize(
    ("values", "named", "message"),
    [
        ((), {}, "Point needs `x`"),
        ((1, 2, [], 0, 5), {}, "Point takes 4 arguments, not 5"),
        ((1,), {"z": 1}, "Point has no field `z`"),
        ((1,), {"x": 1}, "Point got two values for `x`"),
    ],
)
def test_arguments_that_do_not_fit(
    values: tuple[Any, ...], named: dict[str, Any], message: str
) -> None:
    with pytest.raises(TypeError, match=message):
        Point(*values, **named)


def test_a_record_cannot_be_changed() -> None:
    point = Point(1)
    with pytest.raises(AttributeError):
        point.x = 2  # type: ignore[misc]
    with pytest.raises(AttributeError):
        del point.x
    assert point.evolve(x=3) == Point(3)
    assert point.evolve(x=3) is not point
    assert point.x == 1
    with pytest.raises(TypeError, match="Point has no field `z`"):
        point.evolve(z=1)


def test_equality_looks_at_class_and_compared_fields() -> None:
    assert Point(1, seen=1) == Point(1, seen=2)
    assert Point(1) != Point(2)
    assert Point(1) != Named(1)
    assert Point(1) != (1, 2, [], 0)
    assert Own(1) != Own(1)
    assert len({Own(1), Own(1)}) == 2
    assert hash(Point(1, tags=())) == hash(Point(1, tags=(), seen=4))  # type: ignore[arg-type]


def test_a_record_shows_its_fields() -> None:
    assert repr(Point(1, seen=5)) == "Point(x=1, y=2, tags=[])"


def test_a_record_can_be_copied_and_pickled() -> None:
    point = Point(1, 3, ["t"])
    assert copy.deepcopy(point) == point
    assert pickle.loads(pickle.dumps(point)) == point


def test_a_record_matches_by_place() -> None:
    match Point(1, 5):
        case Point(1, y):
            assert y == 5
        case _:
            pytest.fail("no match")
