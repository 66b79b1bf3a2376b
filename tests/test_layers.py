"""The layers of the code, read from its imports and calls without running it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import attrs
import pytest
from support.rows import hold

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("functions", "pipeline", "transforms")

LONGEST = 700
"""Lines that a module may have; `docs/adr/0001-layout-and-namespace.md` says why."""

LONGEST_FUNCTION = 80

FLOORS = (
    ("functions",),
    ("pipeline/values", "pipeline/codes"),
    ("pipeline/language",),
    ("pipeline/formats",),
    ("pipeline/world",),
    ("pipeline/engine", "transforms/registry", "transforms/protocol"),
    ("pipeline/answers",),
    ("pipeline/dialects",),
    ("transforms",),
    ("pipeline/rendering", "pipeline/expressions"),
    ("pipeline/building",),
    ("pipeline/__init__",),
    ("pipeline/testing",),
    ("pipeline/editor",),
    ("pipeline/cli",),
    ("pipeline/integrations",),
)
"""Rooms from the bottom up: a module imports from its own floor and from those below."""

HOT_LOOPS: frozenset[str] = frozenset(
    {
        "pipeline/formats/json_reader.py:_read",
        "pipeline/formats/yaml_fast.py:_compose",
        "pipeline/formats/yaml_reader.py:compose",
    }
)
"""Loops over local variables that every line of a text goes through: a call each would cost more
than what it does."""

MOST_ROOMS = 17
"""Folders and modules of `pipeline/`."""

USERS_OF_TRANSFORMS = (
    "pipeline/rendering.py",
    "pipeline/engine/run.py",
    "pipeline/dialects/bluelink/expansion.py",
    "pipeline/testing/assertions.py",
)
"""What asks the registry of transforms for one."""

KNOW_A_DIALECT = {
    "bluelink": (
        # the transforms of blueprints
        "transforms/",
    ),
    "expr": (
        # whose expressions stand in its templates
        "pipeline/dialects/kargo/",
        "functions/kargo/",
        # whose times and texts of Go they share
        "functions/go/",
        "functions/gotemplate/",
        "pipeline/dialects/gotemplate/",
        "functions/spiff/",
        "pipeline/dialects/spiff/",
        "pipeline/dialects/landscaper/",
    ),
    "gotemplate": (
        "pipeline/dialects/landscaper/",
        "functions/landscaper/",
        # whose printing of values and unknown values it shares
        "functions/spiff/",
        "pipeline/dialects/spiff/",
    ),
    "spiff": ("pipeline/dialects/landscaper/", "functions/landscaper/"),
}
"""Modules that may name a dialect although they are not in its folder, each with the reason."""

OPENERS = (
    "pipeline/world/files.py",
    "pipeline/world/searching.py",
    "pipeline/world/writing.py",
)
OPENING = {
    "open",
    "io.open",
    "os.open",
    "os.fdopen",
    "os.link",
    "os.listdir",
    "os.makedirs",
    "os.mkdir",
    "os.remove",
    "os.rename",
    "os.replace",
    "os.scandir",
    "os.unlink",
    "os.walk",
}
OPENING_METHODS = {"read_text", "read_bytes", "write_text", "write_bytes"}
OPENING_MODULES = {"glob", "shutil", "tempfile"}

PROGRAM_MODULES = {"multiprocessing", "pty", "subprocess"}
PROGRAM_CALLS = {"os.fork", "os.forkpty", "os.popen", "os.startfile", "os.system"}
PROGRAM_FAMILIES = ("os.exec", "os.posix_spawn", "os.spawn")

NETWORK_MODULES = {"http", "requests", "socket", "ssl", "urllib.request"}

SAYING = {"print", "input", "exit", "quit", "breakpoint"}
PROCESS = {
    "os.environ",
    "os.environb",
    "os.getenv",
    "os._exit",
    "sys.argv",
    "sys.exit",
    "sys.stderr",
    "sys.stdin",
    "sys.stdout",
}

CHANCE = {
    "datetime.datetime.now",
    "datetime.datetime.utcnow",
    "datetime.now",
    "os.urandom",
    "time.time",
    "uuid.uuid1",
    "uuid.uuid4",
}
CHANCE_MODULES = {"random", "secrets"}

RUNNING_TEXT = {"eval", "exec", "compile", "__import__"}
TABLES_OF_MODULES = {"pipeline/dialects/table.py", "functions/signatures.py"}


@attrs.frozen
class Module:
    """One file of ours, parsed."""

    path: Path
    tree: ast.Module

    @property
    def name(self) -> str:
        """Its path from the root of the checkout, with slashes."""
        return self.path.relative_to(ROOT).as_posix()

    @property
    def package(self) -> str:
        """The folder at the top that holds it."""
        return self.name.partition("/")[0]

    def imports(self) -> Iterator[str]:
        """The dotted names it imports: `pipeline.values.tree.Map`, `os.path`."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                base = node.module or ""
                if node.level:
                    folders = self.name.split("/")[: -node.level]
                    base = ".".join([*folders, *([base] if base else [])])
                yield from (f"{base}.{alias.name}".lstrip(".") for alias in node.names)

    def names_used(self) -> Iterator[tuple[str, int]]:
        """Dotted names as written, with their lines: `os.environ`, `print`."""
        for node in ast.walk(self.tree):
            if isinstance(node, (ast.Attribute, ast.Name)) and isinstance(node.ctx, ast.Load):
                text = _dotted(node)
                if text:
                    yield text, node.lineno

    def calls(self) -> Iterator[tuple[str, int]]:
        """What is called, with its line: `open`, `path.read_text`."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Call):
                yield _dotted(node.func) or _last(node.func), node.lineno


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        base = _dotted(node.value)
        return f"{base}.{node.attr}" if base else ""
    return ""


def _last(node: ast.expr) -> str:
    return f"?.{node.attr}" if isinstance(node, ast.Attribute) else ""


def _modules() -> list[Module]:
    files = [file for package in PACKAGES for file in sorted((ROOT / package).rglob("*.py"))]
    return [Module(file, ast.parse(file.read_text("utf-8"), str(file))) for file in files]


MODULES = _modules()
_FILES = {
    module.name.removesuffix(".py").removesuffix("/__init__").replace("/", "."): module.name
    for module in MODULES
}


def _imported(module: Module) -> set[str]:
    """The files of ours that a module imports from: at its top, in functions and for types."""
    found = set()
    for name in module.imports():
        file = _FILES.get(name) or _FILES.get(name.rpartition(".")[0])
        if file is not None and file != module.name:
            found.add(file)
    return found


def _floor(name: str) -> int:
    """The floor of a file, by the longest entry of `FLOORS` that it lies in."""
    path = name.removesuffix(".py")
    found = [
        (len(room), floor)
        for floor, rooms in enumerate(FLOORS)
        for room in rooms
        if path == room or path.startswith(f"{room}/")
    ]
    return max(found)[1]


def _among(name: str, group: set[str]) -> bool:
    """True for a member of the group and for what lies inside one."""
    return any(name == member or name.startswith(f"{member}.") for member in group)


def _ours(module: Module) -> Iterator[str]:
    return (name for name in module.imports() if name.partition(".")[0] in PACKAGES)


def test_there_is_something_to_read() -> None:
    assert {module.package for module in MODULES} == set(PACKAGES)
    assert any(_ours(module) for module in MODULES)


def test_imports_point_down_the_floors() -> None:
    wrong = {
        f"{module.name} -> {target}"
        for module in MODULES
        for target in _imported(module)
        if _floor(target) > _floor(module.name)
    }
    assert sorted(wrong) == []


EMBEDDED = {("kargo", "expr"), ("landscaper", "gotemplate"), ("landscaper", "spiff")}
"""A dialect, and the one whose expressions stand in its templates."""


def test_no_dialect_imports_another() -> None:
    root = "pipeline/dialects/"
    dialects = {path.parent.name for path in (ROOT / root).glob("*/__init__.py")}
    wrong = [
        f"{module.name} -> {target}"
        for module in MODULES
        for target in _imported(module)
        for one in dialects
        for other in dialects - {one}
        if (one, other) not in EMBEDDED
        if module.name.startswith(f"{root}{one}/") and target.startswith(f"{root}{other}/")
    ]
    assert len(dialects) > 1
    assert wrong == []


def test_imports_make_no_circle() -> None:
    graph = {module.name: _imported(module) for module in MODULES}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(reversed(error.args[1])))


def test_the_pipeline_has_few_rooms() -> None:
    rooms = {module.name.split("/")[1] for module in MODULES if module.package == "pipeline"}
    assert len(rooms - {"__init__.py"}) <= MOST_ROOMS


def test_functions_are_short() -> None:
    wrong = {
        f"{module.name}:{node.name}"
        for module in MODULES
        for node in ast.walk(module.tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.lineno >= LONGEST_FUNCTION
    }
    assert wrong == HOT_LOOPS


def test_functions_import_nothing_of_ours() -> None:
    wrong = [
        f"{module.name} imports {name}"
        for module in MODULES
        if module.package == "functions"
        for name in _ours(module)
        if not name.startswith("functions.")
    ]
    assert wrong == []


def test_the_pipeline_knows_transforms_only_by_their_registry() -> None:
    wrong = [
        f"{module.name} imports {name}"
        for module in MODULES
        if module.package == "pipeline"
        for name in _ours(module)
        if name.startswith("transforms")
        and not (
            name.startswith("transforms.registry.")
            and (module.name in USERS_OF_TRANSFORMS or module.name.startswith("pipeline/cli/"))
        )
    ]
    assert wrong == []


def test_nothing_imports_the_command_line() -> None:
    wrong = [
        f"{module.name} imports {name}"
        for module in MODULES
        if not module.name.startswith("pipeline/cli/")
        for name in _ours(module)
        if name.startswith("pipeline.cli") and not _is_front_end(module, name)
    ]
    assert wrong == []


def _is_front_end(module: Module, name: str) -> bool:
    """Whether a module is a part of another tool, which reports as the command line does."""
    allowed = name.startswith("pipeline.cli.project_build.")
    return allowed and module.name.startswith("pipeline/integrations/")


def test_the_language_knows_no_blueprints() -> None:
    beneath = ("pipeline.engine", "pipeline.answers", "pipeline.dialects", "pipeline.rendering")
    wrong = [
        f"{module.name} imports {name}"
        for module in MODULES
        if module.name.startswith(("pipeline/language/", "pipeline/formats/"))
        for name in _ours(module)
        if name.startswith(beneath)
    ]
    assert wrong == []


def test_only_dialects_know_delimiters() -> None:
    """In texts that the program says or compares; docstrings may show examples."""
    wrong = [
        f"{module.name}:{node.lineno} says {node.value!r}"
        for module in MODULES
        if not module.name.startswith(("pipeline/dialects/", "pipeline/__init__.py"))
        for node in _texts(module.tree)
        if "${" in node.value
    ]
    assert wrong == []


@pytest.mark.parametrize("dialect", ["bluelink", "expr", "garden", "kargo"])
def test_only_its_own_modules_and_its_row_name_a_dialect(dialect: str) -> None:
    """In code and strings; docstrings may show examples, and `EXPR` stands for an argument."""
    own = (f"pipeline/dialects/{dialect}/", f"functions/{dialect}/", "pipeline/dialects/table.py")
    wrong = [
        f"{module.name}:{line} says {text!r}"
        for module in MODULES
        if not module.name.startswith((*own, *KNOW_A_DIALECT.get(dialect, ())))
        for line, text in _words(module.tree)
        if re.search(rf"(?<![a-z_]){dialect}(?![a-z_])", text.lower())
        if text != "EXPR"
    ]
    assert wrong == []


def _words(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The names that code uses, the modules that it imports, and its strings, with their lines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.lineno, node.id
        elif isinstance(node, ast.Attribute):
            yield node.lineno, node.attr
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.lineno, node.name
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            yield node.lineno, getattr(node, "module", None) or ""
            for alias in node.names:
                yield node.lineno, f"{alias.name} {alias.asname or ''}"
    for text in _texts(tree):
        yield text.lineno, text.value


def _texts(tree: ast.Module) -> Iterator[ast.Constant]:
    """The string constants that are no docstrings."""
    documents = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        told = isinstance(node, ast.Constant) and id(node) not in documents
        if told and isinstance(node.value, str):
            yield node


def test_imports_of_ours_are_relative() -> None:
    absolute = {"bpp", *PACKAGES}
    wrong = []
    for module in MODULES:
        for node in ast.walk(module.tree):
            names: list[str] = []
            if isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module or ""]
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            if any(name.partition(".")[0] in absolute for name in names):
                wrong.append(f"{module.name}:{node.lineno}")
    assert wrong == []


def test_only_three_modules_open_files() -> None:
    wrong = []
    for module in MODULES:
        if module.name in OPENERS:
            continue
        wrong += [
            f"{module.name} imports {n}" for n in module.imports() if _among(n, OPENING_MODULES)
        ]
        wrong += [
            f"{module.name}:{line} calls {name}"
            for name, line in module.calls()
            if name in OPENING or name.rpartition(".")[2] in OPENING_METHODS
        ]
    # A pipe that closed early: standard output becomes the null device, so that the exit is quiet.
    wrong = [text for text in wrong if not text.startswith("pipeline/cli/streams.py:")]
    assert wrong == []


def test_only_one_module_starts_programs() -> None:
    wrong = []
    for module in MODULES:
        if module.name != "pipeline/world/programs.py":
            wrong += [
                f"{module.name} imports {n}" for n in module.imports() if _among(n, PROGRAM_MODULES)
            ]
        wrong += [
            f"{module.name}:{line} calls {name}"
            for name, line in module.calls()
            if name in PROGRAM_CALLS or name.startswith(PROGRAM_FAMILIES)
        ]
    assert wrong == []


def test_only_pictures_and_builds_start_programs() -> None:
    users = [
        module.name
        for module in MODULES
        if any(name.startswith("pipeline.world.programs.") for name in _ours(module))
    ]
    assert users == ["pipeline/answers/graph/model.py", "pipeline/building/workers.py"]


def test_only_one_module_speaks_to_the_network() -> None:
    wrong = [
        f"{module.name} imports {name}"
        for module in MODULES
        if module.name != "pipeline/world/network.py"
        for name in module.imports()
        if _among(name, NETWORK_MODULES)
    ]
    assert wrong == []


def test_only_the_command_line_prints_exits_and_reads_the_environment() -> None:
    wrong = [
        f"{module.name}:{line} uses {name}"
        for module in MODULES
        if not module.name.startswith("pipeline/cli/")
        for name, line in module.names_used()
        if name in SAYING or _among(name, PROCESS)
    ]
    assert wrong == []


def test_only_one_module_asks_for_time_and_chance() -> None:
    wrong = []
    for module in MODULES:
        if module.name == "pipeline/world/effects.py":
            continue
        # The name of a temporary file, which no result ever holds.
        own = {"os.urandom"} if module.name == "pipeline/world/writing.py" else set()
        wrong += [
            f"{module.name} imports {n}" for n in module.imports() if _among(n, CHANCE_MODULES)
        ]
        wrong += [
            f"{module.name}:{line} calls {n}" for n, line in module.calls() if n in CHANCE - own
        ]
    assert wrong == []


def test_no_text_is_run_as_code() -> None:
    wrong = [
        f"{module.name}:{line} calls {name}"
        for module in MODULES
        for name, line in module.calls()
        if name in RUNNING_TEXT
        # what their tables name, and `importlib` costs too much when every run begins
        and not (name == "__import__" and module.name in TABLES_OF_MODULES)
    ]
    assert wrong == []


def test_modules_have_telling_names() -> None:
    vague = {"common", "helper", "helpers", "misc", "util", "utils"}
    wrong = [
        module.name for module in MODULES if {*Path(module.name).with_suffix("").parts} & vague
    ]
    assert wrong == []


def test_a_module_is_short_and_says_what_it_is() -> None:
    hold(MODULES, _is_short_and_says_what_it_is, lambda module: module.name)


def _is_short_and_says_what_it_is(module: Module) -> None:
    text = module.path.read_text("utf-8")
    lines = text.count("\n")
    assert lines <= LONGEST or text.startswith('"""Generated by '), f"{lines} lines"
    assert not module.tree.body or ast.get_docstring(module.tree)
