"""Partial evaluation: what is computed, what is left as a smaller text, and what is a mistake."""

from __future__ import annotations

import json
from typing import Any

import attrs
import pytest
from bpp.functions import NONE, Unknown, core_functions
from bpp.pipeline import Evaluated, Limits, MemoryFiles, Settings, Source, evaluate, render
from bpp.pipeline.dialects.bluelink.evaluating.evaluation import Evaluation
from bpp.pipeline.dialects.bluelink.syntax import SYNTAX
from bpp.pipeline.engine.materialisation import relabelled
from bpp.pipeline.engine.string_evaluation import evaluate_in
from bpp.pipeline.language.errors import Failure
from bpp.pipeline.language.evaluator import Evaluator
from bpp.pipeline.language.language import Language
from bpp.pipeline.language.navigation import navigate
from bpp.pipeline.language.waiting import WaitingText, is_secret
from bpp.pipeline.values.expression import Argument, Call, Literal, Reference
from bpp.pipeline.world.effects import Effects

# --- what there is to refer to ------------------------------------------------------------------


def later(*path: str | int, **marks: Any) -> Unknown:
    """A value that is not known in this run."""
    return Unknown(Reference("values", path), **marks)


VALUES: dict[str, Any] = {
    "text": "abc",
    "empty": "",
    "none": NONE,
    "true": True,
    "number": 7,
    "float": 2.0,
    "list": ["a", "b"],
    "object": {"k": "v", "odd key": [1.5, {}], "n": 1},
    "hard": 'say "${x}" \\',
    "bytes": b"\xff",
    "u": later("u"),
    "u2": later("u2"),
    "aText": later("aText", type="string"),
    "aFlag": later("aFlag", type="boolean"),
    "aNumber": later("aNumber", type="integer"),
    "aList": later("aList", type="array"),
    "anObject": later("anObject", type="object"),
    "part": later(
        "part",
        type="object",
        partial={
            "known": "K",
            "open": later("part", "open"),
            "list": ["first", later("part", "list", 1), "third"],
            "deep": {"known": 1, "open": later("part", "deep", "open")},
        },
    ),
    "partList": later(
        "partList",
        type="array",
        partial=[
            later(
                "partList",
                0,
                type="object",
                partial={"known": "K", "a b": later("partList", 0, "a b")},
            ),
            "second",
            later("partList", 2),
            "fourth",
        ],
    ),
    "secret": later("secret", type="string", secret=True),
    "secretObject": later(
        "secretObject",
        type="object",
        secret=True,
        partial={"user": "app", "password": later("secretObject", "password", secret=True)},
    ),
}


@attrs.frozen
class Given:
    """A scope of values; `resources` has `r`, whose state is not known."""

    def resolve(self, reference: Reference) -> Any:
        """See `language.evaluator.Scope`."""
        root, path = reference.root, reference.path
        if root == "resources":
            return Unknown(Reference(root, path))
        if root != "values" or path[0] not in VALUES:
            raise Failure("value_not_found", f"there is no `{path}`", reference)
        found = navigate(VALUES[str(path[0])], path[1:], reference)
        return relabelled(found, Reference(root, path))

    def names_resource(self, name: str) -> bool:
        """See `language.evaluator.Scope`."""
        return name in ("r", "trim")

    def link(self, first: Any, second: Any, call: Call) -> Any:
        """See `language.evaluator.Scope`."""
        sides = [
            Reference("resources", side.path) if isinstance(side, Reference) else Literal(side)
            for side in (first, second)
        ]
        return Unknown(Call("link", tuple(Argument(side) for side in sides)), "object")


def evaluator(**limits: int) -> Evaluator:
    """An evaluator with the core functions, a stopped clock and one file."""
    bounds = Limits(**limits)
    effects = Effects(Settings(now=0.0, seed=1), MemoryFiles({"a.txt": b"file"}))
    return Evaluator(core_functions(), effects, bounds)


def result(text: str, mask: str | None = None, **limits: int) -> Evaluated:
    """What comes of a string."""
    language = Language(SYNTAX, Limits(**limits))
    return evaluate_in(text, Source("", text, "text"), language, evaluator(**limits), Given(), mask)


def raw(text: str) -> Any:
    """What the evaluator makes of a string, unknown parts and all."""
    return evaluator().segments(Language(SYNTAX, Limits()).split(text), Given())


# --- what is known ------------------------------------------------------------------------------

KNOWN = [
    # the condition decides, and what is not chosen is not computed
    ("${if(true, 1, values.u)}", 1),
    ("${if(false, values.u, 2)}", 2),
    ("${if(none, values.u, 2)}", 2),
    ("${if(true, 1, values.absent)}", 1),
    ("${if(false, list()[5], list(1))}", [1]),
    # the first hit decides
    ("${coalesce(1, values.u)}", 1),
    ("${coalesce(none, \"\", values.u)}", ""),
    ("${coalesce(values.none, false, values.absent)}", False),
    ("${coalesce(list(values.none), values.u)}", []),
    ("${first(1, values.u)}", 1),
    ("${first(\"\", list(), none, 0, values.u)}", 0),
    ("${first(object(), values.u)}", {}),
    ("${first(\"\", list())}", []),
    # false and true decide, on either side
    ("${and(false, values.u)}", False),
    ("${and(values.u, false)}", False),
    ("${and(none, values.u)}", NONE),
    ("${and(values.u, none)}", NONE),
    ("${and(false, none)}", NONE),
    ("${and(false, values.absent)}", False),
    ("${or(true, values.u)}", True),
    ("${or(values.u, true)}", True),
    ("${or(true, values.absent)}", True),
    ("${or(none, false)}", False),
    # what is known of a container that is not all known
    ("${values.part.known}", "K"),
    ("${values.part.deep.known}", 1),
    ("${values.part[\"list\"][0]}", "first"),
    ("${values.partList[1]}", "second"),
    ("${values.partList[0].known}", "K"),
    ("${lookup(values.part, \"known\")}", "K"),
    ("${lookup(values.part, \"absent\")}", NONE),
    ("${lookup(object(a=values.u, b=2), \"b\")}", 2),
    ("${lookup(object(a=values.u), \"c\")}", NONE),
    ("${object(a=values.u, b=2).b}", 2),
    ("${list(1, values.u)[0]}", 1),
    ("${list(list(values.u), 5)[1]}", 5),
    ("${list(object(a=values.u), 5)[1]}", 5),
    # none goes through, also beside what is not known
    ("${trimprefix(values.u, none)}", NONE),
    ("${eq(none, values.u)}", NONE),
    ("${map(none, trimprefix_g(values.u))}", NONE),
    ("${not(values.none)}", NONE),
    ("${list(none, values.none, 1)}", [1]),
    ("${object(a=none, b=values.none)}", {}),
    ("${join(list(\"a\", none), \"-\")}", "a"),
    # a text is a text, whatever its parts are
    ("a ${values.number}, ${values.float}, ${values.true}, ${values.none}.", "a 7, 2.0, true, ."),
    ("${values.number}${none}", "7"),
    ("${none}${none}", ""),
    ("${values.number}", 7),
    ("$${values.text} ${\"${\"}x}", "$abc ${x}"),
    # names of arguments mean something for `object` only
    ("${gt(b=2, a=1)}", True),
    ("${object(values=1, true=2)}", {"values": 1, "true": 2}),
    # functions as values
    ("${map(list(\" a \"), trim)}", ["a"]),
    ("${map(list(\"xa\"), if(true, trimprefix_g(\"x\"), values.u))}", ["a"]),
    ("${map(list(\"xa\"), coalesce(none, trimprefix_g(\"x\")))}", ["a"]),
    # effects
    ("${datetime(\"unix\")}${utf8(file(\"a.txt\"))}", "0file"),
    ("${file(\"a.txt\")}", "file"),
    ("a ${file(\"a.txt\")}", "a file"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "value"), [pytest.param(t, v, id=t) for t, v in KNOWN])
def test_known(text: str, value: Any) -> None:
    assert result(text).diagnostics == ()
    assert repr(result(text).value) == repr(value)
    assert result(text).residual is None


# --- what is left -------------------------------------------------------------------------------

LEFT = [
    # nothing decides: all that is known is folded in
    ("${if(values.u, values.text, values.u2)}", '${if(values.u, "abc", values.u2)}'),
    ("${if(values.aFlag, none, values.list)}", '${if(values.aFlag, none, list("a", "b"))}'),
    ("${if(true, values.u, 1)}", "${values.u}"),
    ("${if(or(false, true), values.u, values.absent)}", "${values.u}"),
    ("${coalesce(values.u, 1, values.u2)}", "${coalesce(values.u, 1)}"),
    ("${coalesce(none, values.u, none, values.u2)}", "${coalesce(values.u, values.u2)}"),
    ("${coalesce(values.u, none)}", "${values.u}"),
    ("${coalesce(none, values.u)}", "${values.u}"),
    ("${coalesce(values.u, values.text, values.absent)}", '${coalesce(values.u, "abc")}'),
    ("${first(values.u, \"\", values.u2, 1, 2)}", "${first(values.u, values.u2, 1)}"),
    ("${first(values.u, \"\")}", '${first(values.u, "")}'),
    ("${first(values.u, none)}", "${first(values.u, none)}"),
    ("${first(\"\", values.u)}", "${values.u}"),
    ("${first(list(values.u), 1)}", "${first(list(values.u), 1)}"),
    ("${first(object(a=values.u), 1)}", "${object(a=values.u)}"),
    ("${and(values.u, values.u2)}", "${and(values.u, values.u2)}"),
    ("${and(true, values.u)}", "${values.u}"),
    ("${and(values.aFlag, true)}", "${values.aFlag}"),
    ("${or(values.u, false)}", "${or(values.u, false)}"),
    ("${or(none, values.u)}", "${or(none, values.u)}"),
    ("${not(and(values.u, eq(1, 1)))}", "${not(values.u)}"),
    # containers
    ("${list(1, values.u, values.text)}", '${list(1, values.u, "abc")}'),
    ("${list(none, values.u, none)}", "${list(values.u)}"),
    ("${[values.u, [values.text]]}", '${list(values.u, list("abc"))}'),
    ("${object(a=values.u, b=values.none, c=values.list)}",
     '${object(a=values.u, c=list("a", "b"))}'),
    ("${len(list(values.u, 1))}", "${len(list(values.u, 1))}"),
    ("${keys(object(a=values.u))}", "${keys(object(a=values.u))}"),
    ("${join(list(values.text, values.u, none), \"-\")}", '${join(list("abc", values.u), "-")}'),
    ("${to_upper(join(list(\"a\", \"b\"), values.u))}",
     '${to_upper(join(list("a", "b"), values.u))}'),
    # names of arguments stay, functions inside what waits stay
    ("${substr(text=values.u, start=values.number)}", "${substr(text=values.u, start=7)}"),
    ("${map(values.u, trimprefix_g(values.text))}", '${map(values.u, trimprefix_g("abc"))}'),
    ("${map(resources.r.state.l, trimprefix_g(\"a\"))}",
     '${map(resources.r.state.l, trimprefix_g("a"))}'),
    ("${map(values.u, trim)}", "${map(values.u, trim)}"),
    ("${map(values.u, compose(to_upper, getattr(to_lower(\"ID\"))))}",
     '${map(values.u, compose(to_upper, getattr("id")))}'),
    ("${map(values.u, pipe(trim, replace_g(values.text, values.u2)))}",
     '${map(values.u, pipe(trim, replace_g("abc", values.u2)))}'),
    ("${map(values.list, trimprefix_g(values.u))}",
     '${map(list("a", "b"), trimprefix_g(values.u))}'),
    ("${filter(values.list, if(values.u, has_prefix_g(\"a\"), has_prefix_g(\"b\")))}",
     '${filter(list("a", "b"), if(values.u, has_prefix_g("a"), has_prefix_g("b")))}'),
    ("${reduce(values.u, max, 0)}", "${reduce(values.u, max, 0)}"),
    # ways into what waits
    ("${values.u.a[1][\"b.c\"]}", '${values.u.a[1]["b.c"]}'),
    ("${jsondecode(values.u).a[]}", "${jsondecode(values.u).a[0]}"),
    ("${if(values.u, values.object, values.u2).k}",
     r'${if(values.u, jsondecode("{\"k\": \"v\", \"odd key\": [1.5, {}], \"n\": 1}"), '
     "values.u2).k}"),
    ("${list(values.u, 1)[0]}", "${list(values.u, 1)[0]}"),
    ("${list(values.u, 1)[1]}", "${list(values.u, 1)[1]}"),
    ("${list(1, values.u)[1]}", "${list(1, values.u)[1]}"),
    ("${object(a=values.u).a.b}", "${values.u.b}"),
    ("${object(a=list(values.u)).a[0].b}", "${list(values.u)[0].b}"),
    ("${values.part}", "${values.part}"),
    ("${values.part.open}", "${values.part.open}"),
    ("${values.part.open.more[0]}", "${values.part.open.more[0]}"),
    ("${values.part.list[1]}", "${values.part.list[1]}"),
    ("${values.part.list[2]}", "${values.part.list[2]}"),
    ("${values.part.list[9]}", "${values.part.list[9]}"),
    ("${values.partList[3]}", "${values.partList[3]}"),
    ("${values.partList[0]}", "${values.partList[0]}"),
    ("${list(values.part, 1)[0].open}", "${values.part.open}"),
    ("${list(values.part)}", "${list(values.part)}"),
    ("${lookup(values.part, \"open\")}", '${lookup(values.part, "open")}'),
    ("${lookup(values.part, values.u)}", "${lookup(values.part, values.u)}"),
    ("${lookup(values.u, values.text)}", '${lookup(values.u, "abc")}'),
    ("${lookup(object(a=values.u, b=1), \"a\")}", "${values.u}"),
    # interpolation
    ("a${values.text}${values.u}${values.number}b", "aabc${values.u}7b"),
    ("${values.u}${values.u2}", "${values.u}${values.u2}"),
    ("${none}${values.u}", '${values.u}${""}'),
    ("${values.u}${\"\"}", '${values.u}${""}'),
    ("${values.empty}${values.u}${none}", '${values.u}${""}'),
    ("a${values.none}b${values.u}", "ab${values.u}"),
    # known text is never read as a substitution, and survives its way through a literal
    ("${values.hard}${values.u}", 'say "${"${"}x}" \\${values.u}'),
    ("${join(list(values.hard, values.u), \"\")}",
     r'${join(list(jsondecode("\"say \\"${x}\\" \\\""), values.u), "")}'),
    ("$${values.u}{", "$${values.u}{"),
    ("${\"$\"}{${values.u}", '${"${"}${values.u}'),
    ("${\"${\"}values.u}${values.u}", '${"${"}values.u}${values.u}'),
    # known values of every kind
    ("${list(values.u, values.true, values.number, values.float, -1, 1.50, 100000000000000000.0)}",
     "${list(values.u, true, 7, 2.0, -1, 1.5, 100000000000000000.0)}"),
    ("${list(values.u, values.bytes)}", '${list(values.u, base64decode("/w=="))}'),
    # references in their canonical form
    ("${r.state.a}", "${resources.r.state.a}"),
    ("${resources[\"r\"].state['a.b'][]}", '${resources.r.state["a.b"][0]}'),
    ("${list(trim)}", "${list(resources.trim)}"),
    # links
    ("${link(r, \"x\")}", '${link(resources.r, "x")}'),
    ("${link(resources.r, values.text).id}", '${link(resources.r, "abc").id}'),
    ("${link(values.u, trim(\" x \"))}", '${link(values.u, "x")}'),
    ("${link(r.state.name, r)}", "${link(resources.r.state.name, resources.r)}"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "residual"), [pytest.param(t, r, id=t) for t, r in LEFT])
def test_left(text: str, residual: str) -> None:
    for answer in (result(text), result(residual)):
        assert answer == Evaluated(residual=residual, partial=answer.partial)


@pytest.mark.parametrize(
    ("text", "mask", "partial"),
    [
        ("${values.u}", None, None),
        ("a ${values.u}", None, None),
        ("${list(1, values.u)}", None, [1, "${values.u}"]),
        ("${object(a=list(values.u))}", None, {"a": ["${values.u}"]}),
        ("${list(1, values.secret)}", None, [1, "${values.secret}"]),
        ("${list(1, values.secret)}", "*", None),
        (
            "${values.part.deep}",
            "*",
            {"known": 1, "open": "${values.part.deep.open}"},
        ),
    ],
)
def test_what_is_known_in_part_is_told(text: str, mask: str | None, partial: object) -> None:
    assert result(text, mask).partial == partial


# --- mistakes -----------------------------------------------------------------------------------

MISTAKES = [
    # in what is chosen, or may be
    ("${if(true, «values.absent», 1)}", "value_not_found"),
    ("${if(values.u, «values.absent», 1)}", "value_not_found"),
    ("${coalesce(values.u, «values.absent»)}", "value_not_found"),
    ("${and(values.u, «values.absent»)}", "value_not_found"),
    ("${or(false, «values.absent»)}", "value_not_found"),
    # types, known or declared
    ("${if(«1», 2, 3)}", "invalid_argument_type"),
    ("${if(«values.aText», 2, 3)}", "invalid_argument_type"),
    ("${and(«\"\"», values.u)}", "invalid_argument_type"),
    ("${and(values.u, «1»)}", "invalid_argument_type"),
    ("${or(«values.aNumber», true)}", "invalid_argument_type"),
    ("${to_upper(«values.aNumber»)}", "invalid_argument_type"),
    ("${trimprefix(values.u, «1»)}", "invalid_argument_type"),
    ("${len(«values.aFlag»)}", "invalid_argument_type"),
    ("${join(«values.aText», \",\")}", "invalid_argument_type"),
    ("${map(values.u, «\"trim\"»)}", "invalid_argument_type"),
    ("${to_upper(«len(values.u)»)}", "invalid_argument_type"),
    ("${link(«1», r)}", "invalid_argument_type"),
    ("${link(r, «len(values.u)»)}", "invalid_argument_type"),
    # numbers of arguments and names of functions, also where values wait
    ("${«trim(values.u, 1)»}", "invalid_argument_count"),
    ("${«if(values.u, 1)»}", "invalid_argument_count"),
    ("${list(«nope(values.u)»)}", "function_not_found"),
    ("${map(values.u, «nope»)}", "function_not_found"),
    ("${object(«values.u»)}", "invalid_argument"),
    ("${object(a=values.u, «a»=1)}", "duplicate_argument_name"),
    # functions are arguments of functions only
    ("${«trimprefix_g(\"a\")»}", "function_not_allowed"),
    ("${«trimprefix_g(values.u)»}", "function_not_allowed"),
    ("${list(«trimprefix_g(values.u)»)}", "function_not_allowed"),
    ("${object(a=«compose(trim)»)}", "function_not_allowed"),
    ("a ${«trimprefix_g(\"a\")»}", "invalid_interpolation"),
    ("a ${«getattr(values.u)»}", "invalid_interpolation"),
    # texts
    ("a ${«values.list»}", "invalid_interpolation"),
    ("a ${«values.aList»}", "invalid_interpolation"),
    ("a ${«values.part»}", "invalid_interpolation"),
    ("${values.u}${«list(values.u)»}", "invalid_interpolation"),
    ("a ${«split(values.u, \",\")»}", "invalid_interpolation"),
    ("a ${«values.bytes»}", "invalid_utf8"),
    # ways that lead nowhere
    ("${«values.part.nope»}", "path_not_found"),
    ("${«values.part.list.a»}", "path_not_found"),
    ("${«values.list[2]»}", "index_out_of_bounds"),
    ("${«list(1)[1]»}", "index_out_of_bounds"),
    ("${«object(a=values.u).b»}", "path_not_found"),
    ("${«values.text.a»}", "path_not_found"),
    ("${«values.none.a»}", "path_not_found"),
    ("${«values.none[0]»}", "path_not_found"),
    ("${«values.object[0]»}", "path_not_found"),
    ("${«list(1).a»}", "path_not_found"),
    ("${«trim(\"a\")[0]»}", "path_not_found"),
    ("${«trim(values.u).a»}", "path_not_found"),
    ("${«first(trim(values.u))[0]»}", "path_not_found"),
    ("${«values.aNumber.a»}", "path_not_found"),
    ("${list(values.u, «object(a=len(values.u)).a.b»)}", "path_not_found"),
    ("x ${values.u} ${«values.absent»}", "value_not_found"),
    # from inside a function, at the argument to blame
    ("${substr(values.text, «9»)}", "invalid_argument"),
    ("${jsondecode(«\"{\"»)}", "invalid_json"),
    ("${map(list(1), «trim»)}", "invalid_argument_type"),
]  # fmt: skip


@pytest.mark.parametrize(("marked", "code"), [pytest.param(m, c, id=m) for m, c in MISTAKES])
def test_mistakes(marked: str, code: str) -> None:
    text = marked.replace("«", "").replace("»", "")
    outcome = result(text)
    assert (outcome.value, outcome.residual) == (None, None)
    (found,) = outcome.diagnostics
    assert found.code == code
    assert found.span is not None
    blamed = text[: found.span.start] + "«" + text[found.span.start : found.span.end] + "»"
    assert blamed + text[found.span.end :] == marked


# --- types of what waits ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("${values.u}", "any"),
        ("${values.aText}", "string"),
        ("${values.anObject.a}", "any"),
        ("${len(values.u)}", "integer"),
        ("${eq(values.u, 1)}", "boolean"),
        ("${file(values.u)}", "any"),
        ("${and(values.u, values.u2)}", "boolean"),
        ("${if(values.u, 1, 2)}", "integer"),
        ('${if(values.u, 1, "a")}', "any"),
        ("${if(values.u, 1, none)}", "any"),
        ('${coalesce(values.aText, "a")}', "any"),
        ('${link(r, "x")}', "object"),
        ('${link(r, "x").a}', "any"),
    ],
)
def test_types_of_what_waits(text: str, kind: str) -> None:
    value = raw(text)
    assert isinstance(value, Unknown)
    assert value.type == kind


# --- secrets ------------------------------------------------------------------------------------

SECRETS = [
    ("${values.secret}", "${values.secret}", "*"),
    ("a ${values.secret} ${values.text}", "a ${values.secret} abc", "a * abc"),
    ("${to_upper(values.secret)}", "${to_upper(values.secret)}", "*"),
    ("${if(eq(values.secret, \"a\"), 1, 2)}", '${if(eq(values.secret, "a"), 1, 2)}', "*"),
    ("${list(1, values.secret)}", "${list(1, values.secret)}", "*"),
    ("${object(a=object(b=values.secret))}", "${object(a=object(b=values.secret))}", "*"),
    ("${coalesce(values.secret, 1)}", "${coalesce(values.secret, 1)}", "*"),
    ("${first(values.u, values.secret)}", "${first(values.u, values.secret)}", "*"),
    ("${or(values.u, eq(values.secret, 1))}", "${or(values.u, eq(values.secret, 1))}", "*"),
    ("${jsondecode(values.secret).a}", "${jsondecode(values.secret).a}", "*"),
    ("${lookup(values.secretObject, \"password\")}",
     '${lookup(values.secretObject, "password")}', "*"),
    ("${values.secretObject.password}", "${values.secretObject.password}", "*"),
    ("${link(values.secret, r)}", "${link(values.secret, resources.r)}", "*"),
    # neither what does not depend on it, nor what merely waits
    ("${values.secretObject.user}", None, None),
    ("${and(false, eq(values.secret, 1))}", None, None),
    ("${values.u}", "${values.u}", "${values.u}"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "kept", "masked"), [pytest.param(t, k, m, id=t) for t, k, m in SECRETS]
)
def test_secrets(text: str, kept: str | None, masked: str | None) -> None:
    outcome = result(text)
    assert outcome.diagnostics == ()
    assert outcome.residual == kept
    covered = result(text, mask="*")
    assert covered.diagnostics == ()
    if kept is not None and masked is not None:
        assert (covered.residual if covered.residual is not None else covered.value) == masked
        value = raw(text)
        hidden = value.secret if isinstance(value, WaitingText) else is_secret(value)
        assert hidden == ("*" in masked)


@pytest.mark.parametrize(
    "text",
    ["${len(values.secretObject.user, 1)}", "${to_upper(values.secretObject)}",
     "${values.secretObject.pasword}", "${substr(values.secret, values.text)}"],
)  # fmt: skip
def test_no_secret_in_a_message(text: str) -> None:
    (found,) = result(text).diagnostics
    assert "app" not in f"{found.summary} {found.hint}"


# --- limits -------------------------------------------------------------------------------------


def test_steps_have_a_limit() -> None:
    text = "${list(" + ", ".join(["trim(values.text)"] * 9) + ")}"
    assert result(text, max_steps=11).diagnostics == ()  # nine arguments cost a step more
    (found,) = result(text, max_steps=10).diagnostics
    assert found.code == "limit_exceeded"
    assert "max_steps" in found.summary


def test_a_text_has_a_limit() -> None:
    assert result("12${values.text}", max_value_chars=5).value == "12abc"
    for text in ("123${values.text}", "12${values.text}${values.u}3"):
        (found,) = result(text, max_value_chars=5).diagnostics
        assert (found.code, "max_value_chars" in found.summary) == ("limit_exceeded", True)


def test_what_is_left_of_much_known_data_can_be_read_again() -> None:
    """Known data in what is left must not run into the limits on what people write."""
    data = [f"10.0.{n // 256}.{n % 256}/32" for n in range(5_000)]
    scope = {"values": {"all": data, "deep": {"a": [{"b c": [data]}]}}}
    for text in ("contains(values.all, resources.r.state.a)", "list(values.deep, r.state.a)"):
        residual = evaluate("${" + text + "}", scope).residual
        assert residual is not None
        assert evaluate(residual, scope).residual == residual
    full = {"resources": {"r": {"state": {"a": "10.0.3.7/32"}}}}
    residual = evaluate("${contains(values.all, resources.r.state.a)}", scope).residual
    assert residual is not None
    assert evaluate(residual, full).value is True


# --- in a document ------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["yaml", "json"])
@pytest.mark.parametrize(
    "before", ["", "\n", " ", "\r", " \n", "\n ", "\t\n", "a", "a\n", '"', "${"]
)
@pytest.mark.parametrize("after", ["", "\n", " ", "\n\n", " \n", "$"])
def test_a_text_stays_a_text(before: str, after: str, form: str) -> None:
    """What is left of a text is read as a text again, not as a substitution that is alone."""
    spec = {"a": "${variables.b}${resources.r.state.n}${variables.a}"}
    document = {
        "version": "2023-04-20",
        "variables": {"a": {"type": "string"}, "b": {"type": "string"}},
        "resources": {"r": {"type": "x/y", "spec": {}}, "s": {"type": "x/y", "spec": spec}},
    }
    given = {"a": after, "b": before}
    source = Source("blueprint.json", json.dumps(document), "json")
    first = render(source, files=MemoryFiles({}), variables=given)
    written = first.text(form)
    again = render(Source(f"b.{form}", written, form), files=MemoryFiles({}))
    assert again.text(form) == written
    state = {"resources": {"r": {"state": {"n": 1}}}}
    full = render(Source(f"b.{form}", written, form), files=MemoryFiles({}), state=state)
    expected = f"{before}1{after}".replace("${", '${"${"}')
    assert json.loads(full.text("json"))["resources"]["s"]["spec"] == {"a": expected}


# --- a scope of plain data ----------------------------------------------------------------------

SCOPE = {
    "variables": {"a": "x", "list": (1, None, 2), "nothing": None},
    "values": {"v": {"a": None, "b": {"c": 1}}, "nothing": None},
    "datasources": {"d": {"f": ["e"], "none": None}},
    "children": {"c": {"e": {"k": 1}}},
    "resources": {"r": {"spec": {"a": 1}, "state": {"nothing": None}}},
    "elem": {"k": "e"},
    "i": 3,
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("${variables.a}-${i}", "x-3"),
        ("${variables.list}", [1, 2]),
        ("${values.v}", {"b": {"c": 1}}),
        ("${values.v.b.c}", 1),
        ("${datasources.d.f[0]}", "e"),
        ("${children.c.e.k}", 1),
        ("${resources.r.spec.a}", 1),
        ("${r.spec}", {"a": 1}),
        ("${elem.k}", "e"),
        ("${coalesce(values.nothing, 1)}", 1),
        ("${coalesce(variables.nothing, 1)}", 1),
        ("${coalesce(datasources.d.none, 1)}", 1),
        ("${coalesce(resources.r.state.nothing, 1)}", 1),
    ],
)
def test_plain_data(text: str, expected: Any) -> None:
    assert evaluate(text, SCOPE) == Evaluated(value=expected)


@pytest.mark.parametrize(
    "text",
    [
        "${resources.r}",
        "${resources.r.state.a}",
        "${resources.other.spec.a}",
        "${datasources.d.other}",
        "${datasources.other.f[1]}",
        "${children.c.other.k}",
        "${children.other.e}",
        '${link(resources.r, "x")}',
    ],
)
def test_what_plain_data_does_not_have_waits(text: str) -> None:
    assert evaluate(text, SCOPE) == Evaluated(residual=text)


@pytest.mark.parametrize(
    ("text", "code", "hint"),
    [
        ("${variables.lst}", "variable_not_found", "did you mean `list`?"),
        ("${values.w}", "value_not_found", None),
        ("${values.v.b.d}", "path_not_found", None),
        ("${values.v.a}", "path_not_found", None),
        ("${resources.r.spec.b}", "path_not_found", None),
    ],
)
def test_mistakes_in_plain_data(text: str, code: str, hint: str | None) -> None:
    (found,) = evaluate(text, SCOPE).diagnostics
    assert found.code == code
    assert hint is None or found.hint == hint
    assert found.span is not None
    assert (found.span.start, found.span.end) == (2, len(text) - 1)


def test_nothing_is_given() -> None:
    assert evaluate("") == Evaluated(value="")
    assert evaluate("a $ { } b") == Evaluated(value="a $ { } b")
    assert evaluate("${1}").value == 1
    assert evaluate("${elem}").diagnostics[0].code == "elem_outside_each"


def test_functions_of_ones_own() -> None:
    from bpp.functions import Function, Parameter

    shout = Function(
        name="shout",
        summary="a text in upper case with a mark",
        parameters=(Parameter("text", ("string",)),),
        result="string",
        call=lambda text: text.upper() + "!",
        topic="tests",
    )
    assert evaluate('${shout("a")}', functions=[shout]).value == "A!"
    assert evaluate('${map(list("a"), shout)}', functions=[shout]).value == ["A!"]
    left = evaluate("${shout(resources.r.state.a)}", functions=[shout])
    assert left.residual == "${shout(resources.r.state.a)}"


def test_the_elements_of_each_are_not_copied_for_each_instance() -> None:
    text = """\
version: 2023-04-20
resources:
  r:
    type: a/b/c
    each: ${list("a", "b")}
    spec: {name: "${elem}"}
"""
    run = render(Source("b.yaml", text, "yaml"), stop_after="substitute")
    evaluation = run.work.find(Evaluation)
    assert evaluation is not None
    # of n elements n copies were made, one for each use of `elem`
    assert evaluation.elements("r") == ["a", "b"]
    assert evaluation.elements("r") is evaluation.elements("r")
