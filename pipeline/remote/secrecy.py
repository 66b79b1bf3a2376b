"""Whether an address or a path holds a secret that is known in clear."""

from __future__ import annotations

from collections.abc import Iterable


def holds_any(text: str, withheld: Iterable[str]) -> bool:
    """True when a text holds one of the secrets, as it is or as addresses write it."""
    from urllib.parse import quote, quote_plus, unquote

    texts = (text, unquote(text))
    for secret in withheld:
        forms = {secret, quote(secret), quote(secret, safe=""), quote_plus(secret)}
        if any(form in one for form in forms for one in texts):
            return True
    return False
