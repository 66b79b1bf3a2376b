"""One door for each effect, held by lists of what may be used: whatever is new has to be decided.

Read from the syntax trees of all modules, with the names that imports give. A module of others that
is in neither list fails, and so does a part of `os` and `sys`, a builtin or a method that reaches
outside, in a file that is not named here.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final

import pytest
from test_layers import MODULES, Module


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# what computes and does nothing else
PURE: Final = _words(
    "__future__ _sre _typeshed abc attrs base64 binascii bisect cattrs collections contextlib"
    " contextvars copy _blake2 decimal difflib errno fractions functools graphlib hashlib"
    " heapq hmac inspect ipaddress itertools json jsonschema math operator parsimonious"
    " pathspec posixpath lsprotocol queue re re2 referencing ruamel _ruamel_yaml stat string"
    " struct textwrap tomllib types typing unicodedata urllib.parse weakref zlib"
)

CLI: Final = "pipeline/cli/"
WORKERS: Final = ("pipeline/building/workers.py", "pipeline/cli/build_worker.py")
EDITOR: Final = tuple(
    f"pipeline/editor/{name}.py" for name in ("connection", "errands", "reviews", "server")
)

# what reaches outside, and the files that may use it (a folder ends with `/`)
MODULE_DOORS: Final[Mapping[str, tuple[str, ...]]] = {
    "os": ("pipeline/",),  # by its parts, below
    "sys": ("pipeline/", "functions/"),  # by its parts, below
    "io": (
        "pipeline/world/network.py",
        "pipeline/cli/app.py",
        "pipeline/cli/streams.py",
        # the bytes of an archive that was read
        "pipeline/dialects/landscaper/components.py",
    ),
    # archives in memory, of which files are looked at and never written
    "tarfile": ("pipeline/dialects/landscaper/components.py",),
    "http.client": ("pipeline/world/network.py",),
    "socket": ("pipeline/world/network.py",),
    "ssl": ("pipeline/world/network.py",),
    "subprocess": ("pipeline/world/programs.py",),
    "random": ("pipeline/world/effects.py",),
    # the text of an identity that a seed gives
    "uuid": ("pipeline/world/effects.py", "functions/gotemplate/chance.py"),
    "time": (
        "pipeline/testing/test_runs.py",
        "pipeline/world/effects.py",
        # from a moment to its parts
        "functions/core/environment.py",
        # how long something took or may take: no result holds it
        "pipeline/building/builds.py",
        "pipeline/cli/build_command.py",
        "pipeline/cli/progress.py",
        "pipeline/cli/render_command.py",
        "functions/gotemplate/patterns.py",
        "pipeline/values/threads.py",
        "pipeline/engine/run.py",
    ),
    # moments that are given, read or written
    "datetime": (
        # a moment that is written
        "pipeline/testing/test_files.py",
        CLI,
        "functions/expr/moments.py",
        "functions/garden/",
        "functions/go/yaml_scalars.py",
        "pipeline/building/tables.py",
        "pipeline/dialects/garden/evaluating/contexts.py",
        "pipeline/world/remote/sources.py",
    ),
    # the table of time zones that the system or tzdata has, by names that are no paths
    "zoneinfo": ("functions/expr/moments.py",),
    # names of our own tables, of libraries for object stores, and of entry points
    "importlib": (
        "functions/__init__.py",
        "pipeline/__init__.py",
        "pipeline/engine/run.py",
        "pipeline/cli/app.py",
        "pipeline/world/remote/sources.py",
        "transforms/__init__.py",
        "transforms/registry.py",
    ),
    "importlib.metadata": ("pipeline/world/plugins.py",),
    # data of the package itself
    "pkgutil": (
        "functions/signatures.py",
        "pipeline/cli/usage.py",
        "pipeline/codes/catalogue.py",
        "pipeline/formats/yaml_problems.py",
    ),
    # between a build and its own workers, through pipes that nobody else has
    "pickle": WORKERS,
    # the user's own cache, behind a checksum; never a file that a blueprint names
    "marshal": ("pipeline/world/shape_files.py",),
    "_thread": ("pipeline/values/threads.py",),
    # ends a thread that was given up
    "ctypes": ("pipeline/values/threads.py",),
    # the editor at the other end of two pipes, which the command line has opened
    "asyncio": EDITOR,
    "concurrent.futures": ("pipeline/editor/server.py",),
    "pygls": ("pipeline/editor/server.py",),
    "threading": (
        "pipeline/building/workers.py",
        "pipeline/values/threads.py",
        *EDITOR,
    ),
    # put back what a library changes when it is imported
    "warnings": ("pipeline/formats/yaml_events.py",),
    # names of files against patterns, without looking at files
    "fnmatch": ("pipeline/world/searching.py",),
    "signal": ("pipeline/cli/console_command.py", "pipeline/cli/entry.py", *WORKERS),
    # written, never read
    "xml.etree": ("pipeline/testing/junit.py",),
    # the lines that a person types
    "prompt_toolkit": ("pipeline/cli/console_command.py",),
    "readline": ("pipeline/cli/console_command.py",),
    # one writer at a time
    "fcntl": ("pipeline/world/writing.py",),
    "gc": (
        CLI,
        "pipeline/editor/reviews.py",
        "pipeline/building/builds.py",
        "pipeline/dialects/garden/checking.py",
    ),
    "platform": (CLI,),
    # where a plugin broke; what it said only in runs with `Settings(debug=True)`
    "traceback": (CLI, "functions/breakage.py", "pipeline/formats/report.py"),
    "typer": (CLI,),
    # for type checkers and the compiler of wheels alone
    "mypy_extensions": ("pipeline/values/compiled.py",),
    # parts of other tools, which those tools load
    "pytest": ("pipeline/integrations/pytest_plugin.py",),
    "syrupy": ("pipeline/testing/",),
    "hatchling": ("pipeline/integrations/hatch.py",),
    "logging": (
        "pipeline/integrations/setuptools_command.py",
        # what pygls logs holds words of documents: it is silenced
        "pipeline/editor/server.py",
    ),
    "setuptools": ("pipeline/integrations/setuptools_command.py",),
}

FILES: Final = (
    "pipeline/world/files.py",
    "pipeline/world/searching.py",
    "pipeline/world/writing.py",
)

OS_PURE: Final = _words(
    "PathLike W_OK cpu_count curdir devnull fsencode fspath name pardir pathsep sched_getaffinity"
    " sep stat_result strerror supports_dir_fd path.abspath path.basename path.dirname"
    " path.expanduser path.isabs path.join path.normcase path.normpath path.relpath path.split"
    " path.splitext O_RDONLY O_WRONLY"
)
# whether something is there, never what it holds; each with files that the user has named, but for
# the modules of plugins
OS_LOOKS: Final = _words(
    "access stat path.exists path.isdir path.isfile path.islink path.lexists path.realpath"
)
LOOKERS: Final = (
    *FILES,
    CLI,
    "pipeline/building/",
    # the folders and files that the editor has open
    "pipeline/editor/",
    "pipeline/integrations/",
    "pipeline/world/plugins.py",
    "pipeline/world/shape_files.py",
)
OS_DOORS: Final[Mapping[str, tuple[str, ...]]] = {
    "_exit": ("pipeline/cli/entry.py", "pipeline/cli/build_worker.py"),
    # a pipe that closed early: standard output becomes the null device
    "close": ("pipeline/cli/streams.py",),
    # pipes that the server has for itself
    "dup": ("pipeline/cli/streams.py",),
    "fdopen": ("pipeline/cli/streams.py",),
    # whether the editor still runs: no signal is sent
    "kill": ("pipeline/editor/server.py",),
    "dup2": ("pipeline/cli/streams.py",),
    "open": ("pipeline/cli/streams.py",),
    "environ": (CLI,),
    "get_terminal_size": ("pipeline/cli/progress.py",),
    "getcwd": ("pipeline/world/programs.py", "pipeline/cli/entry.py"),
    # threads that wait are not there in a process that was forked
    "register_at_fork": ("pipeline/values/threads.py",),
    "urandom": ("pipeline/world/effects.py",),
}
SYS_PURE: Final = _words(
    "byteorder exc_info implementation maxsize stdlib_module_names version version_info"
)
SYS_DOORS: Final[Mapping[str, tuple[str, ...]]] = {
    "_getframe": ("pipeline/values/threads.py",),
    "argv": (CLI,),
    "exit": (CLI,),
    "flags": (CLI,),
    "gettrace": (CLI,),
    "stderr": (CLI,),
    "stdin": (CLI,),
    "stdout": (CLI,),
    "setswitchinterval": ("pipeline/editor/server.py",),
    "executable": ("pipeline/world/programs.py",),
    # which packages are installed, and which files of theirs were loaded
    "modules": ("pipeline/world/plugins.py",),
    "path": ("pipeline/world/plugins.py", "pipeline/world/programs.py", "pipeline/cli/entry.py"),
}
BUILTIN_DOORS: Final[Mapping[str, tuple[str, ...]]] = {
    # the modules that the rows of the table name: `importlib` would cost every command
    "__import__": ("pipeline/dialects/table.py", "functions/signatures.py"),
    "breakpoint": (),
    "compile": (),
    "eval": (),
    "exec": (),
    "exit": (),
    "input": ("pipeline/cli/console_command.py",),
    "locals": (),
    "open": FILES,
    "print": (),
    "quit": (),
    # names that are imported when they are asked for
    "globals": ("functions/__init__.py", "pipeline/__init__.py", "transforms/__init__.py"),
}
CLOCKS: Final = _words(
    "datetime.date.today datetime.datetime.now datetime.datetime.today datetime.datetime.utcnow"
    " time.ctime time.localtime time.time time.time_ns uuid.uuid1 uuid.uuid4 uuid.getnode"
)
# of `pathlib`, of archives and the like, on whatever object
METHODS: Final = _words(
    "chmod exec_module extractall glob hardlink_to iterdir lchmod load_module"
    " load_source mkdir open read_bytes read_text rename rglob rmdir run_module run_path"
    " symlink_to touch unlink urlopen urlretrieve walk write_bytes write_text"
)


class Use:
    """A name of others in one of our modules, as it is called where it comes from."""

    def __init__(self, module: Module, name: str, line: int) -> None:
        self.module = module
        self.name = name
        self.line = line

    def __str__(self) -> str:
        return f"{self.module.name}:{self.line} uses `{self.name}`"

    def at(self, places: tuple[str, ...]) -> bool:
        """Whether the module is one of some files or lies in one of some folders."""
        name = self.module.name
        return any(name.startswith(p) if p.endswith("/") else name == p for p in places)


@cache
def _nodes(tree: ast.Module) -> list[ast.AST]:
    return list(ast.walk(tree))


def nodes(module: Module) -> list[ast.AST]:
    """All nodes of a module's syntax tree."""
    return _nodes(module.tree)


def imports(module: Module) -> Iterator[Use]:
    """The modules of others that are imported anywhere in a module."""
    for node in nodes(module):
        if isinstance(node, ast.Import):
            yield from (Use(module, alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield Use(module, node.module or "", node.lineno)


def uses(module: Module) -> Iterator[Use]:
    """What is used of modules of others, and builtins, under whatever name they were imported."""
    known: dict[str, str] = {}
    for node in nodes(module):
        if isinstance(node, ast.Import):
            for alias in node.names:
                first = alias.name.partition(".")[0]
                known[alias.asname or first] = alias.name if alias.asname else first
        elif isinstance(node, ast.ImportFrom) and not node.level:
            for alias in node.names:
                known[alias.asname or alias.name] = f"{node.module}.{alias.name}"
                yield Use(module, f"{node.module}.{alias.name}", node.lineno)
    bound = _bound(module)
    for node in nodes(module):
        if isinstance(node, (ast.Attribute, ast.Name)) and isinstance(node.ctx, ast.Load):
            name = _name(node, known, bound)
            if name:
                yield Use(module, name, node.lineno)


def _bound(module: Module) -> set[str]:
    """Names that a module gives to something of its own."""
    bound = {node.arg for node in nodes(module) if isinstance(node, ast.arg)}
    for node in nodes(module):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            bound.add(node.name)
    return bound


def _name(node: ast.expr, known: Mapping[str, str], bound: set[str]) -> str:
    match node:
        case ast.Name(id=name) if name in known:
            return known[name]
        case ast.Name(id=name) if name in BUILTIN_DOORS and name not in bound:
            return f"builtins.{name}"
        case ast.Attribute(value=value, attr=attribute):
            base = _name(value, known, bound)
            return f"{base}.{attribute}" if base else ""
    return ""


@cache
def all_imports() -> list[Use]:
    """Those of all modules."""
    return [use for module in MODULES for use in imports(module)]


@cache
def all_uses() -> list[Use]:
    """Those of all modules."""
    return [use for module in MODULES for use in uses(module)]


def _longest(name: str, table: Mapping[str, object] | frozenset[str]) -> str | None:
    """The entry of a table that a dotted name is or lies in, the longest there is."""
    while name:
        if name in table:
            return name
        name = name.rpartition(".")[0]
    return None


def test_every_module_of_others_has_its_place() -> None:
    wrong = []
    for use in all_imports():
        door = _longest(use.name, MODULE_DOORS)
        allowed = use.at(MODULE_DOORS[door]) if door else _longest(use.name, PURE) is not None
        if not allowed:
            wrong.append(str(use))
    assert wrong == []


def _wrong(pure: frozenset[str], doors: Mapping[str, tuple[str, ...]], root: str) -> list[str]:
    wrong = []
    for use in all_uses():
        part = use.name.removeprefix(f"{root}.")
        if part == use.name or (root == "os" and (part == "path" or use.at(FILES))):
            continue  # something else, or a door itself
        door = _longest(part, doors)
        if root == "os" and _longest(part, OS_LOOKS):
            allowed = use.at(LOOKERS)
        elif door:
            allowed = use.at(doors[door])
        else:
            allowed = _longest(part, pure) is not None
        if not allowed:
            wrong.append(str(use))
    return wrong


def test_every_part_of_os_has_its_place() -> None:
    assert _wrong(OS_PURE, OS_DOORS, "os") == []


def test_every_part_of_sys_has_its_place() -> None:
    assert _wrong(SYS_PURE, SYS_DOORS, "sys") == []


def test_builtins_that_reach_outside_have_their_place() -> None:
    assert _wrong(frozenset(), BUILTIN_DOORS, "builtins") == []


def test_only_one_module_looks_at_the_clock() -> None:
    looks = [use for use in all_uses() if use.name in CLOCKS]
    assert [str(use) for use in looks if not use.at(("pipeline/world/effects.py",))] == []
    assert looks


def test_no_other_way_leads_to_a_part_of_a_module() -> None:
    """`getattr(os, name)` and `from os import *` would pass the lists above by."""
    wrong = []
    for module in MODULES:
        known = {use.name for use in imports(module)}
        for node in nodes(module):
            if isinstance(node, ast.ImportFrom) and any(a.name == "*" for a in node.names):
                wrong.append(f"{module.name}:{node.lineno} imports everything")
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
                continue
            if node.func.id not in ("getattr", "setattr", "delattr", "vars") or not node.args:
                continue
            owner = node.args[0]
            if not (isinstance(owner, ast.Name) and owner.id in known & {*MODULE_DOORS}):
                continue
            what = node.args[1] if len(node.args) > 1 else None
            constant = isinstance(what, ast.Constant) and isinstance(what.value, str)
            fine = constant and str(what.value).startswith("O_")  # type: ignore[union-attr]
            # names of signals and the mark of a frozen program
            fine = fine or (owner.id == "signal" and module.name == "pipeline/cli/entry.py")
            fine = fine or (constant and (owner.id, what.value) == ("sys", "frozen"))  # type: ignore[union-attr]
            if not fine:
                wrong.append(f"{module.name}:{node.lineno} reaches into `{owner.id}` by a name")
    assert wrong == []


def test_no_method_opens_anything() -> None:
    wrong = []
    for module in MODULES:
        known = {use.name for use in imports(module)}
        for node in nodes(module):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                continue
            owner = node.func.value
            of_module = isinstance(owner, ast.Name) and owner.id in known  # told by its own list
            if module.name.startswith("pipeline/editor/") and node.func.attr == "open":
                continue  # a text that the editor has sent
            if node.func.attr in METHODS and not of_module:
                wrong.append(f"{module.name}:{node.lineno} calls `.{node.func.attr}`")
    assert wrong == []


def test_libraries_are_named_in_the_code() -> None:
    """What is imported by name is a constant of ours: no text from outside reaches it."""
    calls = [
        (module.name, node)
        for module in MODULES
        for node in nodes(module)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("import_module", "library", "start_python")
    ]
    wrong = []
    for name, node in calls:
        first = node.args[0]
        if isinstance(first, ast.JoinedStr):  # a module beside this one: `.{home}`
            head = first.values[0]
            fine = isinstance(head, ast.Constant) and str(head.value).startswith(".")
        elif isinstance(first, ast.Name):
            fine = first.id.isupper() or name == "pipeline/world/remote/sources.py"
        else:
            fine = isinstance(first, ast.Constant)
        if not fine:
            wrong.append(f"{name}:{node.lineno}")
    assert calls
    assert wrong == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import os as x\nx.open('a', 0)", {"os.open"}),
        ("from os import open as o\no('a', 0)", {"os.open"}),
        ("from time import time\ntime()", {"time.time"}),
        ("def f():\n    import os.path\n    os.path.exists('a')", {"os.path.exists"}),
        ("open('a')", {"builtins.open"}),
        ("def f(open):\n    open('a')", set()),
        ("a = eval", {"builtins.eval"}),
    ],
)
def test_names_are_seen_through(text: str, expected: set[str]) -> None:
    example = Module(MODULES[0].path, ast.parse(text))
    assert expected <= {use.name for use in uses(example)}
    assert expected or not [use for use in uses(example) if "open" in use.name]


def test_no_entry_is_left_over() -> None:
    """A door that nobody uses any more is closed."""
    used = {use.name for use in (*all_imports(), *all_uses())}

    def met(name: str) -> bool:
        return any(one == name or one.startswith(f"{name}.") for one in used)

    names = [*MODULE_DOORS, *(f"os.{part}" for part in (*OS_DOORS, *OS_LOOKS))]
    names += [f"sys.{part}" for part in SYS_DOORS]
    names += [f"builtins.{name}" for name, places in BUILTIN_DOORS.items() if places]
    assert [name for name in names if not met(name)] == []
