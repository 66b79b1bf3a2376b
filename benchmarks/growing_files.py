"""Blueprints of any size with files beside them, ordinary and hostile, for `benchmarks.growth`.

Each function makes files of about so many bytes together; the main one is `blueprint.yaml`. Those
that are named like `INPUTS` are given to a command with the option of that name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from .growing_inputs import HEAD, NEWER, SPEC, TAIL, filled

MAIN: Final = "blueprint.yaml"
INPUTS: Final = ("vars", "state", "datasources", "imports")
"""Options that take a file: one named like an option, with any ending, is given with it."""

Files = dict[str, str]
MakeFiles = Callable[[int], Files]

_VARIABLE: Final = "  name#: {type: string, default: x}\n"
_VALUE: Final = "  name#: {type: string, value: x}\n"
_RESOURCE: Final = "  name#: {type: a/b/c, spec: {}}\n"
_OBJECT: Final = f"{HEAD}values:\n  o:\n    type: object\n    value:\n"
_SOURCE: Final = (
    "    type: a/b\n    filter: {field: id, operator: '=', search: x#}\n"
    "    exports: {id: {type: string}}\n"
)


def several(**parts: tuple[str, str, str]) -> MakeFiles:
    """Files that grow alike: what comes before, a piece with its number for `#`, what comes after.

    The first is the main one; in the names of others `_` stands for the dot.
    """

    def make(size: int) -> Files:
        number = max(1, size // sum(len(piece) + 3 for _, piece, _ in parts.values()))
        names = [MAIN, *(name.replace("_", ".") for name in list(parts)[1:])]
        return {
            name: before + "".join(piece.replace("#", str(n)) for n in range(number)) + after
            for name, (before, piece, after) in zip(names, parts.values(), strict=True)
        }

    return make


def _variables(**given: tuple[str, str, str]) -> MakeFiles:
    """As many declared variables as a file of variables has entries."""
    return several(main=(HEAD + "variables:\n", _VARIABLE, TAIL), **given)


def halves(first: str, second: str, before: str = HEAD, between: str = SPEC) -> MakeFiles:
    """One file: as many of one piece as of another after it."""

    def make(size: int) -> Files:
        number = max(1, size // (len(first) + len(second) + 6))
        parts = [before, *(first.replace("#", str(n)) for n in range(number)), between]
        return {MAIN: "".join([*parts, *(second.replace("#", str(n)) for n in range(number))])}

    return make


def _with_child(main: str, piece: str, child: str, inner: str) -> MakeFiles:
    """A child and what its parent says of it, which grow alike."""
    head = f"{HEAD}include:\n  c:\n    path: child.yaml\n"
    return several(
        main=(head + main, piece, TAIL),
        child_yaml=(HEAD + child, inner, TAIL),
    )


def _indices(size: int) -> Files:
    """References to each element of a list with a part that is not known yet."""
    number = size // 45
    items = "".join(f"      - item{n}\n" for n in range(number))
    head = f"{HEAD}values:\n  l:\n    type: array\n    value:\n{items}{SPEC}"
    return {MAIN: head + "".join(f"      f{n}: ${{values.l[{n}]}}\n" for n in range(number))}


def _one_key(size: int) -> Files:
    """A file of variables with one key of many parts."""
    return {MAIN: HEAD + TAIL, "vars.toml": "a" + ".a" * (size // 2) + " = 1\n"}


def _chain_of_each(size: int) -> Files:
    """Templates whose lists depend on one chain of values, which ends at a resource."""
    number = size // 110
    chain = "".join(
        f"  v{n}: {{type: array, value: '${{values.v{n + 1}}}'}}\n" for n in range(number)
    )
    end = f"  v{number}: {{type: array, value: '${{resources.last.state.x}}'}}\n"
    users = "".join(
        f"  r{n}: {{type: a/b/c, each: '${{values.v{n}}}', spec: {{}}}}\n" for n in range(number)
    )
    return {MAIN: f"{HEAD}values:\n{chain}{end}{TAIL}{users}"}


def _in_one_text(size: int) -> Files:
    """Many references to values in one text."""
    number = size // 60
    values = "".join(
        f"  v{n}: {{type: string, value: '${{variables.a}}-{n}'}}\n" for n in range(number)
    )
    shown = filled(size // 3, lambda n: f"${{values.v{n % number}}}", "      f: ", "\n")
    before = f"{HEAD}variables:\n  a: {{type: string, default: x}}\nvalues:\n{values}"
    return {MAIN: before + SPEC + shown}


def _children(size: int) -> Files:
    """As many children as are allowed, each of one size."""
    number = min(400, max(2, size // 400))
    share = size // number
    main = "".join(f"  c{n}: {{path: c{n}.yaml}}\n" for n in range(number))
    child = filled(share, lambda n: f"      f{n}: x\n", HEAD + SPEC)
    files = {MAIN: f"{HEAD}include:\n{main}{TAIL}"}
    return {**files, **{f"c{n}.yaml": child for n in range(number)}}


def _child_again(size: int) -> Files:
    """One child that takes half of the size, included ten times."""
    main = "".join(f"  c{n}: {{path: c.yaml}}\n" for n in range(10))
    child = filled(size // 2, lambda n: f"      f{n}: x\n", HEAD + SPEC)
    rest = filled(size // 2, lambda n: f"      f{n}: x\n", f"{HEAD}include:\n{main}{SPEC}")
    return {MAIN: rest, "c.yaml": child}


MISTAKES: Final[dict[str, MakeFiles]] = {
    "undeclared variables": _variables(vars_yaml=("", "nam#: x\n", "")),
    "undeclared variables in JSON": _variables(vars_json=("{", '"nam#": "x",\n', '"z": 1}')),
    "undeclared variables in TOML": _variables(vars_toml=("", 'nam# = "x"\n', "")),
    "undeclared variables in an environment": _variables(vars_env=("", "nam#=x\n", "")),
    "a TOML key of many parts": _one_key,
    "a huge number in TOML": lambda size: {
        MAIN: HEAD + TAIL,
        "vars.toml": f"a = {'9' * size}\n",
    },
    "a text in TOML that never closes": lambda size: {
        MAIN: HEAD + TAIL,
        "vars.toml": 'a = "' + '\\"' * (size // 2) + "\n",
    },
    "TOML tables in tables": lambda size: {
        MAIN: HEAD + TAIL,
        "vars.toml": filled(size, lambda n: f"[a.b.c{n}]\nx = {n}\n", ""),
    },
    "variables of a child misspelt": _with_child(
        "    variables:\n", "      nam#: x\n", "variables:\n", _VARIABLE
    ),
    "exports of a child misspelt": _with_child(
        "values:\n",
        "  v#: {type: string, value: '${children.c.nam#}'}\n",
        "values:\n  v: {type: string, value: x}\nexports:\n",
        "  name#: {type: string, field: values.v}\n",
    ),
    "state misspelt": several(
        main=(HEAD + "resources:\n", _RESOURCE, ""),
        state_yaml=("resources:\n", "  nam#: {state: {id: x}}\n", ""),
    ),
    "data sources in the state misspelt": several(
        main=(
            f"{HEAD}datasources:\n  d:\n    type: a/b\n"
            "    filter: {field: id, operator: '=', search: x}\n    exports:\n",
            "      name#: {type: string}\n",
            TAIL,
        ),
        state_yaml=("datasources:\n  d:\n", "    nam#: x\n", ""),
    ),
    "exports in the state misspelt": several(
        main=(f"{HEAD}include:\n  c: {{path: child.yaml}}\n{TAIL}", "# x\n", ""),
        child_yaml=(
            HEAD + "values:\n  v: {type: string, value: x}\nexports:\n",
            "  name#: {type: string, field: values.v}\n",
            TAIL,
        ),
        state_yaml=("children:\n  c:\n", "    nam#: x\n", ""),
    ),
    "fields of a spec misspelt": halves(
        "      name#: x\n",
        "      f#: ${resources.only.spec.nam#}\n",
        HEAD + SPEC,
        "  other:\n    type: a/b/c\n    spec:\n",
    ),
    "fields of an object misspelt": halves(
        "      name#: x\n", "      f#: ${values.o.nam#}\n", _OBJECT
    ),
    "keys of a computed object misspelt": halves(
        "      name#: x\n", '      f#: ${get(values.o, "nam#")}\n', _OBJECT
    ),
    "names of resources misspelt": halves(
        _RESOURCE, "      f#: ${resources.nam#.spec.x}\n", HEAD + "resources:\n", SPEC[11:]
    ),
    "values misspelt": halves(_VALUE, "      f#: ${values.nam#}\n", HEAD + "values:\n"),
    "links misspelt": halves(
        _RESOURCE,
        '      f#: \'${link("nam#", "only")}\'\n',
        HEAD + "resources:\n",
        SPEC[11:],
    ),
    "dependencies misspelt": halves(
        _RESOURCE,
        "      - nam#\n",
        NEWER + "resources:\n",
        SPEC[11:] + "      a: b\n    dependsOn:\n",
    ),
    "exports of values misspelt": halves(
        _VALUE,
        "  e#: {type: string, field: values.nam#}\n",
        HEAD + "values:\n",
        TAIL + "exports:\n",
    ),
    "fields of a data source misspelt": several(
        main=(
            f"{HEAD}{TAIL}datasources:\n  d:\n    type: a/b\n"
            "    filter: {field: id, operator: '=', search: x}\n    exports:\n",
            "      nam#: {type: string}\n",
            "",
        ),
        datasources_yaml=("a/b:\n  - id: x\n", "    name#: x\n", ""),
    ),
    "fields of filters misspelt": several(
        main=(
            HEAD + TAIL + "datasources:\n",
            "  d#:\n" + _SOURCE.replace("field: id", "field: nam#"),
            "",
        ),
        datasources_yaml=("a/b:\n", "  - name#: x#\n", ""),
    ),
    "values that are not allowed": several(
        main=(
            HEAD + "variables:\n  v:\n    type: string\n    allowedValues:\n",
            "      - name#\n",
            TAIL,
        ),
        vars_yaml=("v: nam\nz:\n", "  - x#\n", ""),
    ),
    "secrets and mistakes": halves(
        "  name#: {type: string, secret: true, default: s#}\n",
        "      f#: ${variables.nam#}\n",
        HEAD + "variables:\n",
    ),
    "sections that are written again": halves(
        _VALUE,
        "  name#: {type: string, value: '${values.name#}'}\n",
        HEAD + "values:\n",
        "values:\n",
    ),
    "each of a chain": _chain_of_each,
    "links to all": several(
        main=(
            HEAD + "resources:\n",
            "  r#:\n    type: a/b/c\n    metadata: {labels: {app: a}}\n"
            "    linkSelector: {byLabel: {app: a}}\n    spec: {}\n",
            "",
        )
    ),
    "data sources and records": several(
        main=(HEAD + TAIL + "datasources:\n", "  d#:\n" + _SOURCE.replace("x#", "y#"), ""),
        datasources_yaml=("a/b:\n", "  - {id: x#}\n", ""),
    ),
    "conditions of what is removed": halves(
        "  name#: {type: a/b/c, condition: false, spec: {}}\n",
        "      f#: ${resources.name#.state.x}\n",
        HEAD + "resources:\n",
        SPEC[11:],
    ),
}

VALID: Final[dict[str, MakeFiles]] = {
    "variables": _variables(vars_yaml=("", "name#: y\n", "")),
    "variables in an environment": _variables(vars_env=("", "name#=y\n", "")),
    "variables in TOML": _variables(vars_toml=("", 'name# = "y"\n', "")),
    "state": several(
        main=(
            HEAD + "resources:\n",
            "  name#: {type: a/b/c, spec: {x: '${resources.name0.state.id}'}}\n",
            "",
        ),
        state_yaml=("resources:\n", "  name#: {state: {id: x}}\n", ""),
    ),
    "data sources that match": several(
        main=(HEAD + TAIL + "datasources:\n", "  d#:\n" + _SOURCE.replace("x#", "x"), ""),
        datasources_yaml=("a/b:\n", "  - {id: x}\n", ""),
    ),
    "variables of a child": _with_child(
        "    variables:\n", "      name#: x\n", "variables:\n", _VARIABLE
    ),
    "exports of a child": _with_child(
        "values:\n",
        "  v#: {type: string, value: '${children.c.name#}'}\n",
        "values:\n  v: {type: string, value: x}\nexports:\n",
        "  name#: {type: string, field: values.v}\n",
    ),
    "children": _children,
    "one child again and again": _child_again,
    "indices into a list": _indices,
    "many references in one text": _in_one_text,
    "a reader of all": halves(
        "      name#: ${variables.a}-#\n",
        "      f#: ${len(resources.only.spec)}\n",
        f"{HEAD}variables:\n  a: {{type: string, default: x}}\n{SPEC}",
        "  other:\n    type: a/b/c\n    spec:\n",
    ),
    "a reader of all that is unknown": halves(
        "      name#: ${resources.other.state.a}-#\n",
        "      f#: ${len(resources.only.spec)}\n",
        HEAD + SPEC,
        "  other:\n    type: a/b/c\n    spec:\n",
    ),
    "values of values": halves(
        _VALUE, "      f#: ${values.name#}-${values.name0}\n", HEAD + "values:\n"
    ),
    "dependencies": halves(
        _RESOURCE,
        "      - name#\n",
        NEWER + "resources:\n",
        SPEC[11:] + "      a: b\n    dependsOn:\n",
    ),
    "secrets": halves(
        "  name#: {type: string, secret: true, default: s#}\n",
        "      f#: ${variables.name#}\n",
        HEAD + "variables:\n",
    ),
    "exports of values": halves(
        _VALUE,
        "  e#: {type: string, field: values.name#}\n",
        HEAD + "values:\n",
        TAIL + "exports:\n",
    ),
}
