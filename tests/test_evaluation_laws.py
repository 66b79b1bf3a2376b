"""Laws of evaluation, tried on generated expressions: what is computed now or later is the same."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any, TypeAlias

import attrs
import pytest
from bpp.functions import NONE, Unknown, core_functions
from bpp.functions.values import has_unknown
from bpp.pipeline import Evaluated, Limits, MemoryFiles, Settings, Source, evaluate
from bpp.pipeline.codes import CODES
from bpp.pipeline.dialects.bluelink.syntax import SYNTAX
from bpp.pipeline.engine.materialisation import whole
from bpp.pipeline.engine.string_evaluation import evaluate_in
from bpp.pipeline.language.errors import Failure
from bpp.pipeline.language.evaluator import Evaluator
from bpp.pipeline.language.language import Language
from bpp.pipeline.values.expression import Argument, Call, Literal, Path, Reference
from bpp.pipeline.world.effects import Effects
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

few = settings(
    max_examples=400,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)

# --- a world of which parts are known later -----------------------------------------------------

WORLD: dict[str, Any] = {
    "variables": {"a": "abc", "empty": "", "count": 3, "on": True, "odd": 'x"${y}\\'},
    "values": {"list": ["b", "abc", ""], "object": {"k": "v", "n": 1, "odd key": "o"}},
    "elem": {"k": "e"},
    "i": 2,
    "resources": {
        "r": {
            "state": {
                "text": "s-1",
                "other": "abc",
                "on": True,
                "off": False,
                "number": 7,
                "list": ["l0", "l1", "abc"],
                "object": {"k": "deep", "n": 2},
                "absent": NONE,
                "missing": NONE,
            }
        }
    },
}
STATE = WORLD["resources"]["r"]["state"]
LEAVES: tuple[Path, ...] = (
    *(("r", "state", name) for name in STATE),
    *(("r", "state", *rest) for rest in (("list", 1), ("object", "k"), ("object", "n"))),
)
TYPES = {str: "string", bool: "boolean", int: "integer", list: "array", dict: "object"}


@attrs.frozen
class World:
    """A scope in which some parts of the state are unknown, with or without a declared type."""

    hidden: frozenset[Path] = frozenset()
    typed: bool = False

    def resolve(self, reference: Reference) -> Any:
        """See `language.evaluator.Scope`."""
        root, path = reference.root, reference.path
        canonical = Reference(root, path)
        if root == "resources" and len(path) == 1:
            return Unknown(canonical)
        if root not in WORLD or (root == "resources" and path[0] not in WORLD[root]):
            return Unknown(canonical)
        value = WORLD[root]
        for position, item in enumerate(path):
            if root == "resources" and path[:position] in self.hidden:
                return Unknown(canonical)
            known = range(len(value)) if isinstance(value, list) else value
            if not isinstance(known, (dict, range)) or item not in known:
                raise Failure("path_not_found", f"there is no `{item}`", reference)
            value = value[item]
        seen = self._seen(value, canonical)
        return seen if seen.__class__ is Unknown else whole(seen, canonical)

    def _seen(self, value: Any, reference: Reference) -> Any:
        if reference.root == "resources" and reference.path in self.hidden:
            return Unknown(reference, TYPES.get(value.__class__, "any") if self.typed else "any")
        if isinstance(value, dict):
            fields = {k: self._seen(v, reference.deeper(k)) for k, v in value.items()}
            return {k: v for k, v in fields.items() if v is not NONE}
        if isinstance(value, list):
            return [self._seen(v, reference.deeper(i)) for i, v in enumerate(value)]
        return value

    def names_resource(self, name: str) -> bool:
        """See `language.evaluator.Scope`."""
        return name in WORLD["resources"]

    def link(self, first: Any, second: Any, call: Call) -> Any:
        """See `language.evaluator.Scope`."""
        if not self.hidden:
            return {"id": "link-1"}
        sides = [Argument(s if isinstance(s, Reference) else Literal(s)) for s in (first, second)]
        return Unknown(Call("link", tuple(sides)), "object")


FULL = World()
FUNCTIONS = core_functions()
LIMITS = Limits()
EFFECTS = Effects(Settings(now=0.0, seed=1), MemoryFiles({}))


def result(text: str, world: World = FULL) -> Evaluated:
    """What comes of a string in a world."""
    language = Language(SYNTAX, LIMITS)
    evaluator = Evaluator(FUNCTIONS, EFFECTS, LIMITS)
    return evaluate_in(text, Source("<law>", text, "text"), language, evaluator, world)


hidden = st.one_of(st.just(LEAVES[:9]), st.sets(st.sampled_from(LEAVES), min_size=3))
worlds = st.builds(World, hidden.map(frozenset), st.booleans())

# --- expressions of known types -----------------------------------------------------------------

Texts: TypeAlias = st.SearchStrategy[str]
R = "resources.r.state."


def form(pattern: str, *parts: Texts) -> Texts:
    """A text with `@` for each part."""

    def fill(drawn: tuple[str, ...]) -> str:
        pieces = pattern.split("@")
        return pieces[0] + "".join(p + q for p, q in zip(drawn, pieces[1:], strict=True))

    return st.tuples(*parts).map(fill)


def either(*options: Texts) -> Texts:
    """One of the options, each as likely as the others whatever it is made of."""
    return st.one_of([option.map(str) for option in options])


def leaves(*names: str) -> Texts:
    """One of some expressions; `.name` is a part of the state."""
    later = [R + name[1:] for name in names if name[0] == "."]
    known = [name for name in names if name[0] != "."]
    return either(*(st.sampled_from(group) for group in (later, known) if group))


@cache
def text(depth: int) -> Texts:
    """A string, never none."""
    leaf = leaves(
        '"a"', '""', '"abc"', '"s-"', r'"\"}]"', r'"\"]"', '"${"', "variables.a", "variables.empty",
        "variables.odd", "values.object.k", 'values.object["k"]', "values.list[0]",
        ".text", ".other", ".object.k", ".list[1]",
    )  # fmt: skip
    if not depth:
        return leaf
    t, n, b = text(depth - 1), maybe_text(depth - 1), maybe_truth(depth - 1)
    return either(
        leaf,
        form('join(@, "-")', array(depth - 1)),
        form("to_upper(@)", t),
        form("replace(@, @, @)", t, t, t),
        form("trimprefix(@, @)", t, t),
        form("if(@, @, @)", b, t, t),
        form("coalesce(@, @)", n, t),
        form("coalesce(@, @, @)", n, t, n),
        form("first(@, @)", n, t),
        form("first(@, @, @)", n, n, t),
        form("object(k=@, n=@).k", t, n),
        form("list(@, @)[0]", n, t),
        form("list(@, @, @)[1]", t, t, n),
        form('lookup(object(k=@, n=@), "k")', t, n),
        form("@.k", mapping(depth - 1).filter(lambda m: m.endswith(")"))),
        form("base64encode(@)", t),
        form("utf8(base64decode(base64encode(@)))", t),
        form("join(map(@, @), @)", array(depth - 1), function(depth - 1), t),
    )


@cache
def maybe_text(depth: int) -> Texts:
    """A string or none."""
    leaf = either(text(0), leaves("none", ".absent", ".missing"))
    if not depth:
        return leaf
    t, n, b = text(depth - 1), maybe_text(depth - 1), maybe_truth(depth - 1)
    return either(
        leaf,
        t,
        form("if(@, @, @)", b, n, n),
        form("if(@, @, none)", b, t),
        form("coalesce(@, @)", n, n),
        form("first(@, @)", n, n),
        form("first(@)", n),
        form("to_lower(@)", n),
        form("trimsuffix(@, @)", n, n),
        form("join(list(@, @), @)", n, n, n),
        form("lookup(@, @)", mapping(depth - 1), n),
        form('lookup(object(a=@, b=@), "b")', n, n),
    )


@cache
def truth(depth: int) -> Texts:
    """A boolean, never none."""
    leaf = leaves("true", "false", "variables.on", ".on", ".off")
    if not depth:
        return leaf
    t, b, i = text(depth - 1), truth(depth - 1), number(depth - 1)
    return either(
        leaf,
        form("eq(@, @)", t, t),
        form("eq(@, @)", array(depth - 1), array(depth - 1)),
        form("contains(@, @)", array(depth - 1), t),
        form("has_prefix(@, @)", t, t),
        form("gt(@, @)", i, i),
        form("and(@, @)", b, b),
        form("or(@, @)", b, maybe_truth(depth - 1)),
        form("or(@, @)", maybe_truth(depth - 1), b),
        form("not(@)", b),
        form("if(@, @, @)", maybe_truth(depth - 1), b, b),
    )


@cache
def maybe_truth(depth: int) -> Texts:
    """A boolean or none."""
    leaf = either(truth(0), leaves("none", ".absent"))
    if not depth:
        return leaf
    n, b = maybe_text(depth - 1), truth(depth - 1)
    return either(
        leaf,
        b,
        form("eq(@, @)", n, n),
        form("not(@)", maybe_truth(depth - 1)),
        form("or(@, @)", maybe_truth(depth - 1), maybe_truth(depth - 1)),
        form("coalesce(@, @)", maybe_truth(depth - 1), maybe_truth(depth - 1)),
        form("if(@, @, none)", b, b),
    )


@cache
def number(depth: int) -> Texts:
    """An integer, never none."""
    leaf = leaves("0", "3", "-1", "variables.count", "values.object.n", ".number", ".object.n")
    if not depth:
        return leaf
    t, i = text(depth - 1), number(depth - 1)
    return either(
        leaf,
        form("len(@)", t),
        form("len(@)", array(depth - 1)),
        form("len(@)", mapping(depth - 1)),
        form("max(@, @)", i, i),
        form("abs(@)", i),
        form("index(@, @)", t, t),
        form("if(@, @, @)", maybe_truth(depth - 1), i, i),
        form("reduce(list(@, @), max, @)", i, i, i),
    )


@cache
def array(depth: int) -> Texts:
    """An array of strings."""
    leaf = leaves("list()", 'list("a", "b")', "values.list", ".list")
    if not depth:
        return leaf
    n, inner = maybe_text(depth - 1), array(depth - 1)
    return either(
        leaf,
        form("list(@)", n),
        form("[@, @]", n, n),
        form("list(@, @, @)", n, n, n),
        form("map(@, @)", inner, function(depth - 1)),
        form("filter(@, has_prefix_g(@))", inner, text(depth - 1)),
        form("flatmap(@, split_g(@))", inner, text(depth - 1)),
        form('split(@, "-")', text(depth - 1)),
        form("keys(@)", mapping(depth - 1)),
        form("vals(object(a=@, b=@))", n, n),
        form("if(@, @, @)", maybe_truth(depth - 1), inner, inner),
        form("coalesce(@, @)", inner, inner),
        form("first(@, @)", inner, inner),
        form("first(list(@), @)", n, inner),
    )


@cache
def mapping(depth: int) -> Texts:
    """An object with a string at `k`; an integer or a string may stand at `n`."""
    leaf = leaves("values.object", ".object", 'object(k="v")')
    if not depth:
        return leaf
    return either(
        leaf,
        form("object(k=@, n=@)", text(depth - 1), maybe_text(depth - 1)),
        form("object(k=@, more=@)", text(depth - 1), mapping(depth - 1)),
        form("if(@, @, @)", maybe_truth(depth - 1), mapping(depth - 1), mapping(depth - 1)),
        form(r'jsondecode("{\"k\": \"@\"}")', st.sampled_from(("", "j"))),
    )


@cache
def function(depth: int) -> Texts:
    """A function of a string that gives one."""
    leaf = leaves("to_upper", "trim", 'trimprefix_g("a")')
    if not depth:
        return leaf
    return either(
        leaf,
        form("trimprefix_g(@)", text(depth - 1)),
        form("replace_g(@, @)", text(depth - 1), text(depth - 1)),
        form("compose(@, @)", function(depth - 1), function(depth - 1)),
        form("pipe(@, @)", function(depth - 1), function(depth - 1)),
    )


anything = either(
    *(kind(d) for kind in (maybe_text, maybe_truth, number, array, mapping) for d in (1, 2, 3))
)
lone = anything.map(lambda inner: "${" + inner + "}")
pieces = either(
    form("${@}", either(maybe_text(2), maybe_truth(2), number(2))),
    st.sampled_from(("${none}", '${""}', "a", "$", "{", " ", '"', "\n", "é")),
)
strings = st.one_of(lone, lone, st.lists(pieces, min_size=2, max_size=4).map("".join))


def hold(string: str, world: World) -> None:
    """What is computed in a world, and the rest in the full one, is what is computed at once."""
    at_once = result(string)
    assert at_once.diagnostics == ()
    now = result(string, world)
    assert now.diagnostics == ()
    if now.residual is None:
        assert repr(now.value) == repr(at_once.value)
        return
    later = result(now.residual)
    assert later.diagnostics == ()
    assert repr(later.value) == repr(at_once.value)
    assert result(now.residual, world) == now


@pytest.mark.slow
@settings(few, max_examples=1500)
@given(strings, worlds)
def test_what_is_left_is_worth_the_same(string: str, world: World) -> None:
    """Computing a part now and the rest later gives the same; the rest cannot be made smaller."""
    hold(string, world)


@pytest.mark.slow
@settings(few, max_examples=500)
@given(strings, worlds)
def test_what_is_known_is_not_left(string: str, world: World) -> None:
    """Variables and values that are known do not stay in what is left."""
    residual = result(string, world).residual
    if residual is not None:
        parts = Language(SYNTAX, LIMITS).split(residual)
        assert not parts.roots & {"variables", "values"}


# Every argument at every place of the functions that decide by some of their arguments.
TRUTHS = ("true", "false", "none", R + "on", R + "off", R + "absent")
TEXTS = ("none", '""', '"a"', R + "text", R + "absent")
EMPTY = (*TEXTS, "list()", f"list({R}absent)", f'list("a", {R}absent)', f"list({R}text)")
SMALL = {
    "and": (TRUTHS, TRUTHS),
    "or": (TRUTHS, TRUTHS),
    "not": (TRUTHS,),
    "if": (TRUTHS, TEXTS, TEXTS),
    "coalesce": (TEXTS, TEXTS, TEXTS),
    "first": (EMPTY, EMPTY, EMPTY),
    "list": (TEXTS, TEXTS, TEXTS),
    "join": (("[]", f'["a", {R}absent, {R}text]', R + "list", "none"), TEXTS),
    "to_upper": (TEXTS,),
    "trimprefix": (TEXTS, TEXTS),
    "eq": (TEXTS, TEXTS),
}
AROUND = ("${@}", "a${@}", "${none}${@}", '${@}${""}', "${list(@)}", "${if(true, @, 1)}")


@pytest.mark.parametrize("name", SMALL)
def test_every_argument_at_every_place(name: str) -> None:
    world = World(frozenset(LEAVES[: len(STATE)]))
    for arguments in product(*SMALL[name]):
        call = f"{name}({', '.join(arguments)})"
        if name == "and" and "false" in arguments and R + "absent" in arguments:
            continue  # false decides; what the other side is, the specification asks in vain
        in_text = name not in ("list", "first")
        for pattern in AROUND if in_text else (AROUND[0], *AROUND[4:]):
            hold(pattern.replace("@", call), world)


@pytest.mark.parametrize("other", [R + "absent", R + "on", R + "off"])
def test_false_decides_and(other: str) -> None:
    """The one exception: `and` is false, and not none, when the other side turns out to be none."""
    world = World(frozenset(LEAVES))
    assert result(f"${{and(false, {other})}}", world).value is False
    assert result(f"${{and({other}, false)}}", world).value is False
    assert result(f"${{and(false, {R}absent)}}").value is NONE


# --- any text at all ----------------------------------------------------------------------------

WORDS = (
    "${", "}", "${", "}", "resources.r.state.text", "values.object", "values.list", "variables.a",
    "elem", "i", "none", "true", "1", "-2.5", '"', '"a"', '"', "\\", "(", ")", "(", ")", "[", "]",
    ",", ", ", ".", ".k", "[0]", "[]", "=", "k=", " ", "\n", "é", "\0", "$", "'", "x(",
    "resources.q",
    *(f"{name}(" for name in FUNCTIONS),
    *FUNCTIONS,
)  # fmt: skip

argument = st.one_of(
    anything,
    function(1),
    st.sampled_from(
        (
            "none", "true", "9223372036854775807", "-1", "1.5", "list(1, true)", "elem", "i",
            'base64decode("/w==")', "resources.r", "r", "trim", "compose(trim)", '"[1"',
            '"10.0.0.0/8"',
            'jsondecode("[[1]]")', "object(k=none)", "children.c.e", "datasources.d.f[0]", "uuid()",
            'datetime("unix")', 'file("x")', "cwd()", 'link("r", r)', "getelem(9)",
        )
    ),
)  # fmt: skip
fitting: dict[str, Texts] = {
    "string": maybe_text(1),
    "boolean": maybe_truth(1),
    "integer": number(1),
    "float": st.sampled_from(("1.5", "-0.0", R + "number")),
    "array": either(array(1), st.sampled_from(("list(1, 2)", "list(true, none)", "[[1], []]"))),
    "object": mapping(1),
    "binary": form("base64decode(base64encode(@))", text(1)),
    "function": either(function(1), st.sampled_from(('getattr("k")', "getelem(0)", "not", "max"))),
    "any": anything,
    "resource": st.sampled_from(("r", "resources.r", '"r"')),
}


@st.composite
def calls(draw: st.DrawFn) -> str:
    """A call of any function, mostly with arguments that fit."""
    function = FUNCTIONS[draw(st.sampled_from(sorted(FUNCTIONS)))]
    most = function.minimum + 2 if function.maximum is None else function.maximum
    count = draw(st.integers(function.minimum, most))
    written = []
    for position in range(count):
        parameter = function.parameter(position)
        assert parameter is not None
        valid = draw(st.booleans())
        if parameter.choices and valid:
            value = f'"{draw(st.sampled_from(parameter.choices))}"'
        elif draw(st.integers(0, 9)):
            value = draw(fitting[draw(st.sampled_from(parameter.types))])
        else:
            value = draw(argument)
        named = function.named or not draw(st.integers(0, 9))
        written.append(f"k{position}={value}" if named else value)
    if not draw(st.integers(0, 19)):
        written.append("1")
    after = draw(st.sampled_from(("", "", "", "", "[0]", ".k0", '["odd.key"]')))
    return f"{function.name}({', '.join(written)}){after}"


nested_calls = st.builds(lambda outer, inner: outer.replace("none", inner, 1), calls(), calls())
any_text = st.one_of(
    st.text(max_size=30),
    st.lists(st.sampled_from(WORDS), max_size=12).map("".join),
    st.one_of(calls(), nested_calls).map(lambda inner: "${" + inner + "}"),
    st.one_of(calls(), nested_calls).map(lambda inner: "a ${" + inner + "} b"),
)


def answered(outcome: Evaluated) -> None:
    """A string has a value, or something is left of it, or it has mistakes, with their places."""
    if outcome.diagnostics:
        assert outcome.value is None and outcome.residual is None
    for item in outcome.diagnostics:
        assert item.code in CODES
        assert item.span is not None and item.span.start <= item.span.end
    if outcome.residual is not None:
        assert outcome.value is None
    assert not has_unknown(outcome.value)


@pytest.mark.slow
@settings(few, max_examples=1500)
@given(any_text, worlds)
def test_any_text_gets_an_answer(string: str, world: World) -> None:
    outcome = result(string, world)
    answered(outcome)
    if outcome.diagnostics:
        return
    later = outcome
    if outcome.residual is not None:
        again = result(outcome.residual, world)
        assert again.residual == outcome.residual, again.diagnostics
        later = result(outcome.residual)
    at_once = result(string)
    # An id is new each time, and `and` is the exception that is told above.
    if not at_once.diagnostics and "uuid(" not in string and "and(" not in string:
        assert later.diagnostics == ()
        assert repr(later.value) == repr(at_once.value)


@settings(few, max_examples=500)
@given(strings, st.data())
def test_a_damaged_string_gets_an_answer(string: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(string)))
    piece = data.draw(st.sampled_from(WORDS))
    drop = data.draw(st.integers(0, 3))
    answered(evaluate(string[:at] + piece + string[at + drop :], {"values": {}, "elem": [1]}))


# --- text is data -------------------------------------------------------------------------------

outside = st.one_of(
    st.text(),
    st.lists(st.sampled_from(("${", "$", "{", "}", '"', "\\", "a", "\n", '${"${"}', "${i}")))
    .map("".join),
)  # fmt: skip


@settings(few, max_examples=300)
@given(outside)
def test_protected_text_is_itself(text_: str) -> None:
    """Text from outside, written into a string, is never computed."""
    protected = Language(SYNTAX, LIMITS).protect(text_)
    outcome = result(protected)
    assert outcome == Evaluated(value=text_)


@settings(few, max_examples=300)
@given(outside, outside, outside)
def test_text_from_a_variable_is_itself(first: str, second: str, third: str) -> None:
    """Known text beside what has to wait: rendered once or twice, it is the same text."""
    scope = {"variables": {"a": first, "b": second, "c": third}}
    string = f'${{variables.a}}${{join(list(variables.b, {R}text), "")}}${{variables.c}}'
    residual = evaluate(string, scope).residual
    assert residual is not None
    assert evaluate(residual, {}).residual == residual
    known = {"resources": {"r": {"state": {"text": "T"}}}}
    assert evaluate(residual, known).value == f"{first}{second}T{third}"


@settings(few, max_examples=200)
@given(outside)
def test_a_literal_is_itself(text_: str) -> None:
    written = text_.replace('"', '\\"')
    assume(not text_.endswith("\\"))
    assert result('${"' + written + '"}') == Evaluated(value=text_)
