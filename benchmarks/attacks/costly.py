"""Attacks on time and memory: inputs of at most a megabyte that could take much more."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from ..growing_inputs import HEAD, NEWER
from .attack import BUILD, Attack, Files

SIZE: Final = 1_000_000
COMMANDS: Final = (
    "render {main}",
    "check {main}",
    "graph {main}",
    "why {main} resources.r",
    "eval 1 -f {main}",
)
R = "resources:\n  r: {type: a/b, spec: {x: 1}}\n"
PROJECT = "kind: Project\nname: p\n"
DEPLOY = "---\nkind: Deploy\ntype: container\nname: r\n"


def blueprint(name: str, text: str, options: str = "", **files: str) -> Attack:
    """An attack on the commands for blueprints; names of files have `_` for the dot."""
    more = {key.replace("_", "."): content for key, content in files.items()}
    return Attack(f"cost: {name}", {"app.yaml": text, **more}, COMMANDS, options=options)


def garden(name: str, text: str, options: str = "", **files: str) -> Attack:
    """The same on the commands for a Garden project, whose text is of `garden.yml`."""
    more = {key.replace("_", "."): content for key, content in files.items()}
    return Attack(
        f"cost, Garden: {name}", {"garden.yml": text, **more}, COMMANDS, "garden.yml", options
    )


def with_file(option: str, name: str) -> tuple[str, ...]:
    """The commands that take such a file, with it."""
    taking = (line for line in COMMANDS if not line.startswith("check"))
    return tuple(f"{line} --{option} {name}" for line in taking)


def spec(value: str) -> str:
    """A blueprint with one field."""
    return f"{NEWER}resources:\n  r:\n    type: a/b\n    spec:\n      f: {value}\n"


def doubling(pattern: str, count: int, before: str) -> str:
    """Lines of which each has the one before twice."""
    return before + "".join(
        pattern.replace("#", str(n)).replace("@", str(n - 1)) for n in range(1, count)
    )


def many(pattern: str, before: str = HEAD, after: str = "", size: int = SIZE) -> str:
    """A text of about that size, of numbered pieces."""
    parts = pattern.split("#")
    pieces = [str(number).join(parts) for number in range(size // (len(pattern) + 4))]
    return "".join([before, *pieces, after])


def deep_folders(depth: int) -> Callable[[Path], Files]:
    """A project at the end of so many folders, each in the one before."""

    def make(project: Path) -> Files:
        here = os.open(project, os.O_RDONLY)
        for _ in range(depth):
            os.mkdir("d", dir_fd=here)
            inner = os.open("d", os.O_RDONLY, dir_fd=here)
            os.close(here)
            here = inner
        file = os.open("garden.yml", os.O_WRONLY | os.O_CREAT, dir_fd=here)
        os.write(file, DEPLOY.encode())
        os.close(file)
        os.close(here)
        return {"garden.yml": PROJECT, "app.yaml": HEAD + R}

    return make


def _matrices(levels: int, size: int) -> str:
    text = PROJECT
    for level in range(levels):
        inner = f"t{level + 1}" if level + 1 < levels else ""
        config = (
            f"{{kind: RenderTemplate, name: '${{parent.name}}-${{inputs.i}}', template: {inner}, "
            f"matrix: {{i: [{', '.join(map(str, range(size)))}]}}}}"
            if inner
            else "{kind: Run, type: exec, name: '${parent.name}-${inputs.i}'}"
        )
        text += f"---\nkind: ConfigTemplate\nname: t{level}\ninputs: {{i: {{type: integer}}}}\nconfigs: [{config}]\n"
    numbers = ", ".join(map(str, range(size)))
    return f"{text}---\nkind: RenderTemplate\nname: all\ntemplate: t0\nmatrix: {{i: [{numbers}]}}\n"


def _garden() -> Iterator[Attack]:
    yield garden("templates that render templates with a matrix", _matrices(8, 10))
    yield garden(
        "a matrix of eight lists",
        PROJECT
        + "---\nkind: ConfigTemplate\nname: t\ninputs: {"
        + ", ".join(f"{key}: {{type: integer}}" for key in "abcdefgh")
        + "}\nconfigs: [{kind: Run, type: exec, name: '${inputs.a}'}]\n---\nkind: RenderTemplate\nname: x\n"
        "template: t\nmatrix: {"
        + ", ".join(f"{key}: [1, 2, 3, 4, 5, 6, 7, 8, 9]" for key in "abcdefgh")
        + "}\n",
    )
    yield garden(
        "a template that renders itself",
        PROJECT + "---\nkind: ConfigTemplate\nname: t\nconfigs: "
        "[{kind: RenderTemplate, name: '${parent.name}-x', template: t}]\n---\n"
        "kind: RenderTemplate\nname: x\ntemplate: t\n",
    )
    yield garden(
        "environments",
        many(
            "  - {name: e#, variables: {v: '${var.x}'}}\n",
            PROJECT + "variables: {x: 1}\nenvironments:\n",
            DEPLOY,
        ),
    )
    yield garden(
        "environments and actions",
        many("  - {name: e#}\n", PROJECT + "environments:\n", "", SIZE // 20)
        + many(
            "---\nkind: Run\ntype: exec\nname: a#\nspec: {x: '${environment.name}'}\n",
            "",
            DEPLOY,
            SIZE // 20,
        ),
    )
    for what, line in (
        ("maps that double", "  v#: {a: '${var.v@}', b: '${var.v@}'}\n"),
        ("lists that double", "  v#: ['${var.v@}', '${var.v@}']\n"),
        ("lists that double when joined", "  v#: '${concat(var.v@, var.v@)}'\n"),
        ("merges that double", "  v#: {a: {$merge: '${var.v@}'}, b: {$merge: '${var.v@}'}}\n"),
        ("loops that double", "  v#: {$forEach: [1, 2], $return: '${var.v@}'}\n"),
        ("texts that double", "  v#: '${var.v@}${var.v@}'\n"),
        ("lists that double by concat", "  v#: [{$concat: '${var.v@}'}, {$concat: '${var.v@}'}]\n"),
        ("encoded texts that double", "  v#: '${jsonEncode([var.v@, var.v@])}'\n"),
    ):
        yield garden(
            what,
            doubling(line, 40, PROJECT + "variables:\n  v0: [1, 2, 3, 4]\n")
            + DEPLOY
            + "spec: {x: '${var.v39}'}\n",
        )
    yield garden(
        "one file of variables named again and again",
        PROJECT + DEPLOY + "varfiles: [" + "a.env, " * 22_000 + "a.env]\n",
        a_env="A=1\n",
    )
    yield garden(
        "variables that nobody declared",
        many("  - 'deploy.a#'\n", PROJECT + DEPLOY + "dependencies:\n"),
    )
    yield garden(
        "keys that are missing",
        many(
            "  k#: '${var.key#x}'\n",
            PROJECT + many("  key#: 1\n", "variables:\n", "", SIZE // 4) + DEPLOY + "spec:\n",
            "",
            SIZE // 2,
        ),
    )
    yield garden(
        "misspelt inputs",
        PROJECT
        + "---\nkind: ConfigTemplate\nname: t\ninputs:\n"
        + many("  input#: {type: string, default: a}\n", "", "", SIZE // 4)
        + "configs: []\n---\nkind: RenderTemplate\nname: r\ntemplate: t\ninputs:\n"
        + many("  inptu#: a\n", "", "", SIZE // 4),
    )
    yield garden(
        "misspelt templates",
        PROJECT
        + many("---\nkind: ConfigTemplate\nname: temp#\nconfigs: []\n", "", "", SIZE // 4)
        + many("---\nkind: RenderTemplate\nname: r#\ntemplate: tmep#\n", "", "", SIZE // 4),
    )
    yield garden(
        "misspelt actions",
        PROJECT
        + many(
            "---\nkind: Deploy\ntype: container\nname: act#\nspec: {x: '${actions.deploy.atc#.name}'}\n",
            "",
            "",
            SIZE // 2,
        ),
    )
    yield garden(
        "misspelt providers",
        many("  - {name: prov#}\n", PROJECT + "providers:\n", "", SIZE // 4)
        + DEPLOY
        + "spec:\n"
        + many("  k#: '${providers.prvo#.outputs.x}'\n", "", "", SIZE // 4),
    )
    yield garden(
        "a chain of actions",
        PROJECT
        + "---\nkind: Deploy\ntype: container\nname: r\n"
        + "".join(
            f"---\nkind: Deploy\ntype: container\nname: c{n}\ndependencies: [deploy.{'r' if n == 0 else f'c{n - 1}'}]\n"
            for n in range(8_000)
        ),
    )
    yield garden(
        "actions that all depend on all",
        PROJECT
        + "".join(
            f"---\nkind: Run\ntype: exec\nname: c{n}\ndependencies: [{', '.join(f'run.c{m}' for m in range(n))}]\n"
            for n in range(400)
        ),
    )
    yield garden(
        "a cycle of many actions",
        PROJECT
        + "".join(
            f"---\nkind: Run\ntype: exec\nname: c{n}\ndependencies: [run.c{(n + 1) % 5_000}]\n"
            for n in range(5_000)
        ),
    )
    yield garden(
        "a section twice with a cycle",
        PROJECT + "variables: {a: '${var.b}', b: '${var.a}'}\n"
        "variables: {a: '${var.b}', b: '${var.a}'}\n" + DEPLOY,
    )
    yield garden(
        "isEmpty of all variables in each action",
        many("  k#: 1\n", PROJECT + "variables:\n", "", SIZE // 20)
        + many(
            "---\nkind: Run\ntype: exec\nname: a#\nspec: {x: '${isEmpty(var)}'}\n",
            "",
            DEPLOY,
            SIZE // 20,
        ),
    )
    for sign in (
        "!",
        "typeof ",
        "-",
        "(",
        "[",
        "a ? ",
        "jsonEncode(",
        "a.b[",
        "'${",
        "a || ",
        "1 + ",
    ):
        closing = {
            "(": ")",
            "[": "]",
            "jsonEncode(": ")",
            "a.b[": "]",
            "'${": "}'",
            "a ? ": " : 1",
        }.get(sign, "")
        for count in (600, 5_000):
            yield garden(
                f"{count} times `{sign.strip()}`",
                f"{PROJECT}{DEPLOY}spec:\n  x: >-\n    ${{{sign * count}a{closing * count}}}\n",
            )
    yield garden(
        "structures in structures",
        PROJECT + DEPLOY + "spec: " + "{$if: true, $then: " * 5_000 + "1" + "}" * 5_000 + "\n",
    )
    yield garden(
        "loops in loops",
        PROJECT
        + DEPLOY
        + "spec: "
        + "{$forEach: [1, 2, 3, 4, 5, 6, 7, 8, 9, 0], $return: " * 9
        + "1"
        + "}" * 9
        + "\n",
    )
    yield garden(
        "blocks that are not closed", PROJECT + DEPLOY + "spec: '" + "${if true}" * 50_000 + "'\n"
    )
    yield garden("documents of nothing", PROJECT + "---\n" * 250_000)
    yield garden(
        "a range of everything", PROJECT + "variables: {a: '${range(0, 1000000000)}'}\n" + DEPLOY
    )
    yield garden(
        "files of nothing but nodes",
        PROJECT,
        "--limit max_total_nodes=100000",
        **{
            f"n{n}_garden_yml": "kind: Run\nname: n%d\nspec: [%s]\n" % (n, "[]," * 8_000)
            for n in range(30)
        },
    )
    yield Attack("cost, Garden: folders 1,900 deep", deep_folders(1_900), COMMANDS, "garden.yml")
    yield Attack("cost, Garden: folders 900 deep", deep_folders(900), COMMANDS, "garden.yml")


def _blueprints() -> Iterator[Attack]:
    for what, opening, closing in (
        ("lists", "[", "]"),
        ("maps", "{a: ", "}"),
        ("lists that are not closed", "[", ""),
        ("question marks", "{? ", "}"),
        ("tags", "!!map {a: ", "}"),
    ):
        yield blueprint(f"nested {what}", spec(opening * 100_000 + "x" + closing * 100_000))
    yield blueprint("nested dashes", HEAD + R + "metadata:\n  a:\n    " + "- " * 300_000 + "x\n")
    yield blueprint(
        "steps to the right",
        HEAD + R + "metadata:\n" + "".join(" " * n + "a:\n" for n in range(2, 1_400)),
    )
    for what, opening, closing in (
        ("calls", "trim(", ")"),
        ("lists", "list(", ")"),
        ("brackets", "(", ")"),
        ("texts", '"${', '}"'),
        ("indexes", "values.a[", "]"),
    ):
        for count in (40, 2_000):
            yield blueprint(
                f"{count} nested {what} in an expression",
                spec("'${" + opening * count + "values.a" + closing * count + "}'"),
            )
    yield blueprint(
        "references from one to the next",
        NEWER
        + many(
            "  v#: {type: string, value: '${values.w}'}\n",
            "values:\n  w: {type: string, value: x}\n",
            R,
            SIZE,
        ),
    )
    yield blueprint(
        "a chain of values",
        NEWER
        + "values:\n  v0: {type: string, value: x}\n"
        + "".join(
            f"  v{n}: {{type: string, value: '${{values.v{n - 1}}}'}}\n" for n in range(1, 20_000)
        )
        + R,
    )
    for what, kind, start, line in (
        ("texts", "string", "'0123456789abcdef'", "${values.v@}${values.v@}"),
        ("texts by replace", "string", "aaaaaaaa", '${replace(values.v@, "a", "aaaaaaaa")}'),
        ("texts by join", "string", "aaaaaaaa", '${join(split(values.v@, ""), values.v@)}'),
        ("lists", "array", "'${list(1, 2)}'", "${list(values.v@, values.v@)}"),
        ("objects", "object", "'${object(a=1)}'", "${object(a=values.v@, b=values.v@)}"),
        ("encoded texts", "string", "'\"\"'", "${jsonencode(list(values.v@, values.v@))}"),
    ):
        text = doubling(
            f"  v#: {{type: {kind}, value: '{line}'}}\n",
            40,
            f"{NEWER}values:\n  v0: {{type: {kind}, value: {start}}}\n",
        )
        yield blueprint(
            f"{what} that double",
            text + "resources:\n  r: {type: a/b, spec: {x: '${values.v39}'}}\n",
        )
    yield blueprint(
        "each of what grows",
        NEWER
        + "values: {v: {type: array, value: '${split(\""
        + "a," * 5_000
        + '", ",")}\'}}\nresources:\n'
        "  r: {type: a/b, each: '${values.v}', spec: {x: ['" + "${elem}" * 100 + "']}}\n",
    )
    yield blueprint(
        "each of each",
        NEWER
        + "values: {v: {type: array, value: '${split(\""
        + "a," * 1_000
        + '", ",")}\'}}\nresources:\n'
        + "".join(
            f"  r{n}: {{type: a/b, each: '${{values.v}}', spec: {{x: '${{values.v}}'}}}}\n"
            for n in range(1_000)
        ),
    )
    yield blueprint(
        "children that include each other",
        HEAD + "include: {a: {path: app.yaml}, b: {path: ./app.yaml}}\n" + R,
    )
    bomb = {
        f"c{n}_yaml": f"{HEAD}include: {{a: {{path: c{n + 1}.yaml}}, b: {{path: c{n + 1}.yaml}}}}\n{R}"
        for n in range(9)
    }
    yield blueprint(
        "children that double",
        HEAD + "include: {a: {path: c0.yaml}, b: {path: c0.yaml}}\n" + R,
        "",
        **bomb,
        c9_yaml=HEAD + R,
    )
    yield blueprint(
        "one child again and again",
        HEAD + "include:\n" + "".join(f"  c{n}: {{path: c.yaml}}\n" for n in range(499)) + R,
        "",
        c_yaml=many("  r#: {type: a/b, spec: {x: [1, 2, 3]}}\n", HEAD + "resources:\n", "", 40_000),
    )
    yield blueprint(
        "variables that nobody declared",
        HEAD + "variables:\n" + many("  name#: {type: string, default: x}\n", "", R, SIZE // 2),
        "--vars v.json",
        v_json=json.dumps({f"nmae{n}": "x" for n in range(10_000)}),
    )
    yield blueprint(
        "misspelt variables of a child",
        HEAD
        + "include:\n  c:\n    path: c.yaml\n    variables:\n"
        + many("      nmae#: x\n", "", R, SIZE // 4),
        "",
        c_yaml=HEAD
        + "variables:\n"
        + many("  name#: {type: string, default: x}\n", "", R, SIZE // 4),
    )
    yield blueprint(
        "misspelt references",
        NEWER
        + "values:\n"
        + many("  name#: {type: string, value: x}\n", "", "", SIZE // 3)
        + "resources:\n  r:\n    type: a/b\n    spec:\n"
        + many("      f#: '${values.nmae#}'\n", "", "", SIZE // 3),
    )
    yield blueprint(
        "misspelt fields of a resource",
        NEWER
        + "resources:\n  s:\n    type: a/b\n    spec:\n"
        + many("      field#: x\n", "", "", SIZE // 3)
        + "  r:\n    type: a/b\n    spec:\n"
        + many("      f#: '${resources.s.spec.filed#}'\n", "", "", SIZE // 3),
    )
    resources = NEWER + "resources:\n" + many("  name#: {type: a/b, spec: {}}\n", "", "", SIZE // 3)
    state = {"resources": {f"nmae{n}": {"id": "x"} for n in range(8_000)}}
    yield Attack(
        "cost: misspelt state",
        {"app.yaml": resources, "s.json": json.dumps(state)},
        with_file("state", "s.json"),
    )
    records = json.dumps({"a/b": [{"name": f"n{n}", "x": n} for n in range(8_000)]})
    sources = (
        NEWER
        + "datasources:\n"
        + "".join(
            f"  d{n}: {{type: a/b, filter: {{field: name, operator: '=', search: n7999}}, exports: {{x: {{type: integer}}}}}}\n"
            for n in range(3_000)
        )
        + "resources:\n"
        + "".join(
            f"  r{n}: {{type: a/b, spec: {{x: '${{datasources.d{n}.x}}'}}}}\n" for n in range(3_000)
        )
    )
    yield Attack(
        "cost: data sources and records",
        {"app.yaml": sources, "d.json": records},
        with_file("datasources", "d.json"),
    )
    yield Attack(
        "cost: misspelt fields of data sources",
        {
            "app.yaml": NEWER
            + "datasources:\n  d:\n    type: a/b\n    filter: {field: name, operator: '=', search: n0}\n    exports:\n"
            + many("      filed#: {type: string}\n", "", R, SIZE // 3),
            "d.json": json.dumps(
                {"a/b": [{"name": "n0", **{f"field{n}": "x" for n in range(8_000)}}]}
            ),
        },
        with_file("datasources", "d.json"),
    )
    yield Attack(
        "cost: a key of TOML with many parts",
        {"app.yaml": HEAD + R, "v.toml": "a" + ".a" * 250_000 + " = 1\n"},
        (
            "render {main} --vars v.toml",
            "graph {main} --vars v.toml",
            "why {main} resources.r --vars v.toml",
            "diff {main} {main} --vars v.toml",
        ),
    )
    for what, text in (
        ("tables", "".join(f"[t{n}.a.b]\nc = 1\n" for n in range(50_000))),
        ("tables in tables", "[" + "a." * 250_000 + "a]\n"),
        ("arrays in arrays", "a = " + "[" * 100_000 + "]" * 100_000 + "\n"),
        ("a number of a million digits", "a = " + "9" * SIZE + "\n"),
        ("tables in line", "a = " + "{a = " * 100_000 + "1" + "}" * 100_000 + "\n"),
    ):
        yield Attack(
            f"cost: TOML, {what}",
            {"app.yaml": HEAD + R, "v.toml": text},
            ("render {main} --vars v.toml", "diff {main} {main} --vars v.toml"),
        )
    for what, text in (
        ("a number of a million digits", "[" + "9" * SIZE + "]"),
        ("lists in lists", "[" * 500_000 + "]" * 500_000),
        ("the same key", "{" + ",".join('"a": 1' for _ in range(100_000)) + "}"),
        ("escapes", '{"a": "' + "\\u0041" * 150_000 + '"}'),
        ("a huge exponent", '{"a": 1e' + "9" * 100_000 + "}"),
        ("comments", "/*" * 400_000),
    ):
        yield Attack(
            f"cost: JSON, {what}",
            {"app.json": text, "app.yaml": HEAD + R},
            (
                "render app.json",
                "check app.json",
                "graph app.json",
                "render {main} --vars app.json",
                "render {main} --state app.json",
                "render {main} --datasources app.json",
            ),
        )
    for what, text in (
        (
            "aliases",
            HEAD + "a: &a [x]\n" + "".join(f"b{n}: &b{n} [*a, *a]\n" for n in range(10_000)),
        ),
        ("comments", HEAD + "#\n" * 450_000 + R),
        ("empty lines", HEAD + "\n" * 900_000 + R),
        ("tabs", HEAD + "\t" * 900_000 + R),
        ("quotes that are not closed", HEAD + "a: '" + "''" * 400_000),
        ("the same key", HEAD + "resources:\n" + "  r: {type: a/b, spec: {}}\n" * 35_000),
        ("openings of expressions", spec("'" + "${" * 400_000 + "'")),
        ("dollars", spec("'" + "$" * 900_000 + "'")),
        ("a huge number", spec("9" * 900_000)),
        ("a huge key", HEAD + R + "k" * 900_000 + ": 1\n"),
        ("carriage returns", (HEAD + R).replace("\n", "\r\n") + "\r" * 900_000),
        ("a text of many lines", spec("|\n" + "        x\n" * 90_000)),
        ("a reference of many parts", spec("'${values.a" + ".b" * 7_000 + "}'")),
        ("sums of texts", spec("'" + "${values.a}" * 90_000 + "'")),
        (
            "names of resources that all depend",
            HEAD
            + "resources:\n"
            + "".join(
                f"  r{n}: {{type: a/b, dependsOn: [{', '.join(f'r{m}' for m in range(n))}], spec: {{}}}}\n"
                for n in range(400)
            ),
        ),
        (
            "labels and selectors",
            HEAD
            + "resources:\n"
            + "".join(
                f"  r{n}: {{type: a/b, metadata: {{labels: {{a: b}}}}, linkSelector: {{byLabel: {{a: b}}}}, spec: {{}}}}\n"
                for n in range(5_000)
            ),
        ),
        ("transforms", HEAD + "transform: [" + "celerity-2024-07-22, " * 40_000 + "x]\n" + R),
    ):
        yield blueprint(f"YAML, {what}", text)
    for what, expression in (
        ("calls", "trim(" * 20_000 + "x" + ")" * 20_000),
        ("a text", '"' + "a" * 100_000 + '"'),
        ("brackets", "(" * 100_000),
        ("a chain", "a" + ".a" * 50_000),
        (
            "a growing text",
            'replace(replace(replace("'
            + "a" * 9_000
            + '", "a", "'
            + "a" * 5_000
            + '"), "a", "aaaaaaaaaa"), "a", "aaaaaaaaaaa")',
        ),
    ):
        yield Attack(
            f"cost: an expression of {what}",
            {"app.yaml": HEAD + R},
            (
                "eval '{argument}'",
                "parse '{argument}'",
                "eval '{argument}' --dialect garden",
                "parse '{argument}' --dialect garden",
                "eval '{argument}' -f {main}",
            ),
            argument=expression,
        )
    targets = "".join(
        f'[targets.t{n}]\nblueprint = "app.yaml"\noutput = "o{n}"\nmatrix.a = [1, 2, 3, 4, 5, 6, 7, 8, 9]\nmatrix.b = [1, 2, 3, 4, 5, 6, 7, 8, 9]\n'
        for n in range(2_000)
    )
    yield Attack(
        "cost: targets of a build", {"app.yaml": HEAD + R, "bpp.toml": targets}, ("build --check",)
    )
    yield Attack(
        "cost: a matrix of a build",
        {
            "app.yaml": HEAD + R,
            "bpp.toml": '[targets.t]\nblueprint = "app.yaml"\noutput = "o-{a}"\n'
            + "".join(f"matrix.{key} = [1, 2, 3, 4, 5, 6, 7, 8, 9]\n" for key in "abcdefgh"),
        },
        BUILD,
    )


COSTLY: Final = (*_blueprints(), *_garden())
