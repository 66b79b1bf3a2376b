"""Attacks on time and memory: inputs of at most a megabyte that could take much more."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from .. import growing_kargo, growing_landscaper
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
FIELDS = "resources:\n  r:\n    type: a/b\n    spec:\n"
PROJECT = "kind: Project\nname: p\n"
DEPLOY = "---\nkind: Deploy\ntype: container\nname: r\n"
RUN = "---\nkind: Run\ntype: exec\nname: a#\n"
TEMPLATE = "---\nkind: ConfigTemplate\nname: t\n"
RENDERED = "---\nkind: RenderTemplate\nname: r\ntemplate: t\n"
DIGITS = "[1, 2, 3, 4, 5, 6, 7, 8, 9]"


def pieces(pattern: str, size: int = SIZE, count: int = 0) -> str:
    """So many pieces, or as many as have a size; `#` is a piece's number, `@` the one before."""
    count = count or size // (len(pattern) + 4)
    return "".join(
        [pattern.replace("#", str(n)).replace("@", str(n - 1)) for n in range(1, count + 1)]
    )


def spec(value: str) -> str:
    """A blueprint with one field."""
    return f"{NEWER}{FIELDS}      f: {value}\n"


def taking(option: str, name: str) -> tuple[str, ...]:
    """The commands that take such a file, with it."""
    lines = (line for line in COMMANDS if not line.startswith("check"))
    return tuple(f"{line} --{option} {name}" for line in lines)


def doubled(line: str, before: str) -> str:
    """Definitions of which each has the one before twice."""
    return before + pieces(line, count=40)


def _growing_projects() -> dict[str, str]:
    matrix = f"matrix: {{i: {DIGITS}}}"
    template = "---\nkind: ConfigTemplate\nname: t{}\ninputs: {{i: {{type: integer}}}}\nconfigs: "
    name = "'${{parent.name}}-${{inputs.i}}'"
    rendering = f"[{{{{kind: RenderTemplate, name: {name}, template: t{{}}, {{}}}}}}]\n"
    levels = [template.format(n) + rendering.format(n + 1, matrix) for n in range(8)]
    last = template.format(8) + "[{kind: Run, type: exec, name: '${parent.name}-${inputs.i}'}]\n"
    first = f"---\nkind: RenderTemplate\nname: r\ntemplate: t0\n{matrix}\n"
    types = ", ".join(f"{key}: {{type: integer}}" for key in "abcdefgh")
    lists = ", ".join(f"{key}: {DIGITS}" for key in "abcdefgh")
    found = {
        "templates of templates with a matrix": "".join([*levels, last, first]),
        "a matrix of eight lists": f"{TEMPLATE}inputs: {{{types}}}\nconfigs: "
        "[{kind: Run, type: exec, name: '${parent.name}-${inputs.a}'}]\n"
        f"{RENDERED}matrix: {{{lists}}}\n",
        "a template that renders itself": f"{TEMPLATE}configs: [{{kind: RenderTemplate, "
        f"name: '${{parent.name}}-x', template: t}}]\n{RENDERED}",
        "loops in loops": f"{DEPLOY}spec: {'{$forEach: [1, 2, 3, 4, 5, 6, 7, 8], $return: ' * 9}1"
        + "}" * 9,
        "a range of everything": "variables: {a: '${range(0, 1000000000)}'}\n",
        "one file of variables again and again": f"{DEPLOY}varfiles: [{'a.env, ' * 22_000}a.env]\n",
    }
    for what, line in {
        "maps": "{a: '${var.v@}', b: '${var.v@}'}",
        "lists": "['${var.v@}', '${var.v@}']",
        "joined lists": "'${concat(var.v@, var.v@)}'",
        "merges": "{a: {$merge: '${var.v@}'}, b: {$merge: '${var.v@}'}}",
        "loops": "{$forEach: [1, 2], $return: '${var.v@}'}",
        "texts": "'${var.v@}${var.v@}'",
        "concatenations": "[{$concat: '${var.v@}'}, {$concat: '${var.v@}'}]",
        "encoded texts": "'${jsonEncode([var.v@, var.v@])}'",
    }.items():
        first = "{a: 1}" if "$merge" in line else "[1, 2]"
        text = doubled(f"  v#: {line}\n", f"variables:\n  v0: {first}\n")
        found[f"{what} that double"] = f"{text}{DEPLOY}spec: {{x: '${{var.v40}}'}}\n"
    return found


def _long_projects() -> dict[str, str]:
    quarter = SIZE // 4
    names = pieces("  key#: 1\n", quarter)
    return {
        "environments": "variables: {x: 1}\nenvironments:\n"
        + pieces("  - {name: e#, variables: {v: '${var.x}'}}\n"),
        "environments and actions": "environments:\n"
        + pieces("  - {name: e#}\n", SIZE // 20)
        + pieces(f"{RUN}spec: {{x: '${{environment.name}}'}}\n", SIZE // 20),
        "dependencies that do not exist": f"{DEPLOY}dependencies:\n" + pieces("  - 'deploy.a#'\n"),
        "missing keys": f"variables:\n{names}{DEPLOY}spec:\n"
        + pieces("  k#: '${var.kye#}'\n", quarter),
        "misspelt inputs": f"{TEMPLATE}inputs:\n"
        + pieces("  input#: {type: string, default: a}\n", quarter)
        + f"configs: []\n{RENDERED}inputs:\n"
        + pieces("  inptu#: a\n", quarter),
        "misspelt templates": pieces(
            "---\nkind: ConfigTemplate\nname: temp#\nconfigs: []\n---\nkind: RenderTemplate\n"
            "name: r#\ntemplate: tmep#\n"
        ),
        "misspelt actions": pieces(f"{RUN}spec: {{x: '${{actions.run.aa#.name}}'}}\n", SIZE // 2),
        "misspelt providers": "providers:\n"
        + pieces("  - {name: prov#}\n", quarter)
        + f"{DEPLOY}spec:\n"
        + pieces("  k#: '${providers.prvo#.outputs.x}'\n", quarter),
        "a chain of actions": f"{RUN.replace('#', '0')}"
        + pieces(f"{RUN}dependencies: [run.a@]\n", SIZE // 2),
        "a cycle of actions": "---\nkind: Run\ntype: exec\nname: a0\ndependencies: [run.a5000]\n"
        + pieces(f"{RUN}dependencies: [run.a@]\n", count=5_000),
        "actions that depend on all": "".join(
            RUN.replace("#", str(n))
            + f"dependencies: [{', '.join(f'run.a{m}' for m in range(n))}]\n"
            for n in range(400)
        ),
        "a section twice with a cycle": "variables: {a: '${var.b}', b: '${var.a}'}\n" * 2,
        "isEmpty of everything": f"variables:\n{names[: SIZE // 20]}\n"
        + pieces(f"{RUN}spec: {{x: '${{isEmpty(var)}}'}}\n", SIZE // 20),
        "blocks that are not closed": f"{DEPLOY}spec: '" + "${if true}" * 50_000 + "'\n",
        "documents of nothing": "---\n" * 250_000,
        "structures in structures": f"{DEPLOY}spec: "
        + "{$if: true, $then: " * 5_000
        + "1"
        + "}" * 5_000,
    }


def _garden() -> Iterator[Attack]:
    for name, text in {**_growing_projects(), **_long_projects()}.items():
        files = {"garden.yml": PROJECT + text, "a.env": "A=1\n"}
        yield Attack(f"cost, Garden: {name}", files, COMMANDS, "garden.yml")
    for sign in ("!", "typeof ", "-", "( )", "[ ]", "a ? : 1", "upper( )", "a.b[ ]", "a || "):
        opening, _, closing = sign.partition(" ")
        opening += " "
        for count in (600, 5_000):
            text = f"{DEPLOY}spec:\n  x: >-\n    ${{{opening * count}a{closing * count}}}\n"
            name = f"cost, Garden: {count} times `{sign.strip()}`"
            yield Attack(name, {"garden.yml": PROJECT + text}, COMMANDS, "garden.yml")
    nodes = f"kind: Run\nname: n{{}}\nspec: [{'[],' * 10_000}]\n"
    files = {f"n{n}.garden.yml": nodes.format(n) for n in range(30)}
    yield Attack(
        "cost, Garden: files of nothing but nodes",
        {"garden.yml": PROJECT, **files},
        COMMANDS,
        "garden.yml",
        "--limit max_total_nodes=100000",
    )
    for depth in (900, 1_900):
        name = f"cost, Garden: folders {depth} deep"
        yield Attack(name, deep_folders(depth), COMMANDS, "garden.yml")


def _kargo() -> Iterator[Attack]:
    main, steps = growing_kargo.MAIN, growing_kargo.STEPPED
    step = "        - {uses: fail, config: {message: %}}\n"
    aliases = "".join(
        f"a#: &a# [{', '.join(['*a@'] * 10)}]\n".replace("#", str(n)).replace("@", str(n - 1))
        for n in range(1, 12)
    )
    templates = {
        "brackets in brackets": f"{'(' * 5_000}1{')' * 5_000}",
        "a pattern that goes back": f"'{'a' * 40}!' matches '(a+)+$'",
        "loops in loops": "count(1..999, count(1..999, count(1..999, true) > 0) > 0)",
        "a huge range": "1..1000000000",
        "a text that doubles": f"'ab' {'| repeat(99) ' * 9}",
        "lists of themselves": "reduce(1..5000, [#acc, #acc], 1)",
    }
    texts = {
        name: steps + step.replace("%", json.dumps("${{ " + text + " }}"))
        for name, text in templates.items()
    }
    vars_ = "      vars:\n        - {name: v0, value: ab}\n"
    chain = "        - {name: v#, value: '${{ vars.v@ + vars.v@ }}'}\n"
    texts |= {
        "aliases of aliases": f"{steps}{step.replace('%', 'x')}---\na0: &a0 [x]\n{aliases}",
        "documents of nothing": steps + step.replace("%", "x") + "---\n" * 250_000,
        "variables that double": growing_kargo.ONE
        + doubled(chain, vars_)
        + "      steps: [{uses: fail, config: {message: '${{ vars.v40 }}'}}]\n",
    }
    texts |= {name: make(SIZE)[main] for name, make in growing_kargo.PROJECTS.items()}
    lines = tuple(line.replace("resources.r", "s.steps") for line in COMMANDS)
    for name, text in texts.items():
        yield Attack(f"cost, Kargo: {name}", {main: text}, lines, main)


def _landscaper() -> Iterator[Attack]:
    main, given = growing_landscaper.MAIN, growing_landscaper.IMPORTS
    lines = [line.replace("resources.r", "deployItems") for line in COMMANDS]
    for name, make in growing_landscaper.PROJECTS.items():
        files = make(SIZE)
        options = f" --imports {given}" if given in files else ""
        commands = tuple(f"{line}{options}" for line in lines)
        yield Attack(f"cost, Landscaper: {name}", files, commands, main)
    for name, action in _ACTIONS.items():
        yield Attack(
            f"cost, GoTemplate: {name}",
            growing_landscaper.go(lambda _, a=action: a)(0),
            ("render {main}", "check {main}"),
            main,
        )
    for name, text in _EXPRESSIONS.items():
        yield Attack(
            f"cost, Spiff: {name}",
            growing_landscaper.spiff(lambda _, t=text: t)(0),
            ("render {main}", "check {main}"),
            main,
        )


_SELF: Final = '{{ $d := dict }}{{ $_ := set $d "a" $d }}'
_ACTIONS: Final = {
    "a text repeated": '{{ repeat 1000000000 "x" }}',
    "a huge range": "{{ until 1000000000 }}",
    "a loop over a huge number": "{{ range 1000000000 }}x{{ end }}",
    "loops in loops": "{{ range until 100000 }}{{ range until 100000 }}x{{ end }}{{ end }}",
    "an indent": '{{ indent 1000000000 "x" }}',
    "a width": '{{ printf "%999999999d" 1 }}',
    "a width that is given": '{{ printf "%*d" 999999999 1 }}',
    "a number of many digits": "{{ " + "9" * 5_000 + " }}",
    **{
        f"a map in itself, {name}": f"{_SELF}{{{{ {name} $d }}}}"
        for name in ("print", "toYaml", "toJson", "deepCopy", "toString", "values", "uniq")
    },
    "maps in themselves, merged": f"{_SELF}{_SELF.replace('$d', '$e')}{{{{ merge $d $e }}}}",
    "maps in themselves, compared": f"{_SELF}{_SELF.replace('$d', '$e')}{{{{ deepEqual $d $e }}}}",
    "bindings in themselves": '{{ $_ := set . "imports" . }}{{ toYaml . }}',
    "a file that includes itself": '{{ include "a.tmpl" . }}{{ include "a.tmpl" . }}',
    "a template in itself": '{{ define "t" }}{{ template "t" . }}{{ end }}{{ template "t" . }}',
    "a pattern that goes back": '{{ regexMatch "^(a+)+$" "' + "a" * 40 + '!" }}',
    "a pattern that repeats": '{{ regexMatch "((((a{30}){30}){30}){30}){30}" "aaa" }}',
    "a pattern that replaces": '{{ regexReplaceAll "" (repeat 1000000 "a") (repeat 1000 "b") }}',
    "aliases of aliases": "{{ fromYaml `a: &a [x]\nb: &b [*a,*a]\nc: [*b,*b]` | toJson }}",
    "brackets that are read": '{{ $l := repeat 100000 "[" }}{{ fromYaml $l }}{{ fromJson $l }}',
    **{
        f"long lists, {call}": "{{ $l := until 10000 }}{{ range until 100000 }}{{ $x := "
        + call
        + " }}{{ end }}"
        for call in ('has "x" $l', "sortAlpha $l", "toYaml $l", "deepEqual $l (until 10000)")
    },
    "passwords": '{{ range until 100 }}{{ derivePassword 1 "long" "p" "u" "s" }}{{ end }}',
}
_EXPRESSIONS: Final = {
    "a huge range": "a: (( [1..1000000000] ))\n",
    "sums in sums": "a: (( [1..1000] ))\nb: (( sum[a|0|s,x|->s + sum[a|0|t,y|->t + y]] ))\n",
    "a text that grows": 'a: (( sum[[1..100000]|""|s,x|->s "abcdefgh"] ))\n',
    "a pattern that goes back": 'a: (( match("^(a+)+$", "' + "a" * 40 + '!") ))\n',
    "brackets that are read": 'a: (( parse("' + "[" * 5_000 + '", "import") ))\n',
    "a lambda of itself": "f: (( &temporary(|x|->_(x)) ))\na: (( .f(1) ))\n",
    "a list that is sorted": "a: (( sort([1..100000]) ))\nb: (( sort(a, |x,y|->x < y) ))\n",
    "a width": 'a: (( format("%99999999d", 1) ))\n',
}


def deep_folders(depth: int) -> Callable[[Path], Files]:
    """A project with a file at the end of so many folders, each in the one before."""

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
        return {"garden.yml": PROJECT}

    return make


def _deep() -> dict[str, str]:
    found = {
        "nested lists": spec("[" * 100_000 + "]" * 100_000),
        "nested maps": spec("{a: " * 100_000 + "x" + "}" * 100_000),
        "lists that are not closed": spec("[" * 900_000),
        "nested question marks": spec("{? " * 100_000 + "}" * 100_000),
        "nested tags": spec("!!map {a: " * 50_000 + "x" + "}" * 50_000),
        "nested dashes": f"{HEAD}{R}metadata:\n  a:\n    {'- ' * 300_000}x\n",
        "steps to the right": f"{HEAD}{R}metadata:\n"
        + "".join(" " * n + "a:\n" for n in range(2, 1_400)),
        "a chain of values": f"{NEWER}values:\n  v0: {{type: string, value: x}}\n"
        + pieces("  v#: {type: string, value: '${values.v@}'}\n")
        + R,
        "children that include each other": f"{HEAD}include: {{a: {{path: app.yaml}}, "
        f"b: {{path: ./app.yaml}}}}\n{R}",
        "children that double": f"{HEAD}include: {{a: {{path: c0.yaml}}}}\n{R}",
    }
    for sign in ("trim( )", "list( )", "( )", '"${ }"', "values.a[ ]"):
        opening, _, closing = sign.partition(" ")
        for count in (40, 2_000):
            text = spec("'${" + opening * count + "values.a" + closing * count + "}'")
            found[f"{count} nested `{sign}` in an expression"] = text
    for what, kind, first, line in (
        ("texts", "string", "'0123456789abcdef'", "${values.v@}${values.v@}"),
        ("texts by replace", "string", "aaaa", '${replace(values.v@, "a", "aaaaaaaa")}'),
        ("texts by join", "string", "aaaa", '${join(split(values.v@, ""), values.v@)}'),
        ("lists", "array", "'${list(1, 2)}'", "${list(values.v@, values.v@)}"),
        ("objects", "object", "'${object(a=1)}'", "${object(a=values.v@, b=values.v@)}"),
        ("encoded texts", "string", "x", "${jsonencode(list(values.v@, values.v@))}"),
    ):
        head = f"{NEWER}values:\n  v0: {{type: {kind}, value: {first}}}\n"
        text = doubled(f"  v#: {{type: {kind}, value: '{line}'}}\n", head)
        found[f"{what} that double"] = f"{text}{FIELDS}      x: '${{values.v40}}'\n"
    return found


def _long() -> dict[str, str]:
    head = NEWER + "values: {v: {type: array, value: '${split(\""
    tail = '", ",")}\'}}\nresources:\n'
    names = pieces("  name#: {type: string, value: x}\n", SIZE // 3)
    numbered = [f"r{number}" for number in range(400)]
    return {
        "each of what grows": head
        + "a," * 5_000
        + f"{tail}  r: {{type: a/b, each: '${{values.v}}', spec: {{x: '"
        + "${elem}" * 100
        + "'}}\n",
        "each of each": head
        + "a," * 1_000
        + tail
        + pieces("  r#: {type: a/b, each: '${values.v}', spec: {x: '${values.v}'}}\n", count=1_000),
        "one child again and again": f"{HEAD}include:\n"
        + pieces("  c#: {path: large.yaml}\n", count=499)
        + R,
        "misspelt variables of a child": f"{HEAD}include:\n  c:\n    path: names.yaml\n"
        + "    variables:\n"
        + pieces("      nmae#: x\n", SIZE // 4)
        + R,
        "misspelt references": f"{NEWER}values:\n{names}{FIELDS}"
        + pieces("      f#: '${values.nmae#}'\n", SIZE // 3),
        "misspelt fields": f"{NEWER}{FIELDS}"
        + pieces("      field#: x\n", SIZE // 3)
        + pieces("      f#: '${resources.r.spec.filed#}'\n", SIZE // 3),
        "resources that depend on all": f"{HEAD}resources:\n"
        + "".join(
            f"  r{n}: {{type: a/b, dependsOn: {numbered[:n]}, spec: {{}}}}\n" for n in range(400)
        ),
        "labels and selectors": f"{HEAD}resources:\n"
        + pieces(
            "  r#: {type: a/b, metadata: {labels: {a: b}}, linkSelector: {byLabel: {a: b}}, "
            "spec: {}}\n"
        ),
        "transforms": f"{HEAD}transform: [{'celerity-2024-07-22, ' * 40_000}x]\n{R}",
        "aliases": f"{HEAD}a: &a [x]\n" + pieces("b#: &b# [*a, *a]\n"),
        "comments": HEAD + "#\n" * 450_000 + R,
        "empty lines": HEAD + "\n" * 900_000 + R,
        "tabs": HEAD + "\t" * 900_000 + R,
        "quotes that are not closed": f"{HEAD}a: '" + "''" * 400_000,
        "the same key": f"{HEAD}resources:\n" + "  r: {type: a/b, spec: {}}\n" * 35_000,
        "openings of expressions": spec(f"'{'${' * 400_000}'"),
        "dollars": spec(f"'{'$' * 900_000}'"),
        "a huge number": spec("9" * 900_000),
        "a huge key": f"{HEAD}{R}{'k' * 900_000}: 1\n",
        "carriage returns": HEAD + "\r" * 900_000 + R,
        "a text of many lines": spec("|\n" + "        x\n" * 90_000),
        "a reference of many parts": spec("'${values.a" + ".b" * 7_000 + "}'"),
        "many substitutions": spec(f"'{'${values.a}' * 90_000}'"),
    }


def _blueprints() -> Iterator[Attack]:
    children = {
        "large.yaml": f"{HEAD}resources:\n" + pieces("  r#: {type: a/b, spec: {x: [1]}}\n", 40_000),
        "names.yaml": f"{HEAD}variables:\n"
        + pieces("  name#: {type: string, default: x}\n", SIZE // 4)
        + R,
        "c9.yaml": HEAD + R,
    }
    for n in range(9):
        both = f"a: {{path: c{n + 1}.yaml}}, b: {{path: c{n + 1}.yaml}}"
        children[f"c{n}.yaml"] = f"{HEAD}include: {{{both}}}\n{R}"
    for name, text in {**_deep(), **_long()}.items():
        named = {file: child for file, child in children.items() if file in text or "c0" in text}
        yield Attack(f"cost: {name}", {"app.yaml": text, **named}, COMMANDS)
    argument = {
        "calls": "trim(" * 20_000 + "x" + ")" * 20_000,
        "a text": '"' + "a" * 100_000 + '"',
        "brackets": "(" * 100_000,
        "a chain": "a" + ".a" * 50_000,
        "a growing text": f'replace(replace("{"a" * 9_000}", "a", "{"a" * 9_000}"), "a", "aaaaaa")',
    }
    usual = ("eval '{argument}'", "parse '{argument}'")
    lines = (*usual, *(f"{line} --dialect garden" for line in usual), "eval '{argument}' -f {main}")
    for what, text in argument.items():
        name = f"cost: an expression of {what}"
        yield Attack(name, {"app.yaml": HEAD + R}, lines, argument=text)


def _inputs() -> Iterator[Attack]:
    resources = f"{NEWER}resources:\n" + pieces("  name#: {type: a/b, spec: {}}\n", SIZE // 3)
    state = json.dumps({"resources": {f"nmae{n}": {"id": "x"} for n in range(8_000)}})
    files = {"app.yaml": resources, "s.json": state}
    yield Attack("cost: misspelt state", files, taking("state", "s.json"))
    names = f"{HEAD}variables:\n" + pieces("  name#: {type: string, default: x}\n", SIZE // 2) + R
    files = {"app.yaml": names, "v.json": json.dumps({f"nmae{n}": "x" for n in range(10_000)})}
    yield Attack("cost: variables that nobody declared", files, taking("vars", "v.json"))
    asked = "type: a/b, filter: {field: name, operator: '=', search: n7999}"
    sources = pieces(f"  d#: {{{asked}, exports: {{x: {{type: integer}}}}}}\n", count=3_000)
    used = pieces("  r#: {type: a/b, spec: {x: '${datasources.d#.x}'}}\n", count=3_000)
    records = json.dumps({"a/b": [{"name": f"n{n}", "x": n} for n in range(8_000)]})
    files = {"app.yaml": f"{NEWER}datasources:\n{sources}resources:\n{used}", "d.json": records}
    yield Attack("cost: data sources and records", files, taking("datasources", "d.json"))
    fields = pieces("      filed#: {type: string}\n", SIZE // 3)
    source = "  d:\n    type: a/b\n    filter: {field: name, operator: '=', search: n}\n"
    record = {"name": "n", **{f"field{n}": "x" for n in range(8_000)}}
    files = {
        "app.yaml": f"{NEWER}datasources:\n{source}    exports:\n{fields}{R}",
        "d.json": json.dumps({"a/b": [record]}),
    }
    yield Attack("cost: misspelt fields of records", files, taking("datasources", "d.json"))
    for what, text in {
        "a key of many parts": "a" + ".a" * 250_000 + " = 1\n",
        "tables": pieces("[t#.a.b]\nc = 1\n"),
        "a table of many parts": "[" + "a." * 250_000 + "a]\n",
        "arrays in arrays": "a = " + "[" * 100_000 + "]" * 100_000 + "\n",
        "a huge number": f"a = {'9' * 900_000}\n",
        "tables in line": "a = " + "{a = " * 100_000 + "1" + "}" * 100_000 + "\n",
    }.items():
        files = {"app.yaml": HEAD + R, "v.toml": text}
        yield Attack(f"cost: TOML, {what}", files, taking("vars", "v.toml"))
    given = (f"render {{main}} --{one} a.json" for one in ("vars", "state", "datasources"))
    lines = ("render a.json", "check a.json", "graph a.json", *given)
    for what, text in {
        "a huge number": f"[{'9' * 900_000}]",
        "lists in lists": "[" * 500_000 + "]" * 500_000,
        "the same key": "{" + '"a": 1, ' * 100_000 + '"a": 1}',
        "escapes": '{"a": "' + "\\u0041" * 150_000 + '"}',
        "a huge exponent": '{"a": 1e' + "9" * 100_000 + "}",
        "comments": "/*" * 400_000,
    }.items():
        yield Attack(f"cost: JSON, {what}", {"app.yaml": HEAD + R, "a.json": text}, lines)
    target = '[targets.t#]\nblueprint = "app.yaml"\noutput = "o#-{a}-{b}"\n'
    both = f"matrix.a = {DIGITS}\nmatrix.b = {DIGITS}\n"
    files = {"app.yaml": HEAD + R, "bpp.toml": pieces(target + both, count=2_000)}
    yield Attack("cost: targets of a build", files, BUILD[:1])
    matrix = "".join(f"matrix.{key} = {DIGITS}\n" for key in "abcdefgh")
    files = {"app.yaml": HEAD + R, "bpp.toml": target.replace("#", "") + matrix}
    yield Attack("cost: a matrix of a build", files, BUILD)


COSTLY: Final = (*_blueprints(), *_inputs(), *_garden(), *_kargo(), *_landscaper())
