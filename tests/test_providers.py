"""Providers: answers to data sources and options of variable types, registered and installed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from bpp.pipeline import (
    DataSourceProvider,
    Limits,
    MemoryFiles,
    ProviderError,
    Providers,
    Query,
    Run,
    Settings,
    Source,
    VariableInputs,
    VariableType,
    check,
    render,
)
from bpp.pipeline.world.plugins import Plugin, PluginProblem, find_plugin, plugin_names

NET = """\
version: 2025-11-02
variables:
  stage: {type: string}
datasources:
  net:
    type: acme/net
    metadata: {displayName: "Net ${variables.stage}", annotations: {acme.region: eu}}
    filter: {field: tags.stage, operator: "=", search: "${variables.stage}"}
    exports: {id: {type: string}, size: {type: integer, aliasFor: tags.size}}
resources:
  app:
    type: acme/app
    spec: {net: "${datasources.net.id}", size: "${datasources.net.size}"}
"""

RECORDS = [
    {"id": "n-1", "tags": {"stage": "test", "size": 1}},
    {"id": "n-2", "tags": {"stage": "prod", "size": 2}},
    {"id": "n-3", "tags": {"stage": "prod", "size": 3}},
]

REGION = """\
version: 2025-11-02
variables:
  region: {type: acme/region}
resources:
  app: {type: acme/app, spec: {region: "${variables.region}"}}
"""


def run(text: str, *providers: Any, **arguments: Any) -> Run:
    """A render of a text with providers and no installed ones."""
    return render(
        Source("app.yaml", text, "yaml"),
        files=MemoryFiles({}),
        providers=Providers(providers, entry_points=False),
        **arguments,
    )


def net(answer: Any) -> DataSourceProvider:
    """A provider of `acme/net` that always answers the same."""
    return DataSourceProvider(("acme/net",), lambda query: answer)


def spec(outcome: Run) -> dict[str, Any]:
    """The specification of the resource `app` in a result."""
    assert outcome.document is not None, [item.summary for item in outcome.diagnostics]
    node: Any = outcome.document.root
    for key in ("resources", "app", "spec"):
        node = node.get(key)
    return {
        key: getattr(item, "value", None) or outcome.language.syntax.opener
        for key, item in node.items.items()
    }


def codes(outcome: Any) -> list[str]:
    """The codes of what was said."""
    return [item.code for item in getattr(outcome, "diagnostics", outcome)]


# --- data sources -------------------------------------------------------------------------------


def test_records_of_a_provider_are_filtered() -> None:
    outcome = run(NET, net(RECORDS), variables={"stage": "prod"})
    assert spec(outcome) == {"net": "n-2", "size": 2}
    assert outcome.document is not None
    assert outcome.document.section("datasources") is None


def test_one_record_is_the_answer() -> None:
    outcome = run(NET, net({"id": "n-9", "tags": {"size": 9}}), variables={"stage": "prod"})
    assert spec(outcome) == {"net": "n-9", "size": 9}


def test_nothing_leaves_the_data_source_in_place() -> None:
    outcome = run(NET, net(None), variables={"stage": "prod"})
    assert "search: prod" in outcome.text()
    assert "net: ${datasources.net.id}" in outcome.text()


def test_a_provider_is_asked_once_and_told_everything() -> None:
    asked: list[Query] = []

    def answer(query: Query) -> Sequence[Any]:
        asked.append(query)
        return RECORDS

    run(NET, DataSourceProvider(("acme/net",), answer), variables={"stage": "prod"})
    (query,) = asked
    assert (query.type, query.name) == ("acme/net", "net")
    (wanted,) = query.filters
    assert (wanted.field, wanted.operator, wanted.search) == ("tags.stage", "=", "prod")
    assert query.metadata == {"displayName": "Net prod", "annotations": {"acme.region": "eu"}}


def never(query: Query) -> Any:
    raise AssertionError("nobody should ask")


def test_given_records_and_state_come_first() -> None:
    provider = DataSourceProvider(("acme/net",), never)
    given = {"acme/net": [{"id": "given", "tags": {"stage": "prod", "size": 1}}]}
    outcome = run(NET, provider, variables={"stage": "prod"}, datasources=given)
    assert spec(outcome)["net"] == "given"
    state = {"datasources": {"net": {"id": "known", "size": 5}}}
    outcome = run(NET, provider, variables={"stage": "prod"}, state=state)
    assert spec(outcome)["net"] == "known"


def test_nobody_is_asked_with_an_unknown_filter() -> None:
    text = NET.replace('search: "${variables.stage}"', 'search: "${resources.other.state.id}"')
    text += "  other: {type: acme/other, spec: {a: 1}}\n"
    outcome = run(text, DataSourceProvider(("acme/net",), never), variables={"stage": "prod"})
    assert "${datasources.net.id}" in outcome.text()


def test_nobody_is_asked_with_a_secret() -> None:
    text = NET.replace("{type: string}", "{type: string, secret: true}", 1)
    outcome = run(text, DataSourceProvider(("acme/net",), never), variables={"stage": "prod"})
    assert "prod" not in outcome.text()


def test_a_provider_cannot_change_what_it_is_given() -> None:
    def answer(query: Query) -> Any:
        query.metadata["annotations"].clear()  # type: ignore[index]
        query.filters[0].search.clear()
        return None

    text = NET.replace('operator: "=", search: "${variables.stage}"', "operator: in, search: [a]")
    outcome = run(text, DataSourceProvider(("acme/net",), answer), variables={"stage": "prod"})
    assert "acme.region: eu" in outcome.text()
    assert "- a" in outcome.text()


def test_children_ask_the_same_providers() -> None:
    parent = """\
version: 2025-11-02
include:
  child: {path: child.yaml, variables: {stage: test}}
resources:
  app: {type: acme/app, spec: {net: "${children.child.id}"}}
"""
    child = NET + "exports:\n  id: {type: string, field: datasources.net.id}\n"
    outcome = render(
        Source("app.yaml", parent, "yaml"),
        files=MemoryFiles({"child.yaml": child}),
        providers=[net(RECORDS)],
    )
    assert spec(outcome) == {"net": "n-1"}


def _raises(error: BaseException) -> Callable[[Query], Any]:
    def answer(query: Query) -> Any:
        raise error

    return answer


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (_raises(ProviderError("the credentials have expired")), "the credentials have expired"),
        (_raises(ZeroDivisionError("hunter2")), "failed with ZeroDivisionError"),
        (_raises(SystemExit("hunter2")), "failed with SystemExit"),
        (None, "failed with TypeError"),
        (lambda query: "n-1", "answers with a `str`"),
        (lambda query: 5, "answers with a `int`"),
        (lambda query: ["n-1"], "a list that holds a `str`"),
        (lambda query: [{"id": object()}], "a value that the language does not have"),
        (lambda query: {"id": b"n-1"}, "a value that the language does not have"),
        (lambda query: {"id": float("nan")}, "a value that the language does not have"),
        (lambda query: {"id": ["\ud800"]}, "a value that the language does not have"),
        (lambda query: {1: "n-1"}, "a value that the language does not have"),
    ],
)
def test_what_a_provider_does_wrong_is_told(answer: Callable[[Query], Any], said: str) -> None:
    outcome = run(NET, DataSourceProvider(("acme/net",), answer), variables={"stage": "prod"})
    (found,) = outcome.diagnostics
    assert found.code == "provider_failed"
    assert found.summary.startswith("the provider of `acme/net` ")
    assert said in found.summary
    assert "hunter2" not in found.summary
    assert found.span is not None
    assert found.span.line == 6


def test_the_others_are_still_asked() -> None:
    more = NET.replace(
        "  net:\n",
        "  bad:\n    type: acme/bad\n    filter: {field: id, operator: "
        '"=", search: x}\n    exports: {id: {type: string}}\n  net:\n',
    )
    bad = DataSourceProvider(("acme/bad",), _raises(ProviderError("no")))
    outcome = run(more, bad, net([]), variables={"stage": "prod"})
    assert codes(outcome) == ["provider_failed", "datasource_no_match"]


def test_what_a_provider_answers_is_checked_as_records_are() -> None:
    assert codes(run(NET, net([]), variables={"stage": "prod"})) == ["datasource_no_match"]
    wrong = {"id": 1, "tags": {"size": 9}}
    assert "data_source_field_type_mismatch" in codes(
        run(NET, net(wrong), variables={"stage": "prod"})
    )
    assert "data_source_field_missing" in codes(
        run(NET, net({"id": "n-1"}), variables={"stage": "prod"})
    )


def test_answers_are_data() -> None:
    text = NET.replace("size: {type: integer, aliasFor: tags.size}", "all: {type: string}")
    text = text.replace(', size: "${datasources.net.size}"', ', all: "${datasources.net.all}"')
    outcome = run(text, net({"id": "${variables.stage}", "all": "x"}), variables={"stage": "prod"})
    assert '${"${"}variables.stage}' in outcome.text()


# --- variable types -----------------------------------------------------------------------------

LABELS = VariableType("acme/region", ("eu-west", "us-east"))
MEANINGS = VariableType("acme/region", {"Ireland": "eu-west", "Virginia": "us-east"})


def region(text: str, provider: VariableType, value: str | None = None) -> Run:
    """A render with a value for the variable `region`."""
    return run(text, provider, given=VariableInputs(flags={"region": value} if value else {}))


def test_a_label_is_an_option() -> None:
    assert spec(region(REGION, LABELS, "eu-west")) == {"region": "eu-west"}
    assert spec(region(REGION, MEANINGS, "Ireland")) == {"region": "Ireland"}


@pytest.mark.parametrize(
    ("provider", "value", "hint"),
    [
        (LABELS, "eu-wst", "did you mean `eu-west`?"),
        (LABELS, "antarctica", "the options are `eu-west`, `us-east`"),
        (MEANINGS, "eu-west", "this is the value of the label `Ireland`; write the label"),
    ],
)
def test_another_value_is_refused(provider: VariableType, value: str, hint: str) -> None:
    (found,) = region(REGION, provider, value).diagnostics
    assert found.code == "custom_variable_value_not_in_options"
    assert value in found.summary
    assert "`--var`" in found.summary
    assert found.hint == hint


def test_a_secret_value_is_not_told() -> None:
    text = REGION.replace("acme/region", "acme/region, secret: true")
    (found,) = region(text, LABELS, "hunter2").diagnostics
    assert found.code == "custom_variable_value_not_in_options"
    assert "hunter2" not in f"{found.summary}{found.hint}"


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ("default: eu-wst", "custom_variable_default_not_in_options"),
        ("allowedValues: [eu-west, mars]", "custom_variable_allowed_values_not_in_options"),
    ],
)
def test_definitions_are_checked_without_values(more: str, code: str) -> None:
    text = REGION.replace("acme/region}", f"acme/region, {more}}}")
    found = check(Source("app.yaml", text, "yaml"), files=MemoryFiles({}), providers=[LABELS])
    assert codes(found) == [code]
    assert codes(region(text, LABELS, "eu-west")) == [code]


def test_allowed_values_narrow_the_options() -> None:
    text = REGION.replace("acme/region}", "acme/region, allowedValues: [eu-west]}")
    assert codes(region(text, LABELS, "us-east")) == ["variable_value_not_allowed"]


def test_without_a_provider_any_label_is_taken() -> None:
    other = VariableType("acme/zone", ("a",))
    assert spec(region(REGION, other, "mars")) == {"region": "mars"}


def test_a_type_without_a_provider_has_its_allowed_values() -> None:
    other = VariableType("acme/zone", ("a",))
    text = REGION.replace("acme/region}", "acme/region, allowedValues: [eu-west]}")
    assert codes(region(text, other, "mars")) == ["variable_value_not_allowed"]


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (("a", "b", "a"), "provider_failed", "the label `a` twice"),
        ((), "provider_failed", "no options"),
        ("abc", "provider_failed", "a `str` instead of options"),
        ((1, 2), "provider_failed", "a label that is not a string"),
        ({"a": [1]}, "provider_failed", "whose value is not a string"),
        ({"a": 1, "b": "x"}, "mixed_variable_types", "a string and an integer"),
    ],
)
def test_options_that_make_no_sense_are_told_and_not_used(
    options: Any, code: str, said: str
) -> None:
    outcome = region(REGION, VariableType("acme/region", options), "mars")
    (found,) = outcome.diagnostics
    assert (found.code, found.severity) == (code, "warning")
    assert said in found.summary
    assert spec(outcome) == {"region": "mars"}


class Broken(dict[str, str]):
    """Options that fail when they are looked at."""

    def items(self) -> Any:
        raise KeyError("hunter2")


def test_options_that_break_are_told_with_their_line() -> None:
    outcome = region(REGION, VariableType("acme/region", Broken(a="b")), "mars")
    (found,) = outcome.diagnostics
    assert (found.code, found.severity) == ("provider_failed", "warning")
    assert "failed with KeyError at test_providers.py:" in found.summary
    assert "hunter2" not in found.summary
    assert spec(outcome) == {"region": "mars"}


# --- registration -------------------------------------------------------------------------------


def test_one_type_may_stand_alone() -> None:
    provider = DataSourceProvider("acme/net", lambda query: RECORDS)  # type: ignore[arg-type]
    assert spec(run(NET, provider, variables={"stage": "prod"}))["net"] == "n-2"


def test_a_type_is_registered_once() -> None:
    with pytest.raises(ValueError, match="twice"):
        Providers([net(None), net(None)])
    with pytest.raises(ValueError, match="twice"):
        Providers([LABELS, MEANINGS])
    with pytest.raises(ValueError, match="not a provider"):
        Providers([5])  # type: ignore[list-item]


# --- packages -----------------------------------------------------------------------------------


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Installs packages of one module each, with entry points, each in a folder of its own."""

    def make(name: str, code: str, **groups: str) -> None:
        folder = tmp_path / name
        info = folder / f"{name}-1.0.dist-info"
        info.mkdir(parents=True)
        (folder / f"{name}.py").write_text(code, "utf-8")
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        lines = [f"[bpp.{group}]\n{point}\n" for group, point in groups.items()]
        (info / "entry_points.txt").write_text("\n".join(lines))
        monkeypatch.syspath_prepend(folder)
        monkeypatch.delitem(sys.modules, name, raising=False)

    return make


ACME_NET = """
from bpp.pipeline import DataSourceProvider, VariableType
NET = DataSourceProvider(["acme/net"], lambda query: {"id": "n-5", "tags": {"size": 5}})
OTHER = DataSourceProvider(["acme/other"], lambda query: None)
REGION = VariableType("acme/region", ["eu-west"])
"""


def installed(text: str, **variables: Any) -> Run:
    """A render with what is installed."""
    return render(Source("app.yaml", text, "yaml"), files=MemoryFiles({}), variables=variables)


def test_installed_providers_are_found(install: Callable[..., None]) -> None:
    install(
        "acme_one",
        ACME_NET,
        datasources="acme/net = acme_one:NET",
        variable_types="acme/region = acme_one:REGION",
    )
    assert spec(installed(NET, stage="prod")) == {"net": "n-5", "size": 5}
    assert codes(installed(REGION, region="mars")) == ["custom_variable_value_not_in_options"]
    assert plugin_names("bpp.datasources") == ["acme/net"]


@pytest.mark.parametrize(
    ("code", "point", "said"),
    [
        (
            "import nowhere_at_all",
            "acme_two:NET",
            "cannot be imported (ModuleNotFoundError at acme_two.py:1)",
        ),
        ("raise SystemExit(3)", "acme_two:NET", "cannot be imported (SystemExit at acme_two.py:1)"),
        ("", "acme_two:NET", "cannot be imported (AttributeError)"),
        ("NET = 5", "acme_two:NET", "is a `int`, not a `DataSourceProvider`"),
        (ACME_NET, "acme_two:REGION", "is a `VariableType`, not a `DataSourceProvider`"),
        (ACME_NET, "acme_two:OTHER", "does not answer `acme/net`"),
        (
            "from bpp.pipeline import DataSourceProvider\nNET = DataSourceProvider(5, None)",
            "acme_two:NET",
            "does not answer `acme/net`",
        ),
    ],
)
def test_an_installed_provider_that_is_none_is_named(
    install: Callable[..., None], code: str, point: str, said: str
) -> None:
    install("acme_two", code, datasources=f"acme/net = {point}")
    outcome = installed(NET, stage="prod")
    (found,) = outcome.diagnostics
    assert found.code == "provider_failed"
    assert f"`acme/net = {point}` of the package `acme_two`" in found.summary
    assert said in found.summary
    assert not outcome.ok


def test_a_name_that_two_packages_have_is_refused(install: Callable[..., None]) -> None:
    install("acme_three", ACME_NET, datasources="acme/net = acme_three:NET")
    install("acme_four", ACME_NET, datasources="acme/net = acme_four:NET")
    (found,) = installed(NET, stage="prod").diagnostics
    assert found.code == "provider_failed"
    assert "`acme_three`" in found.summary
    assert "`acme_four`" in found.summary


def test_a_broken_variable_type_is_a_warning(install: Callable[..., None]) -> None:
    install("acme_five", "", variable_types="acme/region = acme_five:REGION")
    outcome = installed(REGION, region="mars")
    (found,) = outcome.diagnostics
    assert (found.code, found.severity) == ("provider_failed", "warning")
    assert "`acme_five`" in found.summary
    assert spec(outcome) == {"region": "mars"}


def test_nothing_is_looked_for_without_need(
    install: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[str] = []
    monkeypatch.setattr(
        "bpp.pipeline.world.plugins._installed", lambda group: looked.append(group) or []
    )
    given = {"acme/net": RECORDS}
    render(
        Source("app.yaml", NET, "yaml"),
        files=MemoryFiles({}),
        variables={"stage": "prod"},
        datasources=given,
    )
    assert looked == []
    installed(NET, stage="prod")
    assert looked == ["bpp.datasources"]


def test_a_plugin_is_found_by_group_and_name(install: Callable[..., None]) -> None:
    install("acme_six", "THING = 6", things="six = acme_six:THING\nbad = acme_six:NOTHING")
    found = find_plugin("bpp.things", "six")
    assert isinstance(found, Plugin)
    assert found.value == 6
    assert isinstance(find_plugin("bpp.things", "bad"), PluginProblem)
    assert find_plugin("bpp.things", "seven") is None
    assert find_plugin("bpp.nothing", "six") is None


@pytest.mark.parametrize(
    ("operator", "records", "steps", "ok"),
    [("=", 100, 250, True), ("contains", 100, 250, False), ("contains", 100, 600, True)],
)
def test_records_that_are_looked_at_count_as_steps(
    operator: str, records: int, steps: int, ok: bool
) -> None:
    sources = "".join(
        f"  d{n}: {{type: a/b, filter: {{field: id, operator: '{operator}', search: last}}, "
        "exports: {id: {type: string}}}\n"
        for n in range(5)
    )
    known = [{"id": f"{n}"} for n in range(records - 1)] + [{"id": "last"}]
    run = render(
        Source(
            "app.yaml", f"version: 2023-04-20\nresources: {{}}\ndatasources:\n{sources}", "yaml"
        ),
        datasources={"a/b": known},
        settings=Settings(limits=Limits(max_steps=steps)),
    )
    assert run.ok is ok
    if not ok:
        assert "max_steps" in next(iter(run.diagnostics)).summary
