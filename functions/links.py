"""Links between resources, which exist only once they are deployed."""

from __future__ import annotations

from typing import Any, NoReturn

from .examples import edge, given
from .registry import Function, Parameter
from .values import FunctionError


def link_state(a: Any, b: Any) -> NoReturn:
    """Nothing: the evaluator answers from the state it was given, or leaves the call as it is.

    Raises:
        FunctionError: `unresolved_value`, always.
    """
    raise FunctionError(
        "the state of a link is known only after deployment", code="unresolved_value"
    )


def link_functions() -> tuple[Function, ...]:
    """The records."""
    kinds = ("string", "resource")
    resources: dict[str, Any] = {
        "orderApi": {},
        "createOrderFunction": {},
        "listOrdersFunction": {},
    }
    return (
        Function(
            name="link",
            summary="the state of the link between two resources, known only after deployment",
            parameters=(
                Parameter("a", kinds, "a resource, or its name"),
                Parameter("b", kinds, "the other resource, or its name"),
            ),
            result="object",
            call=link_state,
            topic="resources",
            form="link",
            examples=(
                given(
                    "link(resources.orderApi, resources.createOrderFunction)", resources=resources
                ),
                given("link(orderApi, listOrdersFunction)", resources=resources),
                given('link("orderApi", "createOrderFunction")', resources=resources),
                edge('link("orderApi")', error="invalid_argument_count"),
            ),
        ),
    )
