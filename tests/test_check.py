"""What the static checks know: what they are given, and nothing of the world."""

from __future__ import annotations

import pytest
from bpp.functions.values import Unknown
from bpp.pipeline import MemoryFiles, Settings, Source, check, render
from bpp.pipeline.dialects.bluelink.evaluating.evaluation import begin_evaluation
from bpp.pipeline.engine.inputs import VariableInputs
from bpp.pipeline.rendering import prepare
from bpp.pipeline.values.expression import Reference
from bpp.pipeline.values.tree import templates_in

HEAD = "version: 2025-11-02\n"
PATH = 'variables: {team: {type: string}}\ninclude: {c: {path: "${variables.team}.yaml"}}\n'


def told(text: str, **given: object) -> list[tuple[str, str]]:
    """What a check tells, with what it is given."""
    source = Source("app.yaml", HEAD + text, "yaml", "/app.yaml")
    files = MemoryFiles({"/a.yaml": (HEAD + "resources: {}\n").encode()})
    found = check(source, files=files, **given)  # type: ignore[arg-type]
    return [(item.severity, item.code) for item in found if item.code != "unused_variable"]


def test_a_given_value_decides_which_child_is_checked() -> None:
    assert told(PATH) == [("note", "child_not_checked")]
    assert told(PATH, variables={"team": "a"}) == []
    assert told(PATH, variables={"team": "b"}) == [("error", "include_path_not_found")]


def test_a_given_value_is_held_against_its_declaration() -> None:
    text = (
        'variables: {n: {type: integer}}\nresources: {a: {type: x/y, spec: {n: "${variables.n}"}}}'
    )
    assert told(text) == []
    assert told(text, variables={"n": "x"}) == [("error", "variable_type_mismatch")]
    assert told(text, variables={"m": 1}) == [("warning", "undeclared_variable")]


def test_the_state_is_part_of_what_a_check_knows() -> None:
    text = """resources:
      a: {type: x/y, spec: {}}
      b: {type: x/y, spec: {n: "${jsondecode(resources.a.state.text)}"}}
    """
    state = {"resources": {"a": {"state": {"text": "{"}}}}
    assert told(text) == []
    assert told(text, state=state) == [("error", "invalid_json")]


def test_a_check_asks_for_neither_time_nor_chance_nor_hosts() -> None:
    calls = {"a": 'http_resource("https://example.com")', "b": "uuid()", "c": 'datetime("unix")'}
    values = "".join(
        f"  {name}: {{type: string, value: '${{join(list({call}), \"\")}}'}}\n"
        for name, call in calls.items()
    )
    assert told(f"values:\n{values}resources: {{}}\n") == []


def test_all_transforms_are_kept_for_a_star() -> None:
    text = HEAD + "transform: [one, two]\nresources: {}\n"
    source = Source("app.yaml", text, "yaml")
    keep = Settings(keep_transform=("*",))
    outcome = render(source, settings=keep)
    assert outcome.ok
    assert "one" in outcome.text()
    assert not len(check(source, settings=keep))
    assert render(source).diagnostics.errors == 2
    assert check(source).errors == 0


@pytest.mark.parametrize(
    ("text", "stays"),
    [
        ("${variables.a}", True),
        ("x-${variables.a}-${variables.b}", True),
        ('${join(list(variables.a, "x"), "-")}', True),
        ('${coalesce(variables.a, "x")}', True),
        ('${if(eq(variables.a, "x"), "y", "z")}', True),
        ("${variables.a}-${values.known}", False),
        ('${join(list("x", "y"), variables.a)}', False),
        ('${if(eq("x", "y"), "y", variables.a)}', False),
    ],
)
def test_a_string_of_which_nothing_is_known_stays_in_a_check(text: str, stays: bool) -> None:
    head = "variables: {a: {type: string}, b: {type: string}}\n"
    head += "values: {known: {type: string, value: x}}\n"
    fields = "".join(f"      {key}: '{text}'\n" for key in ("one", "two"))
    source = Source("app.yaml", f"{HEAD}{head}resources:\n  r:\n    type: x/y\n    spec:\n{fields}")
    context, document = prepare(source)
    document = context.pipeline.upto("transform").last(document, context)
    unknown = {name: Unknown(Reference("variables", (name,))) for name in "ab"}
    given = context.evolve(checks=True, given=VariableInputs(values=unknown))
    section = document.section("resources")
    assert section is not None
    for node in templates_in(section):
        made = begin_evaluation(document, given).node(node, None)
        assert (made is node) is stays
    evaluation = begin_evaluation(document, given)
    assert (evaluation.node(section, None) is section) is stays
    rendered = begin_evaluation(document, given.evolve(checks=False))
    assert rendered.node(section, None) is not section
