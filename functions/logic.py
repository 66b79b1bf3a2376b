"""Booleans: and, or, not."""

from __future__ import annotations

from .examples import edge, given
from .registry import Function, Parameter
from .values import NONE


def logic_functions() -> tuple[Function, ...]:
    """The records. None makes `and` and `not` none; for `or` it counts as false."""
    a = Parameter("a", ("boolean",), "the boolean on the left")
    b = Parameter("b", ("boolean",), "the boolean on the right")
    return (
        Function(
            name="and",
            summary="whether both of two booleans are true",
            parameters=(a, b),
            result="boolean",
            call=lambda a, b: a and b,
            topic="logic",
            form="and",
            examples=(
                given(
                    'and(resources.orderApi.spec.isProd, eq(variables.environment, "prod"))',
                    True,
                    resources={"orderApi": {"spec": {"isProd": True}}},
                    variables={"environment": "prod"},
                ),
                given(
                    'and(none, eq(variables.region, "us-west-2"))',
                    NONE,
                    variables={"region": "us-west-2"},
                ),
                edge("and(true, false)", False),
                edge("and(false, true)", False),
                edge("and(false, false)", False),
                edge("and(true, true)", True),
                edge("and(true, none)", NONE),
                edge("and(false, none)", NONE),
                edge("and(none, none)", NONE),
                edge("and(true, 1)", error="invalid_argument_type"),
                edge("and(true)", error="invalid_argument_count"),
                edge("and(true, true, true)", error="invalid_argument_count"),
            ),
        ),
        Function(
            name="or",
            summary="whether one of two booleans is true; none counts as false",
            parameters=(a, b),
            result="boolean",
            call=lambda a, b: a is True or b is True,
            topic="logic",
            form="or",
            propagates_none=False,
            examples=(
                given(
                    'or(resources.orderApi.spec.isDev, eq(variables.environment, "dev"))',
                    True,
                    resources={"orderApi": {"spec": {"isDev": False}}},
                    variables={"environment": "dev"},
                ),
                given("or(none, true)", True),
                edge("or(true, false)", True),
                edge("or(false, false)", False),
                edge("or(true, none)", True),
                edge("or(none, false)", False),
                edge("or(none, none)", False),
                edge('or(false, "true")', error="invalid_argument_type"),
            ),
        ),
        Function(
            name="not",
            summary="the other boolean",
            parameters=(Parameter("value", ("boolean",), "the boolean to negate"),),
            result="boolean",
            call=lambda value: not value,
            topic="logic",
            examples=(
                given(
                    'not(eq(variables.environment, "prod"))',
                    False,
                    variables={"environment": "prod"},
                ),
                given("not(false)", True),
                edge("not(none)", NONE),
                edge("not(0)", error="invalid_argument_type"),
            ),
        ),
    )
