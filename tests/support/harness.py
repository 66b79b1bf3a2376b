"""Case folders: what is in one, how it is run, and how its result is compared and told.

A case is a folder `cases/<topic>/<name>/` with a `blueprint.yaml` (or `.json`, `.jsonc`) and
whatever other files it needs. `case.toml` may say more:

    about = "one sentence"                    spec = "the section it comes from"
    main = "app/blueprint.yaml"               the file to render, when it is another one
    errors = ["code@line:column"]             "file:code@line:column" for another file
    warnings = ["code@line:column"]           not looked at when absent
    notes = ["code@line:column"]              the same
    render = false                            only the static checks run
    lint = true                               and they look for lints
    open = ["values.v.value"]                 paths at which `expected.yaml` is not compared
    expected_paths = {"resources.a.spec.b" = 1}
    [variables]  [settings]  [state]  [datasources]
    dialect = "landscaper"                    when no name of a file tells it
    [project]                                 the options of a project of Garden, of promotions, or
                                              of a blueprint of Landscaper

A folder with a `project.garden.yml` is a case of the dialect `garden`, one with a `kargo.yaml` of
`kargo`, with a list of documents in `expected.yaml`.

`state` and `datasources` may also name a file. The place of a mistake may be `code@line` or just
`code`, and the code `*`, where no more than that is demanded. `expected.yaml` is the materialised
blueprint, with `<cwd>` for the case's folder.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import attrs
import yaml
from bpp.pipeline import (
    Diagnostic,
    Diagnostics,
    DiskFiles,
    Limits,
    Run,
    Settings,
    check,
    render,
    testing,
)
from bpp.pipeline.codes import CODES
from bpp.pipeline.engine.lints import Rules
from bpp.pipeline.testing import difference, mismatch

__all__ = ["difference", "mismatch"]

CASES = Path(__file__).parents[1] / "cases"
NOWHERE = frozenset(
    {
        "file_unwritable",
        "function_not_loaded",
        "invalid_output_path",
        "output_path_not_found",
        "program_failed",
        "program_not_found",
        "undeclared_variable",
        "worker_failed",
    }
)
"""Codes that blame no text: what was asked for, the machine, or a package is to blame."""

MAIN_FILES = ("blueprint.yaml", "blueprint.json", "blueprint.jsonc")
PROJECT_FILES = {"project.garden.yml": "garden", "kargo.yaml": "kargo"}
"""The main files of cases of other dialects than Bluelink's."""


class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """YAML without dates, so that a version is a string."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in rules if tag != "tag:yaml.org,2002:timestamp"]
    for first, rules in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def load_yaml(text: str) -> Any:
    """Plain data from YAML."""
    return yaml.load(text, Loader=Loader)


def load_documents(text: str) -> list[Any]:
    """Plain data from each document of YAML."""
    return list(yaml.load_all(text, Loader=Loader))


@attrs.frozen
class Case:
    """One folder."""

    folder: Path
    main: str
    about: str = ""
    spec: str = ""
    errors: tuple[str, ...] = ()
    warnings: tuple[str, ...] | None = None
    notes: tuple[str, ...] | None = None
    render: bool = True
    lint: bool = False
    open: tuple[str, ...] = ()
    expected_paths: Mapping[str, Any] = attrs.field(factory=dict)
    variables: Mapping[str, Any] = attrs.field(factory=dict)
    settings: Settings = attrs.field(factory=Settings)
    state: Mapping[str, Any] | None = None
    datasources: Mapping[str, Any] | None = None
    dialect: str = "bluelink"
    project: Any = None

    @property
    def name(self) -> str:
        """`topic/case`."""
        return f"{self.folder.parent.name}/{self.folder.name}"

    @property
    def expected(self) -> Any:
        """The materialised blueprint as data, or None when no such file is there."""
        file = self.folder / "expected.yaml"
        if not file.exists():
            return None
        return self.load(file.read_text("utf-8").replace("<cwd>", str(self.folder)))

    def load(self, text: str) -> Any:
        """Plain data from an output: a list of documents for a project."""
        several = self.dialect.partition("-")[0] in PROJECT_FILES.values()
        return load_documents(text) if several else load_yaml(text)


@cache
def discover(root: Path = CASES) -> tuple[Case, ...]:
    """All cases of Bluelink's blueprints, sorted by name."""
    return tuple(case for case in _cases(root) if case.dialect == "bluelink")


def discover_others(root: Path = CASES) -> tuple[Case, ...]:
    """All cases that name another dialect, sorted by name."""
    return tuple(case for case in _cases(root) if case.dialect != "bluelink")


@cache
def _cases(root: Path) -> tuple[Case, ...]:
    mains = [file for name in ("case.toml", *MAIN_FILES) for file in root.glob(f"*/*/{name}")]
    folders = sorted({file.parent for file in mains})
    return tuple(read_case(folder) for folder in folders if _project_file(folder) is None)


@cache
def discover_projects(dialect: str = "garden", root: Path = CASES) -> tuple[Case, ...]:
    """All cases of a dialect other than Bluelink's, sorted by name."""
    name = next(file for file, its in PROJECT_FILES.items() if its == dialect)
    return tuple(read_case(file.parent) for file in sorted(root.glob(f"*/*/{name}")))


def _project_file(folder: Path) -> str | None:
    return next((name for name in PROJECT_FILES if (folder / name).exists()), None)


def read_case(folder: Path) -> Case:
    """A case from its folder.

    Raises:
        TypeError: when `case.toml` has a key that no case has.
        ValueError: when there is no file to render.
    """
    file = folder / "case.toml"
    told = tomllib.loads(file.read_text("utf-8")) if file.exists() else {}
    main = told.pop("main", None) or next((n for n in MAIN_FILES if (folder / n).exists()), None)
    project_file = _project_file(folder)
    if project_file is not None:
        main = main or project_file
        told = {"dialect": PROJECT_FILES[project_file], **told}
    if told.get("dialect", "spiff") != "spiff":  # whose templates need no options
        told["project"] = _project(told["dialect"], told.get("project", {}))
    if main is None:
        raise ValueError(f"{folder} has no blueprint")
    for key in ("state", "datasources"):
        if isinstance(told.get(key), str):
            told[key] = load_yaml((folder / told[key]).read_text("utf-8"))
    for key in ("errors", "warnings", "notes", "open"):
        if key in told:
            told[key] = tuple(told[key])
    return Case(
        folder=folder, main=main, **{**told, "settings": _settings(told.get("settings", {}))}
    )


def _project(dialect: str, told: Mapping[str, Any]) -> Any:
    from bpp.pipeline.dialects.garden import ProjectOptions
    from bpp.pipeline.dialects.kargo import PromotionOptions
    from bpp.pipeline.dialects.landscaper import BlueprintOptions

    kinds = {"kargo": PromotionOptions, "landscaper": BlueprintOptions}
    kind = kinds.get(dialect, ProjectOptions)
    return kind(**{k: tuple(v) if isinstance(v, list) else v for k, v in told.items()})


def _settings(told: Mapping[str, Any]) -> Settings:
    fields: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in told.items()}
    if "limits" in fields:
        fields["limits"] = Limits(**fields["limits"])
    return Settings(**fields)


def files_of(case: Case) -> DiskFiles:
    """The case's folder as the working directory of a run."""
    return DiskFiles(cwd=str(case.folder))


def run(case: Case) -> Run:
    """Renders a case."""
    return render(
        case.main,
        variables=case.variables,
        files=files_of(case),
        settings=case.settings,
        state=case.state,
        datasources=case.datasources,
        dialect=case.dialect,
        options=case.project,
    )


def checks(case: Case) -> Diagnostics:
    """The static checks of a case."""
    rules = Rules(known=lambda: CODES) if case.lint else None
    return check(
        case.main,
        files=files_of(case),
        settings=case.settings,
        rules=rules,
        options=case.project,
    )


def secrets_of(case: Case) -> list[str]:
    """The texts that were given for secret variables of the main file, and those of Secrets."""
    if case.dialect == "kargo":
        texts = [file.read_text("utf-8") for file in case.folder.glob("*.yaml")]
        found = [one for text in texts if "Secret" in text for one in load_documents(text)]
        secrets = [one for one in found if one.get("kind") == "Secret"]
        held = [one.get(key, {}) for one in secrets for key in ("data", "stringData")]
        return [text for one in held for text in one.values()]
    data = load_yaml((case.folder / case.main).read_text("utf-8")) if case.variables else None
    declared = data.get("variables") if isinstance(data, dict) else None
    return [
        str(case.variables[name])
        for name, definition in (declared or {}).items()
        if definition.get("secret") is True and name in case.variables
    ]


# --- places -------------------------------------------------------------------------------------


def places(case: Case, diagnostics: Iterable[Diagnostic], severity: str) -> list[str]:
    """`file:code@line:column` of each, in the order of their places; the main file is not named."""
    return testing.places(diagnostics, severity, case.main)


# --- data ---------------------------------------------------------------------------------------


def at(data: Any, path: str) -> Any:
    """What stands at a dotted path.

    Raises:
        KeyError, IndexError: when nothing does.
    """
    for step in path.split("."):
        data = data[int(step)] if isinstance(data, list) else data[step]
    return data


def load_json(text: str) -> Any:
    """Plain data from JSON."""
    return json.loads(text)


# --- the story ----------------------------------------------------------------------------------


def story(case: Case, outcome: Run) -> str:
    """The run as readable text: what each stage made of the document, then what was said."""
    parts = [f"{case.about}\n"] if case.about else []
    return _portable(case, "\n".join([*parts, testing.story(outcome, case.main)]))


def said(case: Case, diagnostics: Iterable[Diagnostic]) -> str:
    """The diagnostics as lines of text, in the order of their places."""
    return _portable(case, testing.said(diagnostics, case.main))


def _portable(case: Case, text: str) -> str:
    return text.replace(str(case.folder), "<cwd>").replace(str(CASES.parents[1]), "<checkout>")
