"""What holds for every project of Garden: no secret is told, an output renders to itself."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from support.garden_runs import HEAD, SECRET, rendered, told
from support.harness import load_documents

sys.path.insert(0, str(Path(__file__).parent.parent))
from benchmarks.attacks import garden as attack

# --- what is never told -------------------------------------------------------------------------

LEAKS = {
    "a wrong type": "a: ${local.env.TOKEN * 2}",
    "a part": "a: ${local.env.TOKEN.x}",
    "another name": "a: ${local.env.TOKE}",
    "a key": "a: ${var.m[local.env.TOKEN]}",
    "a condition": "a: {$if: '${local.env.TOKEN}', $then: 1}",
    "a loop": "a: {$forEach: '${local.env.TOKEN}', $return: 1}",
    "a function": "a: ${jsonDecode(local.env.TOKEN)}",
    "a variable of a file": "a: ${var.TOKEN - 1}",
    "a file that has a mistake": "a: ${var.BROKEN}",
    "a path": "a: 1\nvarfile: ${local.env.TOKEN}",
}

COMPUTED = {
    "an environment": "kind: Project\nname: p\ndefaultEnvironment: ${local.env.TOKEN}\n"
    "environments: [{name: local}]\n",
    "a namespace": "kind: Project\nname: p\nvariables: {m: {a: 1}}\n"
    "environments: [{name: local, defaultNamespace: 'a-${local.env.TOKEN}'}]\n---\n"
    "kind: Run\nname: r\nspec: ['${var.m[environment.namespace]}', "
    "'${var.m[environment.fullName].b}']\n",
    "a variable of an action": HEAD + "variables: {m: {a: 1}}\n---\nkind: Run\nname: r\n"
    "variables: {t: '${local.env.TOKEN}'}\nspec: '${var.m[this.var.t]}'\n",
    "a file to import": HEAD + "importVariables: [{from: file, path: '${local.env.TOKEN}'}]\n"
    "variables: {a: '${imported.a}'}\n",
    "a provider that is merged": HEAD + "providers: [{$merge: {name: '${local.env.TOKEN}'}}]\n"
    "---\nkind: Run\nname: r\nspec: ${providers.other.outputs.x}\n",
    "a provider": HEAD + "providers: [{name: '${local.env.TOKEN}'}]\n---\nkind: Run\nname: r\n"
    "spec: ${providers.other.outputs.x}\n",
    "a cycle": HEAD + "---\nkind: ConfigTemplate\nname: t\n"
    "configs: [{kind: Run, name: '${local.env.TOKEN}', dependencies: ['run.${local.env.TOKEN}']}]\n"
    "---\n{kind: RenderTemplate, name: a, template: t}\n",
    "a name": HEAD + "---\nkind: ConfigTemplate\nname: t\n"
    "configs: [{kind: Run, name: '${local.env.TOKEN}'}]\n"
    + "---\n{kind: RenderTemplate, name: a, template: t}\n"
    + "---\n{kind: RenderTemplate, name: b, template: t}\n",
}


@pytest.mark.parametrize("name", COMPUTED)
def test_names_that_are_computed_of_environments_are_never_told(name: str) -> None:
    run = rendered(COMPUTED[name], local={"env": {"TOKEN": SECRET}})
    assert not run.ok
    assert SECRET not in told(run)


@pytest.mark.parametrize("name", LEAKS)
def test_values_of_environments_are_never_told(name: str) -> None:
    action = f"kind: Run\nname: r\nspec:\n  {LEAKS[name]}\n"
    broken = f"BROKEN={SECRET}${{var.nobody}}\n" if "mistake" in name else ""
    files = {
        "garden.yml": f"{HEAD}variables: {{m: {{a: 1}}}}\n---\n{action}",
        "garden.env": f"TOKEN={SECRET}\n{broken}",
    }
    run = rendered(files, local={"env": {"TOKEN": SECRET}})
    assert not run.ok
    assert SECRET not in told(run)
    assert name != "another name" or "TOKEN`" not in told(run)


def test_damaged_projects_break_no_law(capsys: pytest.CaptureFixture[str]) -> None:
    assert attack.main(["--count", "150"]) == 0, capsys.readouterr().out


STABLE = {
    "a disabled action with mistakes": "disabled: true\n"
    "variables: {a: '${var.b}', b: 1, c: '${var.no}'}\n"
    "spec: ['${var.c}', {$merge: '${var.no}', x: '${var.b}'}, '${jsonDecode(var.text)}', "
    "{$forEach: ['${var.b}'], $return: '${item.value}${var.no}'}]",
    "all actions in a text": "spec: ${jsonEncode(actions)}",
    "an object with unknown parts": "variables: {m: {a: {}, b: {c: '${secrets.x}', d: [1]}}}\n"
    "spec: ${jsonEncode(var.m)}",
    "a text in a text": "variables: {t: 'a${secrets.x}', u: '${var.t}b'}\nspec: <${var.u}>",
    "an own variable over one that is left": "variables: {u: 'a${var.u}'}\n"
    "spec: ['${var.u}', '${actions.run.o.var.u}', '${var.w}', '${this.var.u}']",
    "a variable of another action": "spec: ['${actions.run.o.var.w}', '${actions.run.o.var.v}']",
    "parts of what is told": "spec: ['${git}', '${git.branch}', '${providers}', '${this}']",
}
"""What once did not render to itself again."""


@pytest.mark.parametrize("name", STABLE)
def test_what_is_left_renders_to_itself(name: str) -> None:
    text = (
        HEAD
        + "variables: {u: {$if: '${secrets.s}', $then: 1}, w: '${var.u}'}\n---\nkind: Run\n"
        + "name: o\nvariables: {u: 'o${var.u}', v: '${var.u}'}\n---\nkind: Run\nname: r\n"
        + f"{STABLE[name]}\n"
    )
    run = rendered(text, git={"branch": "main"})
    assert run.ok, told(run)
    again = rendered(run.text(), git={"branch": "main"})
    assert again.ok, told(again)
    assert again.text() == run.text()


def test_names_mean_what_they_mean_where_they_are_written() -> None:
    """An own variable with the name of one that is left below is not put in for it."""
    text = (
        HEAD
        + "variables: {u: {$if: '${secrets.s}', $then: 1}}\n---\nkind: Run\nname: o\n"
        + "variables: {u: 'o${var.u}'}\nspec: '${var.u}'\n---\nkind: Run\nname: r\n"
        + "spec: ['${actions.run.o.var.u}', '${var.u}']\n"
    )
    _, other, mine = load_documents(rendered(text).text())
    assert other["variables"] == {"u": "o${var.u}"}
    assert other["spec"] == "${var.u}"
    assert mine["spec"] == ["${actions.run.o.var.u}", "${var.u}"]


NAMESPACES = {
    "a user": ("'user-${local.username}'", {"local": {"username": "ada"}}),
    "a branch": ("'${kebabCase(git.branch)}'", {"git": {"branch": "Feature/X"}}),
    "a variable of the machine": ("'${local.env.NS || var.b}'", {"local": {"env": {}}}),
    "a variable": ("'${var.c}'", {"local": {"username": "ada"}}),
    "a secret": ("'ns-${secrets.a}'", {"state": {"secrets": {"a": SECRET}}}),
    "an import": ("'${imported.NS}'", {"state": {"imported": {"NS": "x"}}}),
    "a structure": (
        "{$if: \"${local.username == 'ada'}\", $then: a, $else: '${project.name}'}",
        {"local": {"username": "ada"}},
    ),
}
"""What a namespace is computed of, and options that supply it."""


@pytest.mark.parametrize("name", NAMESPACES)
def test_a_namespace_that_is_supplied_later_is_the_same(name: str) -> None:
    written, options = NAMESPACES[name]
    text = (
        f"kind: Project\nname: p\nenvironments: [{{name: e, defaultNamespace: {written}}}]\n"
        "variables: {b: 1x, c: '${local.username}'}\nimportVariables: [{from: exec}]\n"
        "providers: [{name: k, ns: '${environment.namespace}'}, {name: k, x: {y: 1}}]\n"
        "outputs: [{name: o, value: '${environment.fullName}-${actions.run.r.outputs.log}'}]\n"
        "---\nkind: Run\nname: r\ndisabled: ${environment.namespace == 'ada'}\n"
        "spec: ['${environment.fullName}', '${environment}', '${providers.k.config}']\n"
    )
    left = rendered(text)
    assert left.ok, told(left)
    assert "${environment.namespace}" in left.text()
    assert rendered(left.text()).text() == left.text()
    later = rendered(left.text(), **options)
    assert later.ok, told(later)
    assert later.text() == rendered(text, **options).text()
