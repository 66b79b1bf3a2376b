"""A folder of blueprints full of secrets, from every place that one can come from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SECRETS = {
    "flag": "Kq7vXw2mZr9LtB4n",
    "lines": "Zx8Qp\"L0rmWc\nW3j'é☃Kd9sVb\n\tYt5Rn%&<Uo1: {[#",
    "integer": "7391846205",
    "float": "48213.90517",
    "JSON, field": "Hg6Tq1Wc8Zp3",
    "JSON, element": "Ny4Bk9Xe2Rv7",
    "JSON, key": "Jk5Mw8Sd2Lq6",
    "JSON, number": "5502938174",
    "default": "Dp3Wm8Yc5Hx1Jf6",
    "allowed value": "Aw7Hc2Nz9Rt4Ks1",
    "value": "Lb9Rk2Vq7Ts4Gn0",
    "value, field": "Of5Zj1Xm8Bq3",
    "value, key": "Ky2Fw7Pd4Lc8",
    "value, element": "Ea9Gv3Tn6Hw1",
    "value, literal in an expression": "Xl4Cp8Wm2Ys7",
    "environment": "Ev4Jn9Qs2Mx7",
    "file": "Fl6Dh1Rw8Kc3",
    "custom type": "Cu7Yp2Gb5Tz9",
    "given to a child": "Cg8Lt3Bz6Vw1",
    "given to a child, in an expression": "Ce1Rx5Nk9Md4",
}

# what is computed from a text; `S` is where it comes from
EXPRESSIONS = """\
S
to_upper(S)
to_lower(S)
trim(S)
trimprefix(S, "K")
trimprefix("Kq", S)
trimsuffix(S, "n")
trimsuffix("Kq", S)
substr(S, 0, 8)
substr(S, 2)
replace(S, "q", "")
replace("hay", S, "c")
replace("hay", "a", S)
split(S, "9")
split(S, "9")[0]
split("a,b", S)
join(split(S, ""), "")
join(list("a", S), ",")
join(list("a", "b"), S)
index(S, "v")
last_index(S, "v")
has_prefix(S, "K")
has_prefix("K", S)
has_suffix(S, "n")
contains(S, "v")
contains(list("a", S), "v")
list(S)
list("a", S)[1]
list(S, "a")[1]
object(a=S)
object(a=S).a
vals(object(a=S))
keys(object(a=S))
lookup(object(a=S), "a")
lookup(object(a="b"), S)
coalesce(lookup(object(a="b"), S), "c")
coalesce(S, "c")
coalesce(none, S)
first(S, "c")
first("", S)
map(list(S), to_upper)
map(list("hay"), replace_g("a", S))
map(list(S), substr_g(0, 9))
map(list(S), compose(to_upper, trim))
map(list(S), pipe(trim, to_lower))
map(list("a"), getattr(S))
map(list(object(a=1)), getattr(S))
filter(list(S), has_prefix_g("K"))
filter(list("a"), contains_g(S))
flatmap(list(S), split_g("9"))
reduce(list(len(S), 1), max, 0)
eq(S, "a")
not(eq(S, "a"))
and(eq(S, "a"), true)
or(eq(S, "a"), false)
if(eq(S, "a"), 1, 2)
if(true, S, "b")
if(false, "b", S)
gt(len(S), 3)
le(len(S), 3)
min(len(S), 99)
max(len(S), 1)
abs(len(S))
base64encode(S)
base64encode(join(list("a", S), ""))
base64decode(base64encode(S))
utf8(base64decode(base64encode(S)))
sha256(S)
sha1(S)
md5(S)
len(S)
jsondecode(S)
jsondecode(S).a
fromjson(S, "/a")
fromjson("{}", S)
cidrsubnet(S, 4, 1)
cidrsubnet("10.0.0.0/8", len(S), 1)
datetime(S)
link(S, "holder")
object(a=list(S, object(b=S)))
""".splitlines()

PLACES = {
    "flag": "variables.flag",
    "lines": "variables.lines",
    "json": "variables.json",
    "default": "variables.default",
    "environment": "variables.environment",
    "file": "variables.file",
    "custom": "variables.custom",
    "value": "values.text",
    "object": "values.object.field",
    "array": "values.array[0]",
    "derived": "values.derived",
    "export": "children.child.flag",
    "spec": "resources.holder.spec.text",
    "source": "datasources.asked.name",
}

VARIABLES = {
    name: {"type": "string", "secret": True}
    for name in ("flag", "lines", "json", "environment", "file")
}


def blueprint(places: dict[str, str], expressions: list[str], share: int = 1) -> dict[str, Any]:
    """A resource for each place with a field for each expression, and secrets in all else.

    With a `share` only one in so many fields is there, of each place other ones.
    """
    value = SECRETS["value"]
    return {
        "version": "2023-04-20",
        "variables": {
            **VARIABLES,
            "integer": {"type": "integer", "secret": True},
            "float": {"type": "float", "secret": True},
            "boolean": {"type": "boolean", "secret": True},
            "default": {
                "type": "string",
                "secret": True,
                "default": SECRETS["default"],
                "allowedValues": [SECRETS["default"], SECRETS["allowed value"]],
            },
            "custom": {"type": "acme/secret", "secret": True},
        },
        "values": {
            "text": {"type": "string", "secret": True, "value": value},
            "object": {
                "type": "object",
                "secret": True,
                "value": {
                    "field": SECRETS["value, field"],
                    SECRETS["value, key"]: 1,
                    "array": [SECRETS["value, element"]],
                },
            },
            "array": {"type": "array", "secret": True, "value": [SECRETS["value, element"]]},
            "made": {
                "type": "string",
                "secret": True,
                "value": f'${{to_upper("{SECRETS["value, literal in an expression"]}")}}',
            },
            "derived": {"type": "string", "value": "a-${variables.flag}-${values.text}"},
            "parts": {"type": "array", "value": ["x", "${variables.flag}", "${values.object}"]},
            "number": {"type": "integer", "value": "${max(variables.integer, 1)}"},
        },
        "include": {
            "child": {
                "path": "child.json",
                "description": "with ${variables.flag}",
                "variables": {
                    "flag": "${variables.flag}",
                    "text": "a-${to_upper(values.text)}",
                    "pin": SECRETS["given to a child"],
                    "made": f'${{to_upper("{SECRETS["given to a child, in an expression"]}")}}',
                },
            }
        },
        "datasources": {
            "asked": {
                "type": "acme/users",
                "filter": {"field": "name", "operator": "=", "search": "${variables.flag}"},
                "exports": {"name": {"type": "string"}},
            }
        },
        "resources": {
            "holder": {"type": "a/b", "spec": {"text": "${variables.flag}", "plain": 1}},
            "when": {
                "type": "a/b",
                "condition": {
                    "or": [
                        "${eq(variables.flag, values.text)}",
                        {"not": "${eq(variables.flag, values.text)}"},
                    ]
                },
                "description": "made of ${variables.lines}",
                "metadata": {
                    "displayName": "${variables.flag}",
                    "annotations": {"a": "${base64encode(variables.flag)}"},
                    "custom": {"b": "${values.object}", "c": "${variables.json}"},
                },
                "spec": {
                    "integer": "${variables.integer}",
                    "float": "${variables.float}",
                    "numbers": "${variables.integer}-${variables.float}-${variables.boolean}",
                    "made": "${values.made}",
                    "whole": "${values.parts}",
                    "number": "${values.number}",
                },
            },
            "many": {
                "type": "a/b",
                "each": '${list("a", "b")}',
                "condition": "${has_prefix(variables.flag, elem)}",
                "spec": {"of": "${elem}-${i}-${variables.flag}", "n": "${resources.holder.spec}"},
            },
            **{
                f"in_{name}": {
                    "type": "a/b",
                    "spec": {
                        f"f{number}": f"${{{text.replace('S', place)}}}"
                        for number, text in enumerate(expressions)
                        if (number + shift) % share == 0
                    },
                }
                for shift, (name, place) in enumerate(places.items())
            },
        },
        "exports": {
            "flag": {"type": "string", "field": "variables.flag", "description": "${values.text}"},
            "spec": {"type": "object", "field": "resources.holder.spec"},
            "child": {"type": "string", "field": "children.child.flag"},
            "value": {"type": "object", "field": "values.object"},
        },
        "metadata": {"all": ["${variables.flag}", {"in": "${values.derived}"}]},
    }


CHILD = {
    "version": "2023-04-20",
    "variables": {
        "flag": {"type": "string"},
        "text": {"type": "string"},
        "pin": {"type": "string", "secret": True},
        "made": {"type": "string", "secret": True},
    },
    "values": {"all": {"type": "string", "value": "${variables.flag}-${variables.pin}"}},
    "resources": {
        "inner": {
            "type": "a/b",
            "spec": {"a": "${values.all}", "b": "${base64encode(variables.made)}"},
        }
    },
    "exports": {
        "flag": {"type": "string", "field": "variables.flag"},
        "spec": {"type": "object", "field": "resources.inner.spec"},
        "pin": {"type": "string", "field": "variables.pin"},
    },
}
CONFIGURATION = """\
[targets.one]
blueprint = "b.json"
output = "out/one.yaml"
vars = ["given.yaml", "flags.json"]
state = "state.json"
source-map = "out/one.map"
depfile = "out/one.d"

[targets.two]
blueprint = "b.json"
output = "out/two.json"
secrets = "mask"
vars = ["given.yaml", "flags.json"]
[targets.two.variables]
environment = "Ev4Jn9Qs2Mx7"
"""


def flags() -> list[str]:
    """What the command line gives."""
    given = (("flag", SECRETS["flag"]), ("lines", SECRETS["lines"]), *more().items())
    return [part for name, value in given for part in ("--var", f"{name}={value}")]


def more() -> dict[str, str]:
    return {
        "integer": SECRETS["integer"],
        "float": SECRETS["float"],
        "boolean": "true",
        "custom": SECRETS["custom type"],
        "json": json.dumps(
            {
                "a": SECRETS["JSON, field"],
                SECRETS["JSON, key"]: [SECRETS["JSON, element"], int(SECRETS["JSON, number"])],
            }
        ),
    }


GIVEN = ["--vars", "given.yaml", "--state", "state.json"]
ENVIRONMENT = {"BPP_VAR_environment": SECRETS["environment"]}


def write(folder: Path, share: int = 1) -> None:
    """Writes the blueprints and what they are given."""
    document = blueprint(PLACES, EXPRESSIONS, share)
    (folder / "b.json").write_text(json.dumps(document, indent=1))
    (folder / "child.json").write_text(json.dumps(CHILD, indent=1))
    (folder / "given.yaml").write_text(f"file: {SECRETS['file']}\n")
    typed = {"flag": SECRETS["flag"], "lines": SECRETS["lines"], **more()}
    typed.update(integer=int(SECRETS["integer"]), float=float(SECRETS["float"]), boolean=True)
    (folder / "flags.json").write_text(json.dumps(typed))
    state = {"children": {"child": {"flag": SECRETS["flag"]}}}
    (folder / "state.json").write_text(json.dumps(state))
    (folder / "bpp.toml").write_text(CONFIGURATION)
