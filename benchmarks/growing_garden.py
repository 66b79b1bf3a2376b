"""Garden projects of any size, ordinary and hostile, for `benchmarks.growth`.

Each function makes the files of a project of about so many bytes; the main one is `garden.yml`.
Whether a project is valid does not matter: some answer must come, in a time that grows as the
files do.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Final

MAIN: Final = "garden.yml"
HEAD: Final = "kind: Project\nname: p\n"
LOCAL: Final = "environments: [{name: local}]\n"

Files = dict[str, str]
MakeProject = Callable[[int], Files]
"""Makes the files of a project by name."""


def _filled(size: int, piece: str, before: str, after: str = "") -> str:
    """A piece again and again, with its number in the place of `#`, until a text has a size."""
    parts = [before]
    have = len(before) + len(after)
    for number in count():
        if have >= size:
            break
        part = piece.replace("#", str(number))
        parts.append(part)
        have += len(part)
    return "".join([*parts, after])


def _numbered(piece: str, before: str = HEAD + LOCAL, after: str = "") -> MakeProject:
    """One file: a text with a number in the place of `#`, again and again."""
    return lambda size: {MAIN: _filled(size, piece, before, after)}


def _fitting(size: int, number: int, make: Callable[[int], str]) -> str:
    """What is made of about as many pieces as fit; the first number is too high."""
    text = make(number)
    while len(text) > size and number > 1:
        number = max(1, min(number - 1, number * size // len(text)))
        text = make(number)
    return text


def _halves(first: str, second: str, before: str = HEAD + LOCAL, after: str = "") -> MakeProject:
    """One file: as many of one text as of another after it."""

    def made(number: int) -> str:
        parts = [text.replace("#", str(n)) for text in (first, second) for n in range(number)]
        return "".join([before, *parts, after])

    return lambda size: {MAIN: _fitting(size, size // len(first + second), made)}


def _last(number: int, piece: str, end: str) -> str:
    """Pieces with `#` for a number and `%` for the next one; `end` in the place of the last."""
    made = [piece.replace("#", str(n)).replace("%", str(n + 1)) for n in range(number)]
    return "".join([*made, end.replace("#", str(number))])


def _chain(piece: str, end: str, before: str = HEAD + LOCAL, after: str = "") -> MakeProject:
    """Pieces of which each (`#`) leads to the next (`%`)."""

    def made(number: int) -> str:
        return before + _last(number, piece, end) + after

    return lambda size: {MAIN: _fitting(size, size // len(piece), made)}


def _one_deploy(lines: str) -> str:
    return f"---\nkind: Deploy\nname: one\ntype: exec\n{lines}"


_DEPLOY: Final = "---\nkind: Deploy\nname: d#\ntype: exec\n"
_ENVIRONMENT: Final = "  - name: e#\n"
_FIELD: Final = "  f#: "
_SPEC: Final = _one_deploy("spec:\n")
_VARIABLES: Final = f"{HEAD}{LOCAL}variables:\n"


def _environments_by_actions(size: int) -> Files:
    """Half of the text are environments, half are actions."""
    head = _filled(size // 2, _ENVIRONMENT, f"{HEAD}environments:\n")
    return {MAIN: _filled(size, _DEPLOY + "spec: {a: '${environment.name}'}\n", head)}


def _environments_with_variables(size: int) -> Files:
    """Environments with variables and a provider each, and actions that use the variables."""
    one = "  - name: e#\n    variables: {v: x#}\n    providers: [{name: exec, x: '${var.v}'}]\n"
    head = _filled(size // 2, one, f"{HEAD}variables: {{a: b}}\nenvironments:\n")
    return {MAIN: _filled(size, _DEPLOY + "spec: {a: '${var.v}'}\n", head)}


def _varfiles(size: int, names: str) -> Files:
    """One file of variables that takes half of the size, and an action that names it often."""
    half = size // 2
    text = _numbered(names, HEAD + LOCAL + _one_deploy("varfiles:\n"))(half)[MAIN]
    return {MAIN: text, "v.env": _filled(half, "KEY#=value\n", "")}


def _varfile_of_each(size: int) -> Files:
    """One file of variables that takes half of the size, named by many actions."""
    half = size // 2
    text = _filled(half, _DEPLOY + "varfile: v.env\nspec: {a: '${var.KEY0}'}\n", HEAD + LOCAL)
    return {MAIN: text, "v.env": _filled(half, "KEY#=value\n", "")}


def _many_files(size: int) -> Files:
    """As many files as the limit of them allows, all of one size."""
    number = min(400, max(2, size // 100))
    share = size // number
    files = {MAIN: HEAD + LOCAL}
    for n in range(number):
        one = f"kind: Build\nname: f{n}-#\ntype: exec\n---\n"
        files[f"a{n}/{MAIN}"] = _filled(share, one, "").removesuffix("---\n")
    return files


def _ignored(line: str) -> MakeProject:
    """Half of the size in lines of an ignore file, and a file in each of some folders."""

    def make(size: int) -> Files:
        number = min(100, max(2, size // 400))
        build = "kind: Build\nname: f%\ntype: exec\n"
        files = {f"{'a' * 60}{n}/{MAIN}": build.replace("%", str(n)) for n in range(number)}
        return {MAIN: HEAD + LOCAL, ".gardenignore": _filled(size // 2, line, ""), **files}

    return make


def _ignore_file_of_each(size: int) -> Files:
    """Folders in folders, each with an ignore file."""
    depth = min(60, max(2, size // 200))
    files = {MAIN: HEAD + LOCAL}
    for n in range(depth):
        folder = "d/" * n
        files[f"{folder}.gardenignore"] = _filled(size // depth, f"/x{n}-#/**/y*\n", "")
        files[f"{folder}x.garden.yml"] = f"kind: Build\nname: b{n}\ntype: exec\n"
    return files


def _matrix(width: int, depth: int) -> MakeProject:
    """Templates that render templates with a matrix each; comments fill the size."""
    values = f"[{', '.join(map(str, range(width)))}]"
    parts = [HEAD + LOCAL]
    for n in range(depth):
        inner = f"{{kind: RenderTemplate, name: 'r{n}-${{inputs.x}}', template: t{n + 1}, "
        inner += f"inputs: {{y: '${{inputs.x}}'}}, matrix: {{x: {values}}}}}"
        parts.append(f"---\nkind: ConfigTemplate\nname: t{n}\nconfigs: [{inner}]\n")
    last = "{kind: Build, type: exec, name: 'b-${inputs.x}'}"
    parts.append(f"---\nkind: ConfigTemplate\nname: t{depth}\nconfigs: [{last}]\n")
    parts.append("---\nkind: RenderTemplate\nname: r\ntemplate: t0\ninputs: {x: 0}\n")
    text = "".join(parts)
    return lambda size: {MAIN: text + "# and so on\n" * ((size - len(text)) // 12)}


def _one_matrix(size: int) -> Files:
    """A template with one wide matrix."""
    template = "---\nkind: ConfigTemplate\nname: t\nconfigs: "
    template += "[{kind: Build, type: exec, name: 'b-${inputs.x}'}]\n"
    render = "---\nkind: RenderTemplate\nname: r\ntemplate: t\nmatrix: {x: ["
    return {MAIN: _filled(size, "#, ", HEAD + LOCAL + template + render, "z]}\n")}


def _template(inputs: str, body: str) -> str:
    return f"---\nkind: ConfigTemplate\nname: t\n{inputs}configs: [{body}]\n"


_BUILD: Final = "{kind: Build, type: exec, name: '${parent.name}'}"
_USE: Final = "---\nkind: RenderTemplate\nname: r#\ntemplate: t\ninputs: "


def _wrong_inputs(size: int) -> Files:
    """Uses of a template with many inputs, each with an input that it does not have."""
    template = _filled(size // 2, "  name#: {type: string, default: x}\n", "inputs:\n")
    before = HEAD + LOCAL + _template(template, _BUILD)
    return {MAIN: _filled(size, _USE + "{nam#: x}\n", before)}


def _inputs_of_one(size: int) -> Files:
    """One use of a template with many wrong inputs."""
    template = _filled(size // 2, "  name#: {type: string, default: x}\n", "inputs:\n")
    before = HEAD + LOCAL + _template(template, _BUILD)
    use = _USE.replace("#", "") + "\n"
    return {MAIN: _filled(size, "  nam#: x\n", before + use)}


def _inputs_by_uses(size: int) -> Files:
    """Many uses of a template with many inputs, all of which have defaults."""
    template = _filled(size // 2, "  name#: {type: string, default: x}\n", "inputs:\n")
    before = HEAD + LOCAL + _template(template, _BUILD)
    return {MAIN: _filled(size, _USE + "{}\n", before)}


def _configs_by_uses(size: int) -> Files:
    """A template with many configurations, rendered by a matrix."""
    one = "  - {kind: Build, type: exec, name: 'b#-${inputs.x}'}\n"
    head = HEAD + LOCAL + "---\nkind: ConfigTemplate\nname: t\nconfigs:\n"
    text = _filled(size // 2, one, head)
    use = "---\nkind: RenderTemplate\nname: r\ntemplate: t\nmatrix: {x: ["
    return {MAIN: _filled(size, "#, ", text + use, "z]}\n")}


def _schema(size: int) -> Files:
    """A template with a schema of many inputs, of which each has many allowed values."""
    share = int(size**0.5)
    allowed = f"[{', '.join(f'{n}' for n in range(share // 5))}]"
    one = f'"n#": {{"type": "integer", "enum": {allowed}}}, '
    schema = _filled(size // 2, one, '{"properties": {', '"z": {"type": "null"}}}')
    before = HEAD + LOCAL + _template("inputsSchemaPath: s.json\n", _BUILD)
    given = _filled(size - len(schema), "  n#: x\n", before + _USE.replace("#", "") + "\n")
    return {MAIN: given, "s.json": schema}


def _doubling(piece: str, start: str, levels: int = 60, after: str = "") -> MakeProject:
    """Variables of which each (`%`) has the one before (`#`) twice, in groups of `levels`."""

    def made(groups: int) -> str:
        parts = [_VARIABLES]
        for group in range(groups):
            parts.append(f"  g{group}a0: {start}\n")
            for n in range(levels):
                one = piece.replace("#", f"g{group}a{n}").replace("%", f"g{group}a{n + 1}")
                parts.append(one)
        return "".join([*parts, after])

    return lambda size: {MAIN: _fitting(size, max(1, size // (levels * len(piece))), made)}


def _nested(opening: str, closing: str, depth: int, middle: str = "x") -> str:
    return opening * depth + middle + closing * depth


def _deep(opening: str, closing: str = "", middle: str = "x", most: int = 10**9) -> MakeProject:
    """One field whose structures or operators are inside one another."""

    def make(size: int) -> Files:
        depth = min(most, size // (len(opening) + len(closing)))
        return {MAIN: f"{HEAD}{LOCAL}{_SPEC}  f: {_nested(opening, closing, depth, middle)}\n"}

    return make


def _fields(pattern: str, before: str = _VARIABLES + "  a: x\n  n: null\n") -> MakeProject:
    """Fields of one action, each with a number in the place of `#`."""
    return _numbered(f"{_FIELD}{pattern}\n", before + _SPEC)


def _operators(opening: str, middle: str = "var.a", closing: str = "", depth: int = 25) -> str:
    return f"'${{{_nested(opening, closing, depth, middle)}}}'"


_LIST: Final = f"{_VARIABLES}  l: [{', '.join(map(str, range(200)))}]\n  a: x\n"
_LONG: Final = f"{_VARIABLES}  a: '{'word ' * 1000}'\n"


_OF_VARIABLES: Final = "  v#: x\n"

PROJECTS: Final[dict[str, MakeProject]] = {
    "actions": _numbered(_DEPLOY + "spec: {a: 1}\n"),
    "actions with references": _numbered(
        _DEPLOY + "spec: {a: '${actions.deploy.d0.var.x}'}\nvariables: {x: '${var.a}'}\n",
        f"{HEAD}{LOCAL}variables: {{a: b}}\n",
    ),
    "environments": _numbered(_ENVIRONMENT, f"{HEAD}environments:\n"),
    "environments and actions": _environments_by_actions,
    "environments with variables": _environments_with_variables,
    "equal environments": _numbered("  - name: e\n", f"{HEAD}environments:\n"),
    "environments with wrong variables": _numbered(
        "  - name: e#\n    variables: {v: '${var.w#}'}\n", f"{HEAD}environments:\n"
    ),
    "bad dependencies": _numbered(_DEPLOY + "dependencies: [deploy.e#]\n"),
    "bad dependencies of one": _halves(_DEPLOY, "  - deploy.e#\n", after=""),
    "bad kinds of dependencies": _numbered(_DEPLOY + "dependencies: [deplo.d#]\n"),
    "missing keys": _halves(_OF_VARIABLES, f"{_FIELD}${{var.w#}}\n", _VARIABLES),
    "missing actions": _numbered(_DEPLOY + "spec: {a: '${actions.deploy.e#.name}'}\n"),
    "missing providers": _numbered(
        f"{_FIELD}${{providers.q#.x}}\n", f"{HEAD}{LOCAL}providers: [{{name: exec}}]\n{_SPEC}"
    ),
    "missing functions": _fields("${triim(var.a)}-#"),
    "missing templates": _halves(
        _template("", _BUILD).replace("name: t", "name: t#"),
        _USE.replace(": t\n", ": u#\n") + "{}\n",
    ),
    "wrong inputs": _wrong_inputs,
    "wrong inputs of one": _inputs_of_one,
    "inputs and uses": _inputs_by_uses,
    "unknown kinds": _numbered("---\nkind: Deplo#\nname: d#\n"),
    "chain of actions": _chain(
        "---\nkind: Deploy\nname: d#\ntype: exec\ndependencies: [deploy.d%]\n",
        "---\nkind: Deploy\nname: d#\ntype: exec\n",
    ),
    "actions that refer to each other": _chain(
        _DEPLOY + "variables: {x: '${actions.deploy.d%.name}'}\n", _DEPLOY
    ),
    "chain of variables": _chain("  v#: ${var.v%}\n", "  v#: x\n", _VARIABLES),
    "circle of variables": _chain("  v#: ${var.v%}\n", "  v#: ${var.v0}\n", _VARIABLES),
    "variables": _numbered(_OF_VARIABLES, _VARIABLES),
    "variables used by actions": _halves(
        _OF_VARIABLES, _DEPLOY + "spec: {a: '${var.v#}'}\n", _VARIABLES
    ),
    "the whole of the variables": _halves(
        _OF_VARIABLES, _DEPLOY + "spec: {a: '${isEmpty(var)}'}\n", _VARIABLES
    ),
    "all variables in each action": _halves(
        _OF_VARIABLES, _DEPLOY + "spec: {$merge: '${var}'}\n", _VARIABLES
    ),
    "all variables in conditions": _halves(
        _OF_VARIABLES, _DEPLOY + "spec: {a: '${typeof var == \"object\" ? 1 : 2}'}\n", _VARIABLES
    ),
    "maps of variables in each action": _halves(
        "    v#: x\n", _DEPLOY + "variables: {m: {w#: y}}\n", f"{_VARIABLES}  m:\n"
    ),
    "lists of variables in each action": _halves(
        "    - x#\n", _DEPLOY + "variables: {m: [y#]}\n", f"{_VARIABLES}  m:\n"
    ),
    "varfiles repeated": lambda size: _varfiles(size, "  - v.env\n"),
    "varfiles in other spelling": lambda size: _varfiles(size, "  - ./#/../v.env\n"),
    "varfiles that do not exist": lambda size: _varfiles(size, "  - v#.env\n"),
    "varfile of each action": _varfile_of_each,
    "many files": _many_files,
    "matrices in templates": _matrix(10, 8),
    "wide matrices in templates": _matrix(300, 8),
    "templates in templates": _matrix(2, 9),
    "a template that renders itself": lambda size: {
        MAIN: _filled(
            size,
            "{kind: RenderTemplate, name: 'a#-${parent.name}', template: t}, ",
            HEAD + LOCAL + "---\nkind: ConfigTemplate\nname: t\nconfigs: [",
            "]\n---\nkind: RenderTemplate\nname: r\ntemplate: t\n",
        )
    },
    "one matrix": _one_matrix,
    "configurations and a matrix": _configs_by_uses,
    "schemas": _schema,
    "loop over configurations": lambda size: {
        MAIN: _filled(
            size,
            "#, ",
            HEAD + LOCAL + "---\nkind: ConfigTemplate\nname: t\nconfigs: {$forEach: [",
            "z], $return: {kind: Build, type: exec, name: 'b${item.value}'}}\n"
            + _USE.replace("#", "")
            + "{}\n",
        )
    },
    "maps that double": _doubling("  %: {l: '${var.#}', r: '${var.#}'}\n", "{x: 1}"),
    "lists that double": _doubling("  %: ['${var.#}', '${var.#}']\n", "[1]"),
    "concatenations that double": _doubling(
        "  %: [$concat: '${var.#}', $concat: '${var.#}']\n", "[1, 2]"
    ),
    "merges that double": _doubling("  %: {$merge: '${var.#}', l%: '${var.#}'}\n", "{x: 1}"),
    "sums that double": _doubling("  %: ${concat(var.#, var.#)}\n", "[1, 2]"),
    "texts that double": _doubling("  %: ${var.#}${var.#}\n", "x"),
    "joins that double": _doubling('  %: ${join([var.#, var.#], "-")}\n', "x"),
    "replacements that square": _doubling('  %: ${replace(var.#, "x", var.#)}\n', "xx", 20),
    "JSON that doubles": _doubling("  %: ${jsonEncode([var.#, var.#])}\n", "x", 30),
    "YAML that doubles": _doubling("  %: ${yamlEncode([var.#, var.#])}\n", "x", 30),
    "loops that double": _doubling(
        "  %: {$forEach: ['${var.#}', '${var.#}'], $return: '${item.value}'}\n", "[1]"
    ),
    "loops that square": _doubling(
        "  %: {$forEach: '${var.#}', $return: {$concat: '${var.#}'}}\n", "[1, 2, 3]", 20
    ),
    "unknown texts that double": _doubling("  %: ${var.#}-${var.#}\n", "'${local.username}-a'"),
    "unknown lists that double": _doubling("  %: '${[var.#, var.#]}'\n", "'${local.username}'"),
    "unknown maps that double": _doubling(
        "  %: {l: '${var.#}', r: '${var.#}'}\n", "{x: '${local.username}'}"
    ),
    "negations": _fields(_operators("!"), _VARIABLES + "  a: x\n"),
    "negations without end": _deep("!", "", "true}'", 15_000),
    "one long negation": lambda size: {
        MAIN: f"{HEAD}{LOCAL}{_SPEC}  f: '${{{'!' * min(size, 16_000)}true}}'\n"
    },
    "one long typeof": lambda size: {
        MAIN: f"{HEAD}{LOCAL}{_SPEC}  f: '${{{'typeof ' * (min(size, 16_000) // 7)}true}}'\n"
    },
    "choices": _fields(f"'${{{'var.n ? 1 : ' * 300}2}}'"),
    "choices in choices": _fields(_operators("var.a ? (", "1", ") : 2", 20)),
    "sums": _fields(f"'${{{' + '.join(['1'] * 1000)}}}'"),
    "alternatives": _fields(f"'${{{' || '.join(['var.n'] * 500)}}}'"),
    "alternatives of unknown values": _fields(f"'${{{' || '.join(['local.env.X'] * 300)}}}'"),
    "keys of keys": _fields(_operators("var[", "var.a", "]", 15)),
    "many steps": _fields(f"'${{local.env{'.a' * 2000}}}'"),
    "many substitutions in a text": _fields("${var.a}" * 400),
    "blocks in texts": _fields("'" + _nested("${if var.a}", "${endif}", 20) + "'"),
    "texts in texts": _fields('\'${"${"${"${var.a}"}"}"}\''),
    "keys that end nowhere": _fields("${var[}"),
    "openers that never close": _fields("${" * 500),
    "structures in structures": _deep("{$if: true, $then: ", "}", most=10**9),
    "merges in merges": _deep("{$merge: ", "}", "{a: 1}"),
    "loops in loops": _fields(
        "{$forEach: '${var.l}', $return: {$forEach: '${var.l}', $return: '${item.value}'}}", _LIST
    ),
    "loops in loops in loops": _fields(
        "{$forEach: '${var.l}', $return: {$forEach: '${var.l}', $return: "
        "{$forEach: '${var.l}', $return: 1}}}",
        _LIST,
    ),
    "loops that drop all": _fields(
        "{$forEach: '${var.l}', $filter: '${item.value == 1000}', $return: 1}", _LIST
    ),
    "loops over unknown values": _fields(
        "{$forEach: '${actions.build.x#.outputs.l}', $return: '${item.value}'}"
    ),
    "conditions that are unknown": _fields(
        "{$if: '${local.env.X == \"#\"}', $then: '${var.a}', $else: 2}"
    ),
    "a long text split and joined": _fields('${join(split(var.a, "w"), "-#")}', _LONG),
    "a long text replaced": _fields('${replace(var.a, "o", "$`#")}', _LONG),
    "a long text searched": _fields('${var.a contains "x#"}', _LONG),
    "a long text decoded": _fields('${yamlDecode("[" + var.a + "]")}', _LONG),
    "ranges": _fields("${range(1, 20000)}"),
    "long ranges": _fields("${range(1, 900000)[0]}"),
    "slices of ranges": _fields("${slice(range(1, 100000), 1, 3)}"),
    "indents": _fields("${indent(var.a, 1000)}", _LONG.replace("word ", "w\\n").replace("'", '"')),
    "words": _fields("${kebabCase(var.a)}", _LONG),
    "hashes": _fields("${sha256(var.a)}", _LONG),
    "long names": _numbered(
        "---\nkind: Deploy\nname: d#" + "n" * 900 + "\ntype: exec\ndependencies: [deploy.x#]\n"
    ),
    "long keys": _fields("${var." + "k" * 900 + "#}"),
    "deep maps that merge": lambda size: {
        MAIN: _filled(
            size,
            _DEPLOY
            + f"variables: {_nested('{a: ', '}', 40, '{b#: 1}')}\nspec: {{x: '${{var.a}}'}}\n",
            f"{HEAD}{LOCAL}variables: {_nested('{a: ', '}', 40, '{b: 1}')}\n",
        )
    },
    "empty documents": _numbered("---\n"),
    "documents without a kind": _numbered("---\na: #\n"),
    "documents that are lists": _numbered("---\n- a\n"),
    "equal actions": _numbered("---\nkind: Deploy\nname: d\ntype: exec\n"),
    "projects": _numbered("---\nkind: Project\nname: p#\n"),
    "misplaced structures": _numbered("---\nkind: Deploy\nname: d#\n$merge: {}\n"),
    "wrong structures": _fields("{$if: true, $els: #}"),
    "environment lists of providers": _numbered(
        "  - {name: p#, environments: [local], x: '${var.a}'}\n",
        f"{_VARIABLES}  a: x\nproviders:\n",
    ),
    "providers that ask each other": _chain(
        "  - {name: p#, x: '${providers.p%.config.x}'}\n",
        "  - {name: p#, x: y}\n",
        f"{HEAD}{LOCAL}providers:\n",
    ),
    "providers of each action": _halves(
        "  - {name: p#, x: y}\n",
        _DEPLOY + "spec: {a: '${providers.p#.config.x}'}\n",
        f"{HEAD}{LOCAL}providers:\n",
    ),
    "all providers in each action": _halves(
        "  - {name: p#, x: y}\n",
        _DEPLOY + "spec: {a: '${jsonEncode(providers)}'}\n",
        f"{HEAD}{LOCAL}providers:\n",
    ),
    "disabled actions": _numbered(
        _DEPLOY + "disabled: ${var.a == 'x'}\nspec: {a: '${actions.deploy.d0.disabled}'}\n",
        _VARIABLES + "  a: x\n",
    ),
    "lines of an ignore file": _ignored("x#\n"),
    "wildcards in an ignore file": _ignored("*a" * 30 + "b#\n"),
    "ignore files of folders": _ignore_file_of_each,
    "globs of a scan": lambda size: {
        MAIN: _filled(size, "'**/a*/#', ", f"{HEAD}{LOCAL}scan: {{exclude: [", "z]}\n"),
        f"a/b/{MAIN}": "kind: Build\nname: b\ntype: exec\n",
    },
    "braces in a glob": lambda size: {
        MAIN: _filled(size, "{a,b}", f"{HEAD}{LOCAL}scan: {{exclude: ['", "']}\n"),
    },
}
