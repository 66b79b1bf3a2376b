"""The evaluation of expressions, a method for each form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from ....functions.gotemplate.kinds import Absent
from ....functions.spiff.values import truth
from ....functions.value_limits import hold_items
from ....functions.values import FunctionError
from ...values.expression import Argument, Call, Expression, Literal, Reference
from . import forms
from .arithmetic import OPERATIONS
from .calls import Calls, failed, lambda_text
from .printing import show
from .scope import (
    CONTEXT,
    DOCUMENT,
    MARKERS,
    MISSING,
    OUTERMOST,
    SELF,
    UNDEFINED,
    Cell,
    Env,
    Lambda,
    Parameter,
    Problem,
    Rows,
    Table,
    Template,
)

_Arguments = tuple[Argument, ...]
_STEPS: Final = 3  # of an evaluation, beside those of other work


class Expressions(Calls):
    """Evaluates trees."""

    projected: Any = None

    def evaluate(self, tree: Expression, env: Env, local: bool = False) -> Any:
        """The value of a tree; of a reference all is known unless `local`.

        Raises:
            Problem: it fails.
            Waiting: it needs a cell that has failed.
        """
        self.meter.work(_STEPS)
        if tree.__class__ is Literal:
            return tree.value
        if tree.__class__ is Reference:
            return self.on_reference(tree, env, local)
        assert isinstance(tree, Call)
        try:
            return _FORMS[tree.function](self, tree, env, local)
        except Problem as problem:
            if problem.node is None and problem.home is None:
                problem.node = tree
            raise

    def part(self, tree: Call, number: int) -> Expression:
        return tree.arguments[number].value

    # references

    def on_reference(self, tree: Reference, env: Env, local: bool) -> Any:
        """What a reference leads to."""
        path = tree.path
        if tree.root == "":
            found: Any = env.root if env.root is not None else MISSING
            done = [""]
        else:
            found, path = self.resolve(tree.root, path, env)
            done = [tree.root] if path is tree.path else [tree.root, *map(str, tree.path[:1])]
        if found is MISSING:
            raise Problem(f"'{'.'.join(done)}' not found", tree)
        return self.follow(found, path, done, tree, local)

    def follow(self, found: Any, path: Any, done: list[str], tree: Expression, local: bool) -> Any:
        """What a path leads to from a value."""
        for step in path:
            found = self.child(found, step)
            done.append(f"[{step}]" if isinstance(step, int) else step)
            if found is MISSING or self.vanishes(found):
                raise Problem(f"'{'.'.join(done)}' not found", tree)
        if found.__class__ is Cell:
            if not local:
                self.deep(found)
            value = self.force(found)
            if found.key_name:
                self.info.key_name = found.key_name
        else:
            value = found if local else self.deep(found)
        if value.__class__ is Absent:
            try:
                return value.used()
            except FunctionError as error:
                raise failed(error, tree) from None
        if value.__class__ is Table and self.vanishes(value):
            return UNDEFINED
        if value.__class__ is Rows and value.key_name:
            self.info.key_name = value.key_name
        return value

    def resolve(self, name: str, path: Any, env: Env | None) -> tuple[Any, Any]:
        """What the first name of a reference means, and the path from there."""
        start = env
        while env is not None:
            if name == CONTEXT:
                return self.context(env), path
            if name == DOCUMENT and (found := self._in_document(env, path)) is not None:
                return found
            frame = env.frame
            while frame is not None:
                found = self._in_frame(frame.entries, name)
                if found is not MISSING:
                    if name == SELF and path:
                        return self.resolve(str(path[0]), path[1:], found.env)
                    return found, path
                frame = frame.outer
            if name == OUTERMOST and env.outer is None:
                return env.root if env.root is not None else MISSING, path
            env = env.outer
        del start
        return MISSING, path

    def _in_frame(self, entries: Any, name: str) -> Any:
        if entries.__class__ is not Table:
            return entries.get(name, MISSING)
        found = entries.cells.get(name, MISSING)
        if found is MISSING and entries.insertion is not None and entries.insertion.status != 1:
            found = (self.entries(entries) or {}).get(name, MISSING)
        if found.__class__ is Cell and found.status == 2 and found.value is UNDEFINED:
            return MISSING
        return found

    def _in_document(self, env: Env, path: Any) -> tuple[Any, Any] | None:
        frame = env.frame
        while frame is not None and frame.entries.__class__ is not Table:
            frame = frame.outer
        if frame is None:
            return None
        if not path:
            return frame.entries, path
        while frame is not None:
            found = self._in_frame(frame.entries, str(path[0]))
            if found is not MISSING:
                return found, path[1:]
            frame = frame.outer
        return MISSING, path

    def context(self, env: Env) -> dict[str, Any]:
        """What `__ctx` tells of a place."""
        run = self.run
        outer = []
        around = env.outer
        last = env
        while around is not None:
            if around.root is not None:
                outer.append(around.root)
            last, around = around, around.outer
        folder = run.source.rpartition("/")[0] or "."
        found = {
            "VERSION": "v1.7.0-beta-7",
            "FILE": run.source,
            "DIR": folder,
            "RESOLVED_FILE": run.source,
            "RESOLVED_DIR": folder,
            "PATHNAME": ".".join(env.path),
            "PATH": [*env.path],
            "STUBPATH": [*(env.stub_path or ())],
            "BINDINGS": last.root if last is not env else [],
        }
        return {**found, "OUTER": outer} if outer else found

    def on_field(self, tree: Call, env: Env, local: bool) -> Any:
        value = self.evaluate(self.part(tree, 0), env, local)
        path = self.part(tree, 1)
        assert isinstance(path, Literal)
        return self.follow(value, path.value, [], tree, local)

    def on_index(self, tree: Call, env: Env, local: bool) -> Any:
        target, key = self.part(tree, 0), self.part(tree, 1)
        value = self.evaluate(target, env, local or isinstance(target, Reference))
        steps = self.evaluate(key, env)
        if len(steps) == 1 and isinstance(steps[0], list):
            steps = steps[0]
        if not steps:
            raise Problem("at least one index or field name required for reference qualifier", tree)
        path: list[str | int] = []
        for step in map(self.force, steps):
            if isinstance(step, bool) or not isinstance(step, str | int):
                hint = "`integer(..)` makes an index of a float" if type(step) is float else None
                raise Problem("index or field name required for reference qualifier", key, hint)
            path.append(step)
        if isinstance(path[0], int) and not isinstance(value, list):
            raise Problem("index requires array expression", tree)
        try:
            return self.follow(value, path, [], tree, False)
        except Problem as problem:
            if problem.code == "spiff_unresolved":  # which names a value
                problem.summary = "the map has no such key, or the list no such item"
            raise

    def on_slice(self, tree: Call, env: Env, local: bool) -> Any:
        value = self.evaluate(self.part(tree, 0), env, local)
        if not isinstance(value, list):
            raise Problem("slice requires array expression", tree)
        ends = self.part(tree, 1)
        assert isinstance(ends, Call)
        items = [one for one in value if not self.vanishes(one)]
        first, last = self._ends(ends, env, len(items))
        if first > last:
            return []
        if first < 0 <= last:
            sentence = "mixed negative and non-negative range not possible for slice"
            raise Problem(sentence, ends)
        if first < -len(items) or last >= len(items):
            what = f"{first} < -length" if first < 0 else f"{last} >= length"
            raise Problem(f"slice out of range ({what} {len(items)})", ends)
        return items[first : last + 1 or None]

    def _ends(self, tree: Call, env: Env, size: int) -> tuple[int, int]:
        """The ends of a range; of one that is open, those of a list with `size` items."""
        given: list[int | None] = []
        for argument in tree.arguments:
            never = isinstance(argument.value, Call) and argument.value.function == forms.NEVER
            value = None if never else self.evaluate(argument.value, env)
            if not never and (isinstance(value, bool) or not isinstance(value, int)):
                raise Problem("integer operand required", argument.value)
            given.append(value)
        first, last = given
        if first is None and last is None:
            raise Problem("slice operator requires start or end index", tree)
        if size < 0 and (first is None or last is None):
            raise Problem("range expression requires start and end index", tree)
        if first is None:
            assert last is not None
            return (0 if last >= 0 else -size), last
        if last is None:
            return first, (size - 1 if first >= 0 else -1)
        return first, last

    def on_range(self, tree: Call, env: Env, local: bool) -> Any:
        first, last = self._ends(tree, env, -1)
        count = abs(last - first) + 1
        hold_items("[..]", count, self.limits)
        self.meter.work(count)
        return list(range(first, last + 1) if first <= last else range(first, last - 1, -1))

    def on_projection(self, tree: Call, env: Env, local: bool) -> Any:
        value = self.evaluate(self.part(tree, 0), env)
        body = self.part(tree, 1)
        plain = isinstance(body, Call) and body.function == forms.ITEM
        if isinstance(value, list):
            if plain:
                return value
            items = [one for one in value if not self.vanishes(one)]
        elif isinstance(value, dict | Table):
            items = [one for _, one in sorted(self.defined(value), key=_by_key)]
        else:
            raise Problem("only map or list allowed for projection", tree)
        made, before = [], self.projected
        try:
            for one in items:
                self.projected = self.force(one)
                made.append(self.evaluate(body, env))
        finally:
            self.projected = before
        return made

    def on_item(self, tree: Call, env: Env, local: bool) -> Any:
        return self.projected

    # values

    def on_group(self, tree: Call, env: Env, local: bool) -> Any:
        return self.evaluate(self.part(tree, 0), env, local)

    def on_undefined(self, tree: Call, env: Env, local: bool) -> Any:
        return UNDEFINED

    def on_list(self, tree: Call, env: Env, local: bool) -> Any:
        made, undefined = self.listed(tree.arguments, env)
        return UNDEFINED if undefined else made

    def listed(self, arguments: _Arguments, env: Env) -> tuple[list[Any], bool]:
        """The values of the items of a list or a call, and whether one of them is undefined."""
        made: list[Any] = []
        undefined = False
        for argument in arguments:
            tree = argument.value
            expanded = isinstance(tree, Call) and tree.function == forms.EXPANDED
            value = self.evaluate(self.part(tree, 0) if expanded else tree, env)  # type: ignore[arg-type]
            if expanded:
                if not isinstance(value, list):
                    raise Problem("argument expansion required list argument", tree)
                made += [one for one in value if not self.vanishes(one)]
            else:
                undefined = undefined or value is UNDEFINED
                made.append(None if value is UNDEFINED else value)
        hold_items("[..]", len(made), self.limits)
        return made, undefined

    def pairs(self, arguments: _Arguments, env: Env) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for number in range(0, len(arguments), 2):
            key = self.evaluate(arguments[number].value, env)
            if not isinstance(key, str):
                sentence = "assignment target must evaluate to string"
                raise Problem(sentence, arguments[number].value)
            value = self.evaluate(arguments[number + 1].value, env)
            made[key] = None if value is UNDEFINED else value
        return made

    def on_map(self, tree: Call, env: Env, local: bool) -> Any:
        return self.pairs(tree.arguments, env)

    def on_scope(self, tree: Call, env: Env, local: bool) -> Any:
        names = self.pairs(tree.arguments[:-1], env)
        return self.evaluate(tree.arguments[-1].value, env.local(names), local)

    def on_function(self, tree: Call, env: Env, local: bool) -> Any:
        parameters, variadic = [], False
        for argument in tree.arguments[1:]:
            if not argument.name:
                variadic = True
                continue
            value = argument.value
            never = isinstance(value, Call) and value.function == forms.NEVER
            default = MISSING if never else self.evaluate(value, env)
            parameters.append(Parameter(argument.name, default))
        home = self.busy[-1] if self.busy else None
        made = self.resolve(SELF, (), env)[0]
        keeps = made.env if made.__class__ in (Lambda, Template) else env
        body = self.part(tree, 0)
        text = lambda_text(parameters, variadic, show(body))
        return Lambda(tuple(parameters), variadic, body, text, env.locals, keeps, home)

    def on_function_of(self, tree: Call, env: Env, local: bool) -> Any:
        value = self.evaluate(self.part(tree, 0), env)
        if isinstance(value, str):
            parsed = self.parse(value, None)
            if not (isinstance(parsed, Call) and parsed.function == forms.LAMBDA):
                raise Problem("the string is no lambda expression", tree)
            return self.on_function(parsed, env, local)
        if not isinstance(value, Lambda):
            raise Problem("lambda reference must resolve to lambda value or string", tree)
        return value

    def on_substituted(self, tree: Call, env: Env, local: bool) -> Any:
        value = self.evaluate(self.part(tree, 0), env)
        if not isinstance(value, Template):
            raise Problem("template value required", tree)
        return self.use(value, env)

    # operators

    def on_binary(self, tree: Call, env: Env, local: bool) -> Any:
        operations: list[Call] = []
        first: Expression = tree
        while isinstance(first, Call) and first.function in OPERATIONS:
            operations.append(first)
            first = first.arguments[0].value
        value = self.evaluate(first, env)
        for one in reversed(operations):
            self.meter.work()
            value = self._operated(one, value, self.evaluate(self.part(one, 1), env))
        return value

    def _operated(self, tree: Call, left: Any, right: Any) -> Any:
        name = tree.function
        undefined = left is UNDEFINED or right is UNDEFINED
        values = [None if one is UNDEFINED else one for one in (left, right)]
        try:
            made = OPERATIONS[name](self, name, *values)
        except Problem as problem:
            problem.node = problem.node or tree
            if name == forms.CONCATENATED:  # the sentence has places for the operands
                texts = [show(argument.value) for argument in tree.arguments]
                problem.sentence = problem.sentence.format(*texts)
                problem.summary = problem.sentence.replace("'", "`")
            raise
        if name == forms.CONCATENATED:
            self.info.replace = False
            self.meter.built(made)
        return UNDEFINED if undefined else made

    def on_either(self, tree: Call, env: Env, local: bool) -> Any:
        operations: list[Call] = []
        first: Expression = tree
        while isinstance(first, Call) and first.function in forms.LOOSEST:
            operations.append(first)
            first = first.arguments[0].value
        value, failure = self._attempt(first, env)
        for one in reversed(operations):
            if failure or value is UNDEFINED or (value is None and one.function == "//"):
                value, failure = self._attempt(self.part(one, 1), env)
        if failure is not None:
            raise failure
        return value

    def _attempt(self, tree: Expression, env: Env) -> tuple[Any, Problem | None]:
        try:
            return self.evaluate(tree, env), None
        except Problem as problem:
            if problem.final:
                raise
            return None, problem

    def on_logical(self, tree: Call, env: Env, local: bool) -> Any:
        values = [self.evaluate(self.part(tree, 0), env)]
        decides = tree.function == "-or"
        left = None if values[0] is UNDEFINED else values[0]
        try:
            values.append(self.evaluate(self.part(tree, 1), env))
        except Problem as problem:
            if problem.final or type(left) is int or truth(left) is not decides:
                raise
            return decides
        if UNDEFINED in values:
            return UNDEFINED
        right = values[1]
        if type(left) is int and type(right) is int:
            return left | right if decides else left & right
        return truth(left) or truth(right) if decides else truth(left) and truth(right)

    def on_negated(self, tree: Call, env: Env, local: bool) -> Any:
        value = self.evaluate(self.part(tree, 0), env)
        return UNDEFINED if value is UNDEFINED else not truth(value)

    def on_choice(self, tree: Call, env: Env, local: bool) -> Any:
        condition = self.evaluate(self.part(tree, 0), env)
        chosen = 1 if condition is not UNDEFINED and truth(condition) else 2
        value = self.evaluate(self.part(tree, chosen), env)
        return UNDEFINED if condition is UNDEFINED else value

    # what concerns the node

    def on_merge(self, tree: Call, env: Env, local: bool) -> Any:
        info = self.info
        first = self.part(tree, 0)
        how = first.value if isinstance(first, Literal) else ""
        path = env.stub_path or ()
        if " on " in f" {how}":
            info.key_name = how.rpartition(" ")[2]
        if len(tree.arguments) > 1:
            target = self.part(tree, 1)
            if isinstance(target, Call):
                target = target.arguments[1].value
            assert isinstance(target, Reference)
            if target.root == "none" and not target.path:
                info.redirect, info.merged = (), True
                return None
            path = (target.root, *[f"[{s}]" if isinstance(s, int) else s for s in target.path])
            info.redirect = path
        elif env.path != env.stub_path:
            info.redirect = path
        found = self.find(env.stubs, path)
        if found is MISSING:
            raise Problem(f"'{'.'.join(path)}' not found in any stub", tree)
        info.replace = "replace" in how
        info.merged = True
        if found.__class__ is Cell:
            info.flags |= found.flags
        return self.force(found)

    def on_automatic(self, tree: Call, env: Env, local: bool) -> Any:
        path = env.path
        if not (len(path) == 3 and path[0] == "resource_pools" and path[2] == "size"):
            raise Problem("auto only allowed for size entry in resource pools", tree)
        jobs = self.evaluate(Reference("", ("jobs",), False, tree.start, tree.end), env)
        if not isinstance(jobs, list):
            raise Problem("jobs must be a list", tree)
        pool, size = path[1].rpartition(":")[2], 0
        for job in map(self.force, jobs):
            if isinstance(job, Table | dict) and self.field(job, "resource_pool") == pool:
                count = self.force(self.child(job, "instances"))
                if type(count) is not int:
                    raise Problem("instances must be an integer", tree)
                size += count
        return size

    def on_prefer(self, tree: Call, env: Env, local: bool) -> Any:
        value = self.evaluate(self.part(tree, 0), env, local)
        self.info.preferred = True
        return value

    def on_marked(self, tree: Call, env: Env, local: bool) -> Any:
        self.info.flags |= flags_of(tree)
        return self.evaluate(self.part(tree, 1), env) if len(tree.arguments) > 1 else None

    def on_unsupported(self, tree: Call, env: Env, local: bool) -> Any:
        what = "tags are" if tree.function == forms.TAGGED else "`sync` is"
        raise Problem(
            f"{what} not supported locally", tree, code="function_not_supported", final=True
        )


def _by_key(pair: tuple[str, Any]) -> str:
    return pair[0]


_Form = Callable[[Expressions, Call, Env, bool], Any]


_FORMS: Final[Mapping[str, _Form]] = {
    **dict.fromkeys(OPERATIONS, Expressions.on_binary),
    **dict.fromkeys(forms.LOOSEST, Expressions.on_either),
    **dict.fromkeys(("-or", "-and"), Expressions.on_logical),
    **dict.fromkeys(forms.MAPPINGS, Expressions.on_mapping),
    forms.CALL: Expressions.on_call,
    forms.CURRY: Expressions.on_call,
    forms.SUM: Expressions.on_sum,
    forms.CATCH: Expressions.on_catch,
    forms.GROUP: Expressions.on_group,
    forms.SCOPE: Expressions.on_scope,
    forms.LAMBDA: Expressions.on_function,
    forms.LAMBDA_OF: Expressions.on_function_of,
    forms.LIST: Expressions.on_list,
    forms.MAP: Expressions.on_map,
    forms.RANGE: Expressions.on_range,
    forms.FIELD: Expressions.on_field,
    forms.INDEX: Expressions.on_index,
    forms.PROJECTED: Expressions.on_projection,
    forms.ITEM: Expressions.on_item,
    forms.SLICE: Expressions.on_slice,
    forms.CHOICE: Expressions.on_choice,
    forms.NOT: Expressions.on_negated,
    forms.SUBSTITUTED: Expressions.on_substituted,
    forms.MERGE: Expressions.on_merge,
    forms.AUTO: Expressions.on_automatic,
    forms.PREFER: Expressions.on_prefer,
    forms.MARKED: Expressions.on_marked,
    forms.UNDEFINED: Expressions.on_undefined,
    forms.TAGGED: Expressions.on_unsupported,
    forms.SYNC: Expressions.on_unsupported,
}


def flags_of(tree: Expression | None) -> int:
    """The markers of an expression."""
    if not (isinstance(tree, Call) and tree.function == forms.MARKED):
        return 0
    first = tree.arguments[0].value
    assert isinstance(first, Literal)
    found = 0
    for name in first.value.split():
        flag = MARKERS.get(name)
        if flag is None:
            what = "tags are" if name.startswith("&tag") else f"`{name}` is"
            raise Problem(f"{what} not supported", tree, code="function_not_supported", final=True)
        found |= flag
    return found
