"""The catalogue of promotion steps, and configs against it."""

from __future__ import annotations

import pytest
from bpp.functions.names import worded
from bpp.pipeline.dialects.kargo import bare, schema, steps
from bpp.pipeline.formats.detection import read_plain
from bpp.pipeline.language.meter import Meter
from bpp.pipeline.values.diagnostics import Diagnostics
from bpp.pipeline.values.settings import Limits
from bpp.pipeline.values.source import Source, Span

CONFIGS = {
    "git-clone": (
        """
repoURL: 42
checkout:
  - {path: ./src, branch: main, commit: ""}
  - {path: ./out, branch: main, tag: v1}
  - {branch: main}
  - {path: x, fromFreight: true}
  - ./src
author: {name: a, emial: b}
recurseSubmodules: "true"
""",
        {
            "step_field_type@1:10": "`repoURL` of `git-clone` must be a string, not a number",
            "step_rule@4:5": "each of `checkout` of `git-clone` takes at most one of `branch`, ",
            "missing_field@5:5": "each of `checkout` of `git-clone` needs `path`",
            "removed_field@6:15": "use `commit: ${{ commitFrom(repoURL).ID }}`",
            "step_field_type@7:5": "an item of `checkout` of `git-clone` must be an object, not",
            "unknown_field@8:19": "did you mean `email`?",
            "step_field_type@9:20": "write a boolean without quotes",
        },
    ),
    "git-commit": (
        "{path: ./src, messageFromSteps: [update], author: {name: a, email: b}}",
        {
            "removed_field@1:15": "use `message: ${{ outputs['alias'].commitMessage }}`",
            "deprecated_field@1:43": "use `author` of `git-clone`",
        },
    ),
    "git-push": (
        "{path: ./src, targetBranch: main, generateTargetBranch: false, provider: gihub}",
        {"step_field_type@1:74": "did you mean `github`?"},
    ),
    "argocd-update": (
        """
apps:
  - sources: [{repoURL: a, updateTargetRevision: true}]
    selector: {matchLabels: {app: 1}}
    name: guestbook
""",
        {
            "step_rule@2:5": "needs exactly one of `name` and `selector`",
            "step_rule@2:15": "needs `desiredRevision` beside `updateTargetRevision`",
            "step_field_type@3:35": "put it in quotes",
        },
    ),
    "untar": (
        "{inPath: a, outPath: b, stripComponents: 1.5}",
        {"step_field_type@1:42": "must be an integer, not a number"},
    ),
    "yaml-update": ("{path: a, updates: [{key: a, value: 1.1}, {key: b, value: null}]}", {}),
    "json-update": ("{path: a, updatse: []}", {"unknown_field@1:11": "did you mean `updates`?"}),
    "copy": ("{inPath: a}", {"missing_field@1:2": "`copy` needs `outPath`"}),
    "git-clear": ("null", {"missing_field@1:1": "`git-clear` needs `path`"}),
}


@pytest.mark.parametrize("uses", CONFIGS)
def test_a_config_fits_the_schema_of_its_step(uses: str) -> None:
    text, told = CONFIGS[uses]
    source = Source("config.yaml", text.lstrip(), "yaml")
    root = read_plain(source, Meter(Limits()), Diagnostics())
    step = steps.find(uses)
    assert step is not None
    found = {}
    for one in schema.problems(root, step, lambda: Span(source, 0, 1), lambda count: None):
        said = f"{one.summary}; {worded(one.hint)}"
        found[f"{one.code}@{one.span.line}:{one.span.column}"] = said
    assert found.keys() == told.keys()
    assert {place: words for place, words in told.items() if words not in found[place]} == {}


OUTPUTS = [
    ("git-open-pr", "{}", "pr.id", None),
    ("git-open-pr", "{}", "pr.number", (1, "`pr` of `git-open-pr` has no output `number`")),
    ("git-open-pr", "{}", "prNumber", (0, "it was removed in Kargo 1.7; use `pr.id`")),
    ("git-clone", "{}", "commits.src", None),
    ("copy", "{}", "commit", (0, "`copy` has no output `commit`; it has none")),
    ("http", "{outputs: [{name: tag}]}", "tga", (0, "did you mean `tag`?")),
    ("compose-output", "{url: a}", "url", None),
    ("compose-output", "{url: a}", "uri", (0, "did you mean `url`?")),
]


@pytest.mark.parametrize(("uses", "config", "path", "told"), OUTPUTS)
def test_a_step_has_the_outputs_of_its_kind_and_config(
    uses: str, config: str, path: str, told: tuple[int, str] | None
) -> None:
    root = read_plain(Source("config.yaml", config, "yaml"), Meter(Limits()), Diagnostics())
    outputs = steps.outputs_of(uses, root)
    assert outputs is not None
    missing = outputs.missing(tuple(path.split(".")))
    if missing is None or told is None:
        assert missing == told
    else:
        assert missing[0] == told[0]
        assert told[1] in f"{missing[1]}; {worded(missing[2])}"


def test_a_step_that_does_not_exist_has_a_near_name_or_a_successor() -> None:
    assert steps.unknown_step("git-clone", ()) is None
    assert steps.unknown_step("scan", {"scan"}) is None
    code, _, hint = steps.unknown_step("git-comit", {"scan"}) or ("", "", None)
    assert (code, worded(hint)) == ("unknown_step", "did you mean `git-commit`?")
    code, _, hint = steps.unknown_step("helm-update-image", ()) or ("", "", None)
    assert code == "removed_step"
    assert "yaml-update" in (worded(hint) or "")
    for uses in ("http-upload", "tf-output", "helm-update-image"):
        assert steps.outputs_of(uses, None) is None


def place_of(uses: str, config: str) -> bare.Place:
    root = read_plain(Source("a.yaml", config, "yaml"), Meter(Limits()), Diagnostics())
    return next(iter(bare.in_config(root, uses)))[1]


RESPONSE = place_of("http", "successExpression: a")
PARSED = place_of("yaml-parse", "outputs: [{fromExpression: a}]")
BARE = [
    (RESPONSE, "response.status == 200 && response.body.x > 1", []),
    (RESPONSE, "response.header('x') == upper(1)", ["invalid_argument_type@1:31"]),
    (RESPONSE, "response.status = 2", ["invalid_substitution@1:17"]),
    (RESPONSE, "response.bdy && vars.x", ["field_not_found@1:10", "name_not_here@1:17"]),
    (RESPONSE, "len(response.body)", ["condition_type@1:1"]),
    (RESPONSE, "quote(1) == timestamp()", ["function_not_here@1:1", "function_not_found@1:13"]),
    (RESPONSE, "let a = response.body; all(a.b, .c == a.d)", []),
    (RESPONSE, "$env.respons.body == 1", ["name_not_here@1:6"]),
    (PARSED, "any.name.there | upper()", []),
    (PARSED, "commitFrom('a').ID", ["function_not_here@1:1"]),
    (bare.CRITERIA, "imageFrom('a').Tag == commitFrom('b').Subject", []),
    (bare.CRITERIA, "commitFrom('b').Message == 'a'", ["field_not_found@1:17"]),
    (bare.CRITERIA, "commitFrom('b', 'c').ID == 'a'", ["invalid_argument_count@1:1"]),
    (bare.CRITERIA, "ctx.a == quote(1)", ["name_not_here@1:1", "function_not_here@1:10"]),
    (bare.COMMITS, "author contains 'a' && tag == 'b'", ["name_not_here@1:24"]),
    (bare.TAGS, "tag matches '^v[0-9]' && creatorDate.Year() > 2024", []),
]


@pytest.mark.parametrize(("place", "text", "told"), BARE)
def test_a_bare_expression_has_the_names_of_its_place(
    place: bare.Place, text: str, told: list[str]
) -> None:
    root = read_plain(Source("a.yaml", text, "yaml"), Meter(Limits()), Diagnostics())
    assert root is not None
    found = [f"{one.code}@{one.span.line}:{one.span.column}" for one in bare.problems(root, place)]
    assert found == told
