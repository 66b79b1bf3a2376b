"""Kubeconfigs: of a cluster, which needs canned answers, and of a login by OpenID Connect."""

from __future__ import annotations

import base64
from typing import Any, Final

from ..go.yaml_text import to_yaml
from ..gotemplate.guards import TYPES, failed, needs_stub
from ..signatures import Declarations
from .components import BOTH_ENGINES, Environment

function: Final = Declarations("kubeconfigs", __package__, propagates_none=False, types=TYPES)


for _name in ("getShootAdminKubeconfig", "getServiceAccountKubeconfig"):
    for _form in (_name, f"{_name}WithExpirationTimestamp"):
        function(
            f"{_form}(name: string, namespace: string, seconds: int, target: any) -> any",
            effect="stub",
            notes=(BOTH_ENGINES, f"Asks a cluster: `--stub {_form}=FILE` supplies its answers"),
        )(needs_stub(_form, "asks a cluster"))


def _named(entries: Any, name: Any, key: str) -> dict[str, Any]:
    """The entry of a list in a kubeconfig that has a name."""
    for entry in entries if isinstance(entries, list) else ():
        if (
            isinstance(entry, dict)
            and entry.get("name") == name
            and isinstance(entry.get(key), dict)
        ):
            found: dict[str, Any] = entry[key]
            return found
    raise failed(f"the kubeconfig of the target has no such {key}")


def _get_oidc_kubeconfig(environment: Environment, issuer: str, client: str, target: Any) -> str:
    spec = target.get("spec") if isinstance(target, dict) else None
    config = spec.get("config") if isinstance(spec, dict) else None
    given = config.get("kubeconfig") if isinstance(config, dict) else None
    if isinstance(given, str):
        given = environment.components.parsed(given)
    if not isinstance(given, dict):
        raise failed("the target has no kubeconfig", "it stands below `spec.config.kubeconfig`")
    current = given.get("current-context")
    context = _named(given.get("contexts"), current, "context")
    cluster = _named(given.get("clusters"), context.get("cluster"), "cluster")
    scopes = [f"--oidc-extra-scope={one}" for one in ("email", "profile", "offline_access")]
    user = {
        "apiVersion": "client.authentication.k8s.io/v1beta1",
        "command": "kubectl",
        "args": [
            "oidc-login",
            "get-token",
            f"--oidc-issuer-url={issuer}",
            f"--oidc-client-id={client}",
            *scopes,
            "--oidc-use-pkce",
            "--grant-type=auto",
        ],
    }
    made = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": current,
        "contexts": [{"name": current, "context": context}],
        "clusters": [{"name": context.get("cluster"), "cluster": cluster}],
        "users": [{"name": context.get("user"), "user": {"exec": user}}],
    }
    return base64.b64encode(to_yaml(made).encode()).decode("ascii")


function(
    "getOidcKubeconfig(issuer: string, client: string, target: any) -> string",
    effect="components",
    notes=(BOTH_ENGINES,),
)(_get_oidc_kubeconfig)
