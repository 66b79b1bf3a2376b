"""The functions that ask the promotion, and the structs of Go that they give.

Python never answers a call: the form `promotion` asks the scope.
"""

from __future__ import annotations

from typing import Any, Final

from ..expr.kinds import StructType
from ..go.versions import NEXT, VERSION
from ..signatures import Declarations
from .places import about


def _struct(name: str, word: str, go: str, fields: str, **types: str) -> StructType:
    """A struct of Kargo's; its names in JSON begin in lower case, `ID` and `URL` apart."""
    return StructType(
        name,
        word,
        f"v1alpha1.{go}",
        {one: (types.get(one, "string"), _json(one)) for one in fields.split()},
    )


def _json(name: str) -> str:
    return "id" if name == "ID" else name[0].lower() + name[1:]


ORIGIN_KIND: Final = StructType(
    "origin_kind", "the kind of an origin", "v1alpha1.FreightOriginKind"
)
STEP_STATUS: Final = StructType(
    "step_status", "the status of a step", "v1alpha1.PromotionStepStatus"
)
ORIGIN: Final = _struct("origin", "an origin", "FreightOrigin", "Kind Name", Kind="origin_kind")
COMMIT: Final = _struct(
    "commit",
    "a commit",
    "GitCommit",
    "RepoURL ID Branch Tag Message Author Committer SubscriptionName",
)
IMAGE: Final = _struct(
    "image",
    "an image",
    "Image",
    "RepoURL Tag Digest Annotations SubscriptionName",
    Annotations="strings",
)
CHART: Final = _struct("chart", "a chart", "Chart", "RepoURL Name Version SubscriptionName")
ARTIFACT: Final = StructType(
    "artifact",
    "an artifact",
    "v1alpha1.ArtifactReference",
    {
        "ArtifactType": ("string", "ArtifactType"),
        "SubscriptionName": ("string", "SubscriptionName"),
        "Version": ("string", "Version"),
        "Metadata": ("object", "Metadata"),
    },
)
DISCOVERED_COMMIT: Final = _struct(
    "discovered_commit",
    "a discovered commit",
    "DiscoveredCommit",
    "RepoURL ID Branch Tag Subject Author Committer CreatorDate SubscriptionName",
    CreatorDate="time",
)
STEP_META: Final = _struct(
    "step_meta",
    "the metadata of a step",
    "StepExecutionMetadata",
    "Alias Status Message ErrorCount ContinueOnError StartedAt FinishedAt",
    Status="step_status",
    ErrorCount="integer",
    ContinueOnError="boolean",
    StartedAt="time",
    FinishedAt="time",
)
STRUCTS: Final = {
    one.name: one
    for one in (
        ORIGIN_KIND,
        STEP_STATUS,
        ORIGIN,
        COMMIT,
        IMAGE,
        CHART,
        ARTIFACT,
        DISCOVERED_COMMIT,
        STEP_META,
        VERSION,
        NEXT,
    )
}
"""All structs that the functions give, by their names in signatures."""

function: Final = Declarations("freight", __package__ or "", propagates_none=False, types=STRUCTS)


def _asked(*values: Any) -> Any:
    raise TypeError("the scope answers this call")


def _declare(signature: str, place: str) -> None:
    name, _, rest = signature.partition("(")
    gives = STRUCTS.get(rest.rpartition("-> ")[2])
    function(signature, form="promotion", **about(name, place, gives))(_asked)


for _signature in (
    "configMap(name: string) -> strings",
    "secret(name: string) -> strings",
    "sharedConfigMap(name: string) -> strings",
    "sharedSecret(name: string) -> strings",
    "stageMetadata(name: string) -> object",
):
    _declare(_signature, "resources")
for _signature in (
    "warehouse(name: string) -> origin",
    "freightMetadata(name: string) -> object",
    "freightStatus(name: string) -> object",
):
    _declare(_signature, "freight")
for _signature in (
    "commitFrom(repoURL: string, origin?: origin) -> commit",
    "imageFrom(repoURL: string, origin?: origin) -> image",
    "chartFrom(repoURL: string, chartName?: string | origin, origin?: origin) -> chart",
    "artifactFrom(subscription: string, origin?: origin) -> artifact",
):
    _declare(_signature, "discovery")
for _signature in (
    "always() -> boolean",
    "success() -> boolean",
    "failure() -> boolean",
    "status(alias: string) -> string",
):
    _declare(_signature, "status")
