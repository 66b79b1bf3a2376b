"""Landscaper blueprints of any size, ordinary and hostile, for `benchmarks.growth` and the attacks.

Each function makes the files of a blueprint of about so many bytes; the main one is
`blueprint.yaml`. Whether the blueprint is valid does not matter: some answer must come, in a time
that grows as the files do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from .growing_garden import _filled, _fitting, _last, _nested

MAIN: Final = "blueprint.yaml"
IMPORTS: Final = "imports.yaml"
HEAD: Final = "apiVersion: landscaper.gardener.cloud/v1alpha1\nkind: Blueprint\n"
_DATA: Final = "imports:\n- {name: x, type: data, schema: {}}\n"
_GIVEN: Final = "imports: {x: abcdefgh}\n"
_DEPLOY: Final = "deployExecutions:\n"
_GO: Final = "- {name: e, type: GoTemplate, file: a.tmpl}\n"
_SPIFF: Final = "- {name: e, type: Spiff, file: a.yaml}\n"
_ITEM: Final = "- {name: d#, type: a/b, config: {k: #}}\n"
NOTHING: Final = HEAD + "deployExecutions: []\n"

Files = dict[str, str]
MakeProject = Callable[[int], Files]
"""Makes the files of a blueprint by name."""


def _blueprint(piece: str, before: str = HEAD, after: str = "") -> MakeProject:
    """One file: a text with a number in the place of `#`, again and again."""
    return lambda size: {MAIN: _filled(size, piece, before, after)}


def go(make: Callable[[int], str]) -> MakeProject:
    """A deploy execution of GoTemplate, whose template is made of a size."""
    return lambda size: {
        MAIN: HEAD + _DATA + _DEPLOY + _GO,
        "a.tmpl": make(size),
        IMPORTS: _GIVEN,
    }


def spiff(make: Callable[[int], str]) -> MakeProject:
    """A deploy execution of Spiff, whose template is made of a size."""
    return lambda size: {
        MAIN: HEAD + _DATA + _DEPLOY + _SPIFF,
        "a.yaml": make(size),
        IMPORTS: _GIVEN,
    }


def _lines(piece: str, before: str = "", after: str = "") -> Callable[[int], str]:
    return lambda size: _filled(size, piece, before, after)


def _deep(opening: str, closing: str = "", middle: str = "x") -> Callable[[int], str]:
    return lambda size: _nested(opening, closing, size // len(opening + closing), middle)


def _chain(piece: str, end: str, before: str = "") -> Callable[[int], str]:
    """Pieces of which each (`#`) leads to the next (`%`)."""

    def made(number: int) -> str:
        return before + _last(number, piece, end)

    return lambda size: _fitting(size, size // len(piece), made)


def _given(make: Callable[[int], str], schema: str = "{}", template: str = "x: 1\n") -> MakeProject:
    """One import, which takes the size, and its schema."""
    head = f"{HEAD}imports:\n- {{name: x, type: data, schema: {schema}}}\n{_DEPLOY}{_GO}"
    return lambda size: {MAIN: head, IMPORTS: make(size), "a.tmpl": template}


def _schema(make: Callable[[int], str], value: str = "{}") -> MakeProject:
    """One import, whose schema takes the size."""
    head = f"{HEAD}imports:\n- name: x\n  type: data\n  schema: "
    return lambda size: {MAIN: f"{head}{make(size)}\n", IMPORTS: f"imports: {{x: {value}}}\n"}


def _doubled(piece: str, before: str, after: str, levels: int = 40) -> Callable[[int], str]:
    """Pieces of which each has the one before twice; comments fill the size."""
    text = before + "".join(
        piece.replace("#", str(n)).replace("%", str(n + 1)) for n in range(levels)
    )
    return lambda size: text + after + "\n" + "# and so on\n" * ((size - len(text)) // 12)


def _many_files(size: int) -> Files:
    """As many files as the limit of them allows, all of which one template includes."""
    number = min(400, max(2, size // 200))
    share = size // number
    files = {MAIN: HEAD + _DATA + _DEPLOY + _GO, IMPORTS: _GIVEN}
    files["a.tmpl"] = "".join(f'{{{{ include "f{n}.tmpl" . }}}}\n' for n in range(number))
    return files | {f"f{n}.tmpl": _filled(share, "{{ .imports.x }}#\n", "") for n in range(number)}


def _subinstallations(size: int) -> Files:
    """Subinstallations, each of which takes what the one before gives."""
    one = (
        "- name: s#\n  blueprint: {filesystem: {blueprint.yaml: ''}}\n"
        "  imports: {data: [{name: x, dataRef: d#}]}\n  exports: {data: [{name: y, dataRef: d%}]}\n"
    )
    made = _chain(one, "", HEAD + "subinstallations:\n")
    return {MAIN: made(size)}


GO: Final[dict[str, Callable[[int], str]]] = {
    "text": _lines("- just text, #\n"),
    "items": _lines(
        _ITEM.replace("config: {k: #}", "config: {k: '{{ .imports.x }}'}"), "deployItems:\n"
    ),
    "actions": _lines("a#: {{ .imports.x | upper | quote }}\n"),
    "assignments": _lines("{{ $a# := .imports.x }}"),
    "templates that are defined": _lines('{{ define "t#" }}x{{ end }}'),
    "templates that are used": _lines('{{ template "t" . }}\n', '{{ define "t" }}x{{ end }}'),
    "missing functions": _lines("{{ nofunction# 1 }}\n"),
    "missing values": _lines("a#: {{ .imports.nothing# }}\n"),
    "missing templates": _lines('{{ template "t#" }}\n'),
    "wrong arguments": _lines("{{ add# 1 2 }}{{ upper }}\n"),
    "blocks that are not closed": _lines("{{ if .imports.x }}\n"),
    "ends without a block": _lines("{{ end }}\n"),
    "actions that are not closed": _lines("{{ "),
    "strings that are not closed": _lines('{{ "'),
    "comments": _lines("{{/* # */}}"),
    "blocks in blocks": _deep("{{ if true }}", "{{ end }}"),
    "loops in loops": _deep("{{ range list 1 2 }}", "{{ end }}"),
    "brackets in brackets": lambda size: "{{ " + _nested("(", ")", size // 2, "1") + " }}",
    "pipes": lambda size: "{{ 1" + " | add 1" * (size // 8) + " }}",
    "fields": lambda size: "{{ ." + "a." * (size // 2) + "a }}",
    "branches": lambda size: (
        "{{ if false }}x" + "{{ else if false }}y" * (size // 19) + "{{ end }}"
    ),
    "a list of arguments": lambda size: "{{ list" + " 1" * (size // 2) + " }}",
    "a format of many verbs": lambda size: '{{ printf "' + "%v" * (size // 4) + '" 1 }}',
    "lists that grow": _lines("{{ $l = append $l # }}", "{{ $l := list }}"),
    "dicts that grow": _lines('{{ $_ := set $d "k#" # }}', "{{ $d := dict }}", "{{ toJson $d }}"),
    "texts that grow": _lines('{{ $t = printf "%s#" $t }}', '{{ $t := "" }}'),
    "values printed whole": _lines("{{ toYaml . }}\n{{ toJson . }}\n"),
    "trimmed blanks": lambda size: " " * (size // 2) + "{{- 1 -}}" + " " * (size // 2),
    "rendered keys that are equal": _lines("a: {{ # }}\n"),
    "rendered lists": lambda size: "x: " + "[" * (size // 2) + "]" * (size // 2),
    "rendered aliases": _doubled("a%: &a% [*a#, *a#, *a#]\n", "a0: &a0 [x]\n", "deployItems: []"),
    "values that double": _doubled(
        "{{ $t = list $t $t }}", "{{ $t := list 1 }}", "{{ toYaml $t }}"
    ),
    "dicts that double": _doubled(
        '{{ $t = dict "a" $t "b" $t }}', "{{ $t := dict }}", "{{ deepCopy $t | toJson }}"
    ),
    "texts that double": _doubled("{{ $t = print $t $t }}", '{{ $t := "ab" }}', "{{ $t }}"),
    "merges that double": _doubled(
        '{{ $t = merge (dict "a#" $t) (dict "b#" $t) }}', "{{ $t := dict }}", "{{ toYaml $t }}"
    ),
}
"""Templates of GoTemplate by name."""

SPIFF: Final[dict[str, Callable[[int], str]]] = {
    "values": _lines("a#: (( imports.x ))\n"),
    "a chain of values": _chain("a#: (( a% ))\n", "a#: 1\n"),
    "a circle of values": _chain("a#: (( a% ))\n", "a#: (( a0 ))\n"),
    "missing values": _lines("a#: (( nothing# ))\n"),
    "missing functions": _lines("a#: (( nofunction#(1) ))\n"),
    "expressions that differ": _lines('a#: (( imports.x "-#" ))\n'),
    "merges": _lines("a#:\n  <<<: (( &temporary ))\n  b: 1\n"),
    "lists that are mapped": _lines("a#: (( map[[1,2,3]|x|->x * #] ))\n"),
    "brackets in brackets": lambda size: "a: (( " + _nested("(", ")", size // 2, "1") + " ))\n",
    "operators": lambda size: "a: (( 1" + " + 1" * (size // 4) + " ))\n",
    "nots": lambda size: "a: (( " + "!" * size + "true ))\n",
    "lists in lists": lambda size: "a: (( " + _nested("[", "]", size // 2, "1") + " ))\n",
    "maps in maps": lambda size: "a: (( " + _nested("{$a=", "}", size // 5, "1") + " ))\n",
    "joined texts": lambda size: "a: (( " + '"x" ' * (size // 4) + "))\n",
    "alternatives": lambda size: "a: (( " + "x || " * (size // 5) + "1 ))\n",
    "a path": lambda size: "a: (( b." + "c." * (size // 2) + "d ))\n",
    "lambdas in lambdas": lambda size: "a: (( " + "|x|->" * (size // 5) + "x ))\n",
    "calls of calls": lambda size: "a: (( " + _nested('join(",",', ")", size // 10, "1") + " ))\n",
    "brackets that are not closed": lambda size: "a: (( " + "(" * size + " ))\n",
    "lists of YAML in lists": lambda size: "a: " + "[" * (size // 2) + "]" * (size // 2) + "\n",
    "values that double": _doubled("a%: (( [a#, a#] ))\n", "a0: 1\n", ""),
    "texts that double": _doubled("a%: (( a# a# ))\n", "a0: ab\n", ""),
    "maps that double": _doubled("a%: {x: (( a# )), y: (( a# ))}\n", "a0: 1\n", ""),
    "aliases of aliases": _doubled("a%: &a% [*a#, *a#, *a#]\n", "a0: &a0 [x]\n", ""),
    "a lambda that calls itself": lambda size: (
        "f: (( |x|->f(x + 1) ))\na: (( .f(1) ))\n" + "# and so on\n" * (size // 12)
    ),
    "a lambda that calls itself twice": lambda size: (
        "f: (( |x|->x <= 0 ? 1 :.f(x - 1) + .f(x - 1) ))\na: (( .f(60) ))\n"
        + "# and so on\n" * (size // 12)
    ),
}
"""Templates of Spiff by name."""

PROJECTS: Final[dict[str, MakeProject]] = {
    "imports": _blueprint(
        "- {name: i#, type: data, schema: {type: string}}\n", HEAD + "imports:\n"
    ),
    "equal imports": _blueprint("- {name: i, type: data, schema: {}}\n", HEAD + "imports:\n"),
    "unknown imports": _given(_lines("  i#: 1\n", "imports:\n  x: 1\n")),
    "one large import": _given(
        _lines("    k#: [a, {b: #}]\n", "imports:\n  x:\n"), template="x: {{ toJson .imports }}\n"
    ),
    "exports": _blueprint("- {name: e#, type: data, schema: {}}\n", HEAD + "exports:\n"),
    "executions": _blueprint(
        "- {name: e#, type: GoTemplate, template: 'deployItems: [{name: d#, type: a/b}]'}\n",
        HEAD + _DEPLOY,
    ),
    "executions of Spiff": _blueprint(
        '- {name: e#, type: Spiff, template: {deployItems: [{name: d#, type: (( "a/b" ))}]}}\n',
        HEAD + _DEPLOY,
    ),
    "equal executions": _blueprint("- {name: e, type: GoTemplate, template: ''}\n", HEAD + _DEPLOY),
    "unknown fields": _blueprint("field#: 1\n"),
    "fields in two spellings": _blueprint("- {name: e#, Name: f, nAme: g}\n", HEAD + _DEPLOY),
    "local types": _blueprint("  t#: {type: string}\n", HEAD + "localTypes:\n"),
    "a chain of local types": lambda size: {
        MAIN: _chain(
            "  t#: {$ref: 'local://t%'}\n",
            "  t#: {type: string}\n",
            HEAD + "imports:\n- {name: x, type: data, schema: {$ref: 'local://t0'}}\nlocalTypes:\n",
        )(size)
    },
    "local types that double": lambda size: {
        MAIN: _doubled(
            "  t#: {properties: {a: {$ref: 'local://t%'}, b: {$ref: 'local://t%'}}}\n",
            HEAD + "imports:\n- {name: x, type: data, schema: {$ref: 'local://t0'}}\nlocalTypes:\n",
            "  t40: {type: string}",
        )(size)
    },
    "a circle of local types": lambda size: {
        MAIN: _chain(
            "  t#: {$ref: 'local://t%'}\n",
            "  t#: {$ref: 'local://t0'}\n",
            HEAD + "imports:\n- {name: x, type: data, schema: {$ref: 'local://t0'}}\nlocalTypes:\n",
        )(size)
    },
    "a schema of many properties": _schema(_lines("p#: {type: string}, ", "{properties: {", "}}")),
    "a schema in a schema": _schema(_deep("{items: ", "}", "{}")),
    "a schema of choices": _schema(_lines("{required: [r#]}, ", "{anyOf: [", "]}")),
    "a schema of choices in choices": _schema(
        lambda size: "{anyOf: [" + _nested("{allOf: [{}, ", "]}", size // 16, "{}") + "]}"
    ),
    "a schema of patterns": _schema(
        _lines("'(a|b#)*c': {}, ", "{patternProperties: {", "}}"), "{ababababab: 1}"
    ),
    "a schema of one large list": _schema(_lines("v#, ", "{enum: [", "x]}")),
    "a schema that refers to itself": _schema(lambda size: "{$ref: '#'}" + " " * size, "1"),
    "items that are all unique": _given(
        _lines("{a: #}, ", "imports: {x: [", "1]}\n"), "{uniqueItems: true}"
    ),
    "values against many choices": _given(
        _lines("{a: #}, ", "imports: {x: [", "1]}\n"),
        "{items: {anyOf: [" + ", ".join(f"{{const: {n}}}" for n in range(50)) + "]}}",
    ),
    "values that are all wrong": _given(
        _lines("a#, ", "imports: {x: [", "1]}\n"), "{items: {type: integer}}"
    ),
    "a pattern that goes back": _given(
        lambda size: f"imports: {{x: '{'a' * size}!'}}\n", "{pattern: '^(a+)+$'}"
    ),
    "subinstallations": _subinstallations,
    "files": _many_files,
    **{f"GoTemplate, {name}": go(make) for name, make in GO.items()},
    **{f"Spiff, {name}": spiff(make) for name, make in SPIFF.items()},
}
"""Blueprints by name."""
