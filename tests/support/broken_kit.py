"""Extensions with mistakes: transforms, providers, functions and resolvers that fail somehow."""

from __future__ import annotations

from typing import Any

from bpp.functions import FunctionError, function
from bpp.pipeline import ChildRequest, DataSourceProvider, Document, ResolverError, VariableType
from bpp.pipeline.values.tree import Map
from bpp.transforms import Transform, TransformContext


def _raises(*_: Any) -> Any:
    raise LookupError("whatever it says is not repeated")


def _refuses(document: Document, context: TransformContext) -> Document:
    section = document.section("resources")
    assert section is not None
    for _, node in section.items.items():
        spec = node.get("spec") if isinstance(node, Map) else None
        assert isinstance(spec, Map)
        context.error(spec.items["a"], "this is refused")
    return document


def _spoils(document: Document, context: TransformContext) -> Document:
    section = document.section("resources")
    assert section is not None
    items = {
        name: node.replacing({k: v for k, v in node.items.items() if k != "spec"}, context.name)
        for name, node in section.items.items()
        if isinstance(node, Map)
    }
    return document.replacing({"resources": section.replacing(items, context.name)}, context.name)


@function
def breaks(text: str) -> str:
    """Fails with words of its own."""
    raise FunctionError(f"it does not like {len(text)} characters")


@function
def odd(text: str) -> str:
    """Answers with something else than it promises."""
    return len(text)  # type: ignore[return-value]


def _says_no(request: ChildRequest) -> bytes:
    raise ResolverError(f"there is nothing called {request.path}")


TRANSFORMS = (
    Transform("raises", _raises),
    Transform("refuses", _refuses),
    Transform("spoils", _spoils),
)
PROVIDERS = (
    DataSourceProvider(("broken/raises",), _raises),
    DataSourceProvider(("broken/odd",), lambda query: 5),  # type: ignore[arg-type,return-value]
    VariableType("example/region", ("earth", "moon")),
    VariableType("broken/options", {"x": 1, "y": "two"}),
)
FUNCTIONS = (breaks, odd)
RESOLVERS: dict[str, Any] = {
    "raises": _raises,
    "refuses": _says_no,
    "text": lambda request: "just text",
}
