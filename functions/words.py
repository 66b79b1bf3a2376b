"""The words of annotations for modules that every run imports.

Annotations are never evaluated, but importing `typing` for their words takes a fifteenth of the
time of a small render. Type checkers see `typing` here; a run sees stand-ins, which mean nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any as Any
    from typing import AnyStr as AnyStr
    from typing import BinaryIO as BinaryIO
    from typing import ClassVar as ClassVar
    from typing import Final as Final
    from typing import Literal as Literal
    from typing import NoReturn as NoReturn
    from typing import ParamSpec as ParamSpec
    from typing import Protocol as Protocol
    from typing import Self as Self
    from typing import TypeAlias as TypeAlias
    from typing import TypeGuard as TypeGuard
    from typing import TypeVar as TypeVar
    from typing import dataclass_transform as dataclass_transform
else:

    class Protocol:
        """The base of what is fulfilled without inheriting."""

    class _Word:
        """A word, which may have others in brackets or beside it."""

        def __init__(self, *_: object, **__: object) -> None:
            pass

        def __getitem__(self, _: object) -> _Word:
            return self

        def __or__(self, _: object) -> _Word:
            return self

        __ror__ = __or__

    Any = AnyStr = BinaryIO = ClassVar = Final = Literal = NoReturn = Self = _Word()
    TypeAlias = TypeGuard = _Word()
    ParamSpec = TypeVar = _Word

    def dataclass_transform(**_: object) -> object:
        """Says to type checkers how a class makes its fields."""
        return lambda marked: marked
