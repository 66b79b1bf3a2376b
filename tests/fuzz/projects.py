"""Projects of Garden: what is rendered once renders to itself, or is refused; state may come later.

An input is JSON: the documents, the files beside them, the options.
"""

from __future__ import annotations

import json
import re
from random import Random
from typing import Any, Final

from bpp.pipeline import Limits, MemoryFiles, Run, Settings, Source, render
from bpp.pipeline.dialects.garden import ProjectOptions
from bpp.pipeline.engine.run import Unwritable

from .forms import written
from .values import data
from .verdict import broken, examine

_ODD: Final = (
    "$${a}", "$$${x}", "}", 'say "x"', "it's", "\\", 'a\\"b', "2023-04-20", "1e3", "$", "$$", "?",
    "0x1F", "yes", "null", "~", "", " ", "\n", "a\nb\n", "  a\n b", "a\r\nb", "\ttab", "é\u2028",
    "x" * 300, "- a", "a: b", "# a", "9223372036854775807", "1.0", "-0.0", "a,b", "${var.s}",
    "{", "[]", "@a", "...", "---", "<<", "=", "😀", "true", "5", "$${if x}a$${endif}", "??", "a?",
)  # fmt: skip
_DATA: Final = (
    {"$if": True, "$then": 1}, [{"$concat": [1]}], {"$merge": {"a": 1}}, {"$concat": [1]},
    {"a${b": "${c"}, [None, {"k": None}], {"x": {"$forEach": [1], "$return": 1}},
)  # fmt: skip
_KEYS: Final = ("a", "b-c", "d.e", "1", "k k", "true", "$x", "é", "", "n")
_FORMS: Final[dict[str, tuple[str, ...]]] = {
    "s": (
        "upper(@s)", "@s + @s", "@b ? @s : @s", "@u || @s", 'join(@l, ",")', "string(@n)",
        'replace(@s, "a", @s)', "jsonEncode(@a)", "base64Encode(@s + '-')", "@s + @n", "typeof @a",
        '"<${var.s}>"', "'x${secrets.x}y'", '"${git.branch}" + @s', "concat(@s, @s)",
        "(@b ? @s : @s) + @s", "yamlEncode(@a)", "isEmpty(@l) ? @s : @s",
        "indent(@s, 2)", "camelCase(@s)",
    ),
    "n": ("@n + @n", "@n * @n", "@n - @n", "@b ? @n : @n", "@u || @n", "(@n + @n) * @n"),
    "b": (
        "@n > @n", "@n == @n", "@s == @s", "!@a", "@b && @b", "!@b", "@b ? @b : @b",
        "@s contains @s", "isEmpty(@s)", "@l contains @s", "(@b || @b)", "@s != @s", "@n <= @n",
    ),
    "l": ("[@a, @a]", "[@s]", "concat(@l, @l)", "@l + @l", 'split(@s, ",")', "@b ? @l : @l",
          "slice(@l, 0, 1)", "[]", "@u || @l"),
    "m": ("var.m", "@b ? @m : @m", "@u || var.m", 'jsonDecode("{}")'),
    "u": ("secrets.x", "actions.build.b.outputs.id", "providers.p.outputs.x", "git.branch",
          "local.env.HOME", "runtime.services.x.outputs.y", "@b ? @u : @u", "var.u", "secrets",
          "actions.build.b.version", "@u || @u", "local.username", "command.name",
          "actions.deploy.far.outputs.x", "actions.run.far-task.version", "modules.mo.version"),
    "a": ("@s", "@n", "@b", "@l", "@u", "null", "var.m"),
}  # fmt: skip
_LEAVES: Final[dict[str, tuple[str, ...]]] = {
    "s": ('"abc"', "'é'", '"a\\"b"', "'$x'", '"$${a}"', "project.name", "var.s", "var.t",
          "var.m.a", 'var.m["b-c"]', "var.w", '"\\n"', '"}"', '"?"'),
    "n": ("1", "0", "2.5", "1e21", "0x10", "var.n", "var.l[0]", "1e-7"),
    "b": ("true", "false", "var.on", "var.n > 1", "var.w == 'a'", "secrets.on"),
    "l": ("var.l", "[1, 'a']", "[var.w]"),
    "m": ("var.m", "var.deep"),
    "u": ("secrets.x", "actions.build.b.outputs.id", "providers.p.outputs.x", "git.branch"),
    "a": ("null", "var.s", "var.deep"),
}  # fmt: skip
_PART: Final = re.compile(r"@(\w)")
_LOCAL: Final = re.compile(r"\b(?:inputs|parent|template)\.")
_NAMESPACES: Final = (
    "user-${local.username}", "${var.s}-${project.name}", "${kebabCase(git.branch)}",
    {"$if": "${secrets.on}", "$then": "a", "$else": "${local.username}"}, None,
    "${secrets.x}", "${var.u}?",
)  # fmt: skip
_LIMITS: Final = (
    ("max_scalar_chars", 40, 400), ("max_key_chars", 12, 60), ("max_depth", 5, 12),
    ("max_expression_chars", 20, 200), ("max_expression_depth", 2, 6), ("max_substitutions", 1, 3),
    ("max_input_bytes", 300, 3000), ("max_nodes", 20, 120), ("max_value_chars", 30, 300),
    ("max_value_items", 5, 30), ("max_each", 2, 4),
)  # fmt: skip


def make(rng: Random) -> str:
    """A project, its files, and some of what may be known."""
    files: dict[str, str] = {}
    documents = [_project(rng, files)]
    documents.append({"kind": "Build", "name": "b", "spec": {"x": _template(rng, ())}})
    for name in "crt":
        if rng.randrange(4):
            documents.append(
                _action(rng, rng.choice(("Build", "Deploy", "Run", "Test")), name, files)
            )
    if not rng.randrange(3):
        documents += _templates(rng, files)
    if not rng.randrange(5):
        kind = rng.choice(("Workflow", "Module", "Command"))
        documents.append(
            {"kind": kind, "name": "o", "steps": [_tree(rng, 2, ()) for _ in range(2)]}
        )
    if rng.randrange(3):
        documents += _modules(rng)
    if rng.randrange(2):
        documents[0].setdefault("sources", [{"name": "x", "repositoryUrl": _template(rng, ())}])
    if not rng.randrange(4):
        inner = _action(rng, "Run", "far", files, "sub/")
        files["sub/garden.yml"] = json.dumps(inner)
    layout = rng.randrange(1000) if rng.randrange(2) else None
    options: dict[str, Any] = {"environment": rng.choice((None, None, "e", "ns.e", "f"))}
    if not rng.randrange(3):
        options["variables"] = [rng.choice(("s=given", "m.a=x", "t=$x"))]
    if not rng.randrange(3):
        options["values"] = {"n": 7, "m.b-c": rng.choice(("5", "t"))}
    if not rng.randrange(3):
        known = rng.choice((*_ODD, *_DATA))
        options["state"] = {
            "actions": {
                "build": {"b": {"version": "v", "outputs": {"id": known}}},
                "run": {"far-task": {"version": "v-1"}},
            },
            "secrets": {"m": {"k": 1}, "l": [1], "x": "s3cret-value", "u": 1, "on": True},
            "providers": {"p": {"outputs": {"x": [1, "a"]}}},
            "modules": {"mo": {"version": "w"}},
        }  # fmt: skip
    if not rng.randrange(3):
        options["local"] = {"env": {"HOME": rng.choice(("/home", "a${b", "5"))}, "username": "u"}
    if not rng.randrange(4):
        options["git"] = {"branch": "main"}
    if not rng.randrange(4):
        options["merge"] = "rfc7396"
    case: dict[str, Any] = {
        "documents": documents,
        "files": files,
        "options": options,
        "layout": layout,
    }
    case["dialect"] = rng.choice(("garden", "garden", "garden-v2"))
    if not rng.randrange(5):
        name, least, most = rng.choice(_LIMITS)
        case["limits"] = {name: rng.randrange(least, most)}
    if not rng.randrange(3):
        case["settings"] = {"secrets": rng.choice(("mask", "reveal"))}
    return json.dumps(case)


def _expression(rng: Random, kind: str, depth: int, local: tuple[str, ...]) -> str:
    if kind == "a":
        kind = rng.choice("snblmua")
    if local and kind in "su" and not rng.randrange(3):
        return rng.choice(local)
    if not depth or not rng.randrange(4):
        return rng.choice(_LEAVES[kind])
    return _PART.sub(
        lambda part: _operand(rng, part[1], depth - 1, local), rng.choice(_FORMS[kind])
    )


def _lone(rng: Random, kind: str, depth: int, local: tuple[str, ...]) -> str:
    return f"${{{_expression(rng, kind, depth, local)}}}"


def _operand(rng: Random, kind: str, depth: int, local: tuple[str, ...]) -> str:
    text = _expression(rng, kind, depth, local)
    return f"({text})" if " " in text and not text.endswith((")", "]", '"', "'")) else text


def _template(rng: Random, local: tuple[str, ...], kind: str = "a") -> str:
    choice = rng.randrange(8)
    if choice < 4:
        return _lone(rng, kind, 2, local) + ("?" if not rng.randrange(9) else "")
    if choice == 4:
        inner, other = (_text(rng, local).rstrip("$?") for _ in range(2))
        tag = f"${{if {_expression(rng, 'b', 1, local)}}}"
        return tag + inner + rng.choice(("", "${else}x", "${else}" + other)) + "${endif}"
    return _text(rng, local) if choice < 7 else rng.choice(_ODD)


def _text(rng: Random, local: tuple[str, ...]) -> str:
    pieces = []
    for _ in range(rng.randrange(1, 4)):
        pieces.append(rng.choice(("", "a", "$", " ?", "\n", "}", '"', "$${a}", " - ", "\\", "$$ ")))
        pieces.append(_lone(rng, rng.choice("ssnbu"), 2, local))
    return "".join(pieces) + rng.choice(("", "", "$"))


def _tree(rng: Random, depth: int, local: tuple[str, ...]) -> Any:
    kind = rng.randrange(14 if depth else 6)
    if kind < 5:
        return _template(rng, local)
    if kind == 5:
        return rng.choice((None, True, 1, 2.5, -0.0, 2**63 - 1, "x", [], {}, *_ODD))
    deeper = depth - 1
    item = (*local, "item.value", "item.key")
    if kind == 6:
        return [_tree(rng, deeper, local) for _ in range(rng.randrange(3))]
    if kind == 7:
        return {rng.choice(_KEYS): _tree(rng, deeper, local) for _ in range(rng.randrange(4))}
    if kind == 8:
        made: dict[str, Any] = {
            "$if": f"${{!!({_expression(rng, 'b', 2, local)})}}",
            "$then": _tree(rng, deeper, local),
        }
        if not rng.randrange(9):
            made["$then"] = {"$concat": [1]}
        if rng.randrange(2):
            made["$else"] = _tree(rng, deeper, local)
        return made
    if kind == 9:
        return _loop(rng, deeper, local, _tree(rng, deeper, item))
    if kind == 10:
        made = {"$merge": rng.choice((_lone(rng, "m", 2, local), {"a": 1}))}
        if not rng.randrange(3):
            made["$merge"] = {
                "$if": _lone(rng, "b", 1, local),
                "$then": {"a": _tree(rng, 0, local)},
                "$else": {},
            }
        for _ in range(rng.randrange(3)):
            made[rng.choice(_KEYS)] = _tree(rng, deeper, local)
        return dict(rng.sample(list(made.items()), len(made)))
    if kind == 11:
        inner = rng.choice((
            _lone(rng, 'l', 2, local), [_tree(rng, 0, local)],
            _loop(rng, 0, local, _tree(rng, 0, item)),
            {"$if": _lone(rng, 'b', 1, local), "$then": [1], "$else": []},
        ))  # fmt: skip
        return [_tree(rng, 0, local), {"$concat": inner}, _tree(rng, 0, local)]
    if kind == 12:
        return _loop(rng, 0, local, {"$concat": [_tree(rng, 0, item), "${item.value}"]})
    return json.loads(json.dumps(data(rng, 1)).replace("${", "$"))


def _loop(rng: Random, depth: int, local: tuple[str, ...], result: Any) -> dict[str, Any]:
    operand = rng.choice((
        _lone(rng, 'l', 2, local), [1, _template(rng, local)], "${var.m}",
        {"a": _template(rng, local), "b": 2}, "${var.l}", "${var.u}",
    ))  # fmt: skip
    made = {"$forEach": operand}
    if not rng.randrange(3):
        made["$filter"] = rng.choice((
            "${item.value != 1}", "${item.key == '0'}", _lone(rng, 'b', 1, local),
        ))  # fmt: skip
    made["$return"] = result
    return made


def _early(rng: Random) -> Any:
    """What a variable may hold that leads to no other that leads back."""
    return rng.choice((
        "${var.s}", "${var.n + 1}", "a${git.branch}", "$${a}", "${secrets.x || var.s}", "${var.l}",
        {"$if": "${secrets.on}", "$then": "${var.s}", "$else": 1}, [1, {"$concat": "${var.l}"}],
        {"$merge": "${secrets.m}", "a": "${var.s}"}, "${local.env.HOME}", "${var.on ? 1 : var.l}",
        {"$forEach": "${secrets.l}", "$return": "${item.value}-${var.s}"}, rng.choice(_ODD[:27]),
        "${var.l[secrets.x]}", "${upper(git.branch)}", "${git.branch == 'main'}", None, [], {},
    ))  # fmt: skip


def _variables(rng: Random, more: bool) -> dict[str, Any]:
    made: dict[str, Any] = {
        "s": "text", "t": rng.choice(_ODD[:30]), "n": 3, "on": rng.randrange(2) == 0, "l": [2, "b"],
        "m": {"a": "ma", "b-c": "mb"}, "u": rng.choice(("${secrets.u}", "x${git.branch}", {
            "$if": "${secrets.on}", "$then": [1], "$else": "${project.name}"})),
        "deep": {"a": [{"b": _early(rng)}], "1": _early(rng)},
        "w": rng.choice(("w", "${var.s}-${secrets.x}", "${var.t}", "${var.u}-${secrets.x}")),
    }  # fmt: skip
    if more:
        found = dict(rng.sample(list(made.items()), rng.randrange(4)))
        if not rng.randrange(3):
            found["m"] = {"a": _early(rng), "n": None}
        if not rng.randrange(3):
            found["l"] = rng.choice(([], [_early(rng)], [None, 1]))
        found[rng.choice(("own", "o-p"))] = _early(rng)
        return found
    return made


def _project(rng: Random, files: dict[str, str]) -> dict[str, Any]:
    made: dict[str, Any] = {"kind": "Project", "name": "p", "variables": _variables(rng, False)}
    if rng.randrange(3):
        made = {"apiVersion": "garden.io/v1", **made}
    if not rng.randrange(4):
        made["defaultEnvironment"] = rng.choice(("e", "f", "${'e'}"))
    made["environments"] = [
        {
            "name": "e",
            **_more(rng, "variables", _variables(rng, True)),
            **_more(rng, "defaultNamespace", rng.choice((*_NAMESPACES, _early(rng)))),
        },
        {"name": "f", "defaultNamespace": "d", **_more(rng, "varfile", "f.json")},
    ]
    if rng.randrange(2):
        made["providers"] = [
            {"name": "p", "x": _tree(rng, 1, ())},
            {"name": "q", "environments": ["f"], "x": _template(rng, ())},
        ]
        if not rng.randrange(3):
            more = {"name": "p", "environments": ["e"], "x": _tree(rng, 1, ()), "y": {"z": None}}
            made["providers"].append(more)
        if not rng.randrange(4):
            made["providers"].append({"name": "p", "$merge": rng.choice(("${var.m}", "${git}"))})
        if not rng.randrange(5):
            made["providers"].append({"$concat": [{"name": "r", "x": _template(rng, ())}]})
    if not rng.randrange(6):
        made["importVariables"] = [{"from": "file", "path": "f.json"}, {"from": "exec"}]
    made.update(_more(rng, "sources", [{"name": "x", "repositoryUrl": _template(rng, ())}]))
    made.update(_more(rng, "outputs", [{"name": "o", "value": _tree(rng, 1, ())}]))
    made.update(_more(rng, "id", _tree(rng, 1, ())))
    if not rng.randrange(4):
        made["varfile"] = "v.yaml"
        files["v.yaml"] = json.dumps(_variables(rng, True))
    files["f.json"] = json.dumps({"s": "from f", "m": {"a": _template(rng, ())}})
    if not rng.randrange(4):
        files["garden.env"] = "s=env\nODD='a b'\n"
    return made


def _more(rng: Random, key: str, value: Any) -> dict[str, Any]:
    return {key: value} if not rng.randrange(3) else {}


def _action(
    rng: Random, kind: str, name: str, files: dict[str, str], folder: str = "",
    local: tuple[str, ...] = (),
) -> dict[str, Any]:  # fmt: skip
    made: dict[str, Any] = {"kind": kind, "name": name, "type": rng.choice(("exec", "container"))}
    known = (
        *(*local, "this.name", "environment.name", "this.mode", "environment.namespace"),
        *("environment.fullName", "providers.p.config.x"),
    )
    if not rng.randrange(3):
        made["variables"] = _variables(rng, True)
    if not rng.randrange(3):
        made["varfiles"] = ["more.json", {"path": "none.env", "optional": True}][
            : rng.randrange(1, 3)
        ]
        files[f"{folder}more.json"] = json.dumps({"own": _template(rng, ()), "s": "file"})
    fields = {
        "description": rng.choice(("d", "${var.s}-${git.branch}", "${var.w}", "${this.name}")),
        "disabled": _lone(rng, "b", 1, local),
        "dependencies": ["build.b", {"kind": "Build", "name": "b"}],
        "timeout": _lone(rng, "n", 1, local),
        "include": ["a", _early(rng)],
        "exclude": [_early(rng)],
        "source": {"path": rng.choice(("x", "../y", "${var.s}"))},
        "build": "b",
        "environments": ["e", "${project.name}"],
    }
    made.update({key: value for key, value in fields.items() if not rng.randrange(4)})
    made["spec"] = _tree(rng, 3, known)
    return made


def _modules(rng: Random) -> list[dict[str, Any]]:
    """What defines `deploy.far` and `run.far-task`: a Module, or a template of Modules."""
    local = ("inputs.i", "parent.name")
    module: dict[str, Any] = {
        "kind": "Module", "name": "far", "type": "container",
        "build": {"command": ["${modules.mo.version}", _template(rng, ())]},
        "include": [_early(rng)], **_more(rng, "disabled", _lone(rng, "b", 1, ())),
        "tasks": rng.choice((
            [{"name": "far-task", "args": [_template(rng, ())]}], [{"name": "${var.s}"}],
            {"$forEach": "${var.l}", "$return": {"name": "far-${item.value}", "x": "${var.s}"}},
            [{"$concat": "${secrets.l}"}, {"name": "far-task"}], "${actions.run.far-task.name}",
        )),
    }  # fmt: skip
    if rng.randrange(2):
        return [module, {"kind": "Run", "name": "n", "dependencies": ["build.far", "run.far-task"]}]
    inner = {key: node for key, node in module.items() if key != "kind"}
    inner = {**inner, "name": "${parent.name}", "spec": _tree(rng, 2, local)}
    template = {
        "kind": "ModuleTemplate", "name": "mt", "inputs": {"i": {"default": "d"}},
        "modules": [inner],
    }  # fmt: skip
    used = rng.choice(("mt", "mt", "mt", "elsewhere"))
    use = {"kind": "Module", "type": "templated", "name": "far", "template": used}
    return [template, {**use, **_more(rng, "inputs", {"i": _tree(rng, 1, ())})}]


def _templates(rng: Random, files: dict[str, str]) -> list[dict[str, Any]]:
    local = ("inputs.i", "parent.name", "template.name", "inputs.j")
    body = _action(rng, "Run", "${parent.name}-x", files, local=local)
    if rng.randrange(2):
        body["name"] = "${parent.name}-${inputs.j}"
    template: dict[str, Any] = {
        "kind": "ConfigTemplate", "name": "te",
        "inputs": {"i": {"default": _tree(rng, 1, ())}, "j": {"type": "string", "default": "j"}},
        "configs": [body],
    }  # fmt: skip
    if rng.randrange(2):
        more = {"kind": "Run", "name": "fixed", "spec": _tree(rng, 2, local)}
        template["configs"].append(more)
    use: dict[str, Any] = {"kind": "RenderTemplate", "name": "rt", "template": "te"}
    if rng.randrange(2):
        use["inputs"] = {"i": _tree(rng, 1, ())}
    if not rng.randrange(3) and "inputs.j" in body["name"]:
        use["matrix"] = {"j": ["one", "two"]}
        template["configs"] = template["configs"][:1]
    if not rng.randrange(6):
        use["disabled"] = _lone(rng, "b", 1, ())
    return [template, use]


# --- the law ------------------------------------------------------------------------------------


def hold(case: str) -> None:
    """What is rendered renders to itself with the same options; or it is refused.

    Giving the state later is giving it at once, except that a mask is no value, and that what is
    wrong in a disabled action stays as it is written.
    """
    try:
        given = json.loads(case)
        documents, files, known = given["documents"], given["files"], given["options"]
        text, form = written(documents, given.get("layout"))
        options = ProjectOptions(
            **{k: tuple(v) if k == "variables" else v for k, v in known.items()}
        )
    except (ValueError, TypeError, KeyError, AttributeError):
        return
    memory = MemoryFiles({f"/p/{name}": content for name, content in files.items()}, "/p")
    settings = Settings(
        now=0.0, seed=1, limits=Limits(run_seconds=20, **given.get("limits", {})),
        **given.get("settings", {}),
    )  # fmt: skip

    def rendered(text: str, form: str, chosen: ProjectOptions) -> Run:
        source = Source(f"project.garden.{form}", text, form, f"/p/project.garden.{form}")
        return render(
            source, files=memory, settings=settings, dialect=given["dialect"], options=chosen
        )

    first = rendered(text, form, options)
    examine(first.diagnostics, frozenset(item.code for item in first.diagnostics))
    if not first.ok:
        return
    masked = given.get("settings") == {"secrets": "mask"}
    warned = {item.code for item in first.diagnostics if item.severity == "warning"}
    lenient = not warned <= {"merge_differs"}
    if options.state is not None and not ("limits" in given or masked or lenient):
        gaps = rendered(text, form, options.evolve(state=None))
        if gaps.ok:
            later = rendered(gaps.text("yaml"), "yaml", options.evolve(scan=False))
            if not later.ok:
                told = [(d.code, str(d.span), d.summary) for d in later.diagnostics]
                broken("an output with gaps has errors", told, gaps.text("yaml"))
            if later.text("yaml") != first.text("yaml"):
                broken("a state given later differs", first.text("yaml"), later.text("yaml"))
    said = {(item.code, item.summary) for item in first.diagnostics}
    # files of variables are read again, where more of what they hold may be needed
    bare = ProjectOptions(environment=options.environment, merge=options.merge, scan=False)
    alone = () if files else (bare,)
    for form in ("yaml", "json"):
        try:
            text = first.text(form)
        except Unwritable as problem:
            if problem.diagnostic.code != "limit_exceeded":
                broken("an output cannot be written", problem.diagnostic.summary)
            continue
        if lenient and _LOCAL.search(text):
            continue  # what is wrong in a disabled action may name inputs, which the output has not
        for chosen in (options.evolve(scan=False), *alone):
            again = rendered(text, form, chosen)
            if not again.ok:
                told = [(d.code, str(d.span), d.summary) for d in again.diagnostics]
                codes = sorted({code for code, _, _ in told})
                broken(f"an output has errors {codes}", chosen is bare, told, text)
            try:
                found = again.text(form)
            except Unwritable as problem:
                broken("an output cannot be written again", problem.diagnostic.summary)
            if found != text:
                broken("an output changes", chosen is bare, text, found)
            new = {(d.code, d.summary) for d in again.diagnostics} - said
            if new:
                codes = sorted({code for code, _ in new})
                broken(f"an output has warnings {codes}", chosen is bare, new, text)
