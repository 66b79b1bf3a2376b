"""The lints for blueprints, each with its file."""

from __future__ import annotations

from typing import Final

from .clear_secrets import CLEAR_SECRETS
from .fixed_rules import FIXED_RULES
from .foreign_text import FOREIGN_TEXT
from .unseen_characters import UNSEEN_CHARACTERS
from .unused import UNUSED
from .unused_children import CHILDREN

LINTS: Final = (UNUSED, CHILDREN, FOREIGN_TEXT, FIXED_RULES, CLEAR_SECRETS, UNSEEN_CHARACTERS)
