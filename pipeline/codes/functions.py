"""Codes of calling functions."""

from __future__ import annotations

from typing import Final

from .record import Code

_TOPIC: Final = "functions"

CODES: Final = (
    Code(
        topic=_TOPIC,
        name="invalid_argument",
        title="An argument that the function cannot use",
        text="The argument has the right type but not a value that the function can work with, as "
        "the message says in detail.",
        remedy="Pass another value; `bpp functions NAME` shows what the function expects.",
        example='«substr("abc", 5)»',
    ),
    Code(
        topic=_TOPIC,
        name="invalid_argument_type",
        title="An argument of the wrong type",
        text="The function takes another type at this place. Nothing is converted silently: a text "
        "that looks like a number stays a text.",
        remedy="Pass a value of the type that the message names.",
        example="«to_upper(5)»",
    ),
    Code(
        topic=_TOPIC,
        name="invalid_argument_count",
        title="Too many or too few arguments",
        text="The function takes another number of arguments.",
        remedy="Add or remove arguments; `bpp functions NAME` shows all of them.",
        example='«to_upper("a", "b")»',
    ),
    Code(
        topic=_TOPIC,
        name="invalid_named_argument",
        title="A named argument that does not belong there",
        text="Only `object` makes use of the names of its arguments, and needs one for each.",
        remedy="Add the name in `object(name = value)`, or remove it elsewhere.",
        example='«object("a")»',
    ),
    Code(
        topic=_TOPIC,
        name="ignored_argument_name",
        title="An argument name that counts for nothing",
        text="Arguments have names in `object` only. Other functions take them by position, "
        "whatever names stand in front of them, so a different order of names changes nothing.",
        remedy="Leave the name out, and give the arguments in the order of the function.",
        example='«to_upper(text = "a")»',
    ),
    Code(
        topic=_TOPIC,
        name="mixed_list",
        title="A list of elements of different types",
        text="The elements of a list should have one type: who reads it treats them alike. An "
        "integer beside a float is no mixture, and neither is what `join` makes a text of.",
        remedy="Make the elements alike, or use `object` with a name for each.",
        example='«list("a", 1)»',
    ),
    Code(
        topic=_TOPIC,
        name="duplicate_argument_name",
        title="The same argument name twice",
        text="An argument name stands twice in one call, so one of the two values would be lost.",
        remedy="Remove one of them or choose another name.",
        example="«object(a = 1, a = 2)»",
    ),
    Code(
        topic=_TOPIC,
        name="invalid_function_result",
        title="A function returned something that it may not",
        text="A function that was passed to another one, or a function of a plug-in, returned a "
        "value of a type that cannot be used, such as a text from a predicate.",
        remedy="Pass a function that returns what the message asks for.",
        example='«filter(list("a"), to_upper)»',
    ),
    Code(
        topic=_TOPIC,
        name="function_failed",
        title="A function broke while it ran",
        text="A function of a plug-in stopped with an error of its own. This is a mistake in the "
        "function, not in the blueprint.",
        remedy="Tell the authors of the plug-in that the message names.",
    ),
    Code(
        topic=_TOPIC,
        name="function_not_loaded",
        title="An installed function that cannot be used",
        text="A package that is installed offers functions with an entry point, but it cannot be "
        "imported, offers something that is no function, or declares a name that is taken. The "
        "message names the package and the entry point; everything else goes on.",
        remedy="Mend, update or uninstall the package.",
    ),
    Code(
        topic=_TOPIC,
        name="invalid_json_pointer",
        title="A JSON pointer that is not one",
        text="A JSON pointer is empty or begins with `/`, and `~` in it is followed by `0` or `1` "
        "(RFC 6901).",
        remedy="Write a pointer such as `/hosts/0/name`; `~1` stands for `/` and `~0` for `~`.",
        example='«fromjson("{}", "/a~2")»',
    ),
    Code(
        topic=_TOPIC,
        name="json_pointer_without_slash",
        title="A JSON pointer without its slash",
        text="A JSON pointer begins with `/` (RFC 6901). Here `host` is taken as `/host`, because "
        "the specification writes it like that once, but other tools refuse it.",
        remedy="Begin the pointer with `/`.",
        example="""\
values:
  a: {type: string, value: '«fromjson("{}", "host")»'}
""",
    ),
    Code(
        topic=_TOPIC,
        name="invalid_base64",
        title="A text that is not base64",
        text="The text holds characters outside the base64 alphabet or is padded wrongly. Leaving "
        "them out would give other bytes than were meant.",
        remedy="Pass the standard alphabet with `+`, `/` and `=` padding, without spaces.",
        example='«base64decode("%%%")»',
    ),
    Code(
        topic=_TOPIC,
        name="invalid_utf8",
        title="Bytes that are not text",
        text="A file or a binary value is not valid UTF-8, so there is no text that it stands for. "
        "Replacing the bytes would change the data silently.",
        remedy="Save the file as UTF-8; use `base64encode(..)` to put binary data into a field.",
        example='«utf8(base64decode("/w=="))»',
    ),
    Code(
        topic=_TOPIC,
        name="invalid_cidr",
        title="A network that cannot be divided like that",
        text="The address is not in CIDR notation, or the network has too few bits for the subnets "
        "that are asked for.",
        remedy="Write a network such as `10.0.0.0/16`, with fewer new bits or a smaller number.",
        example='«cidrsubnet("10.0.0.0", 4, 2)»',
    ),
    Code(
        topic=_TOPIC,
        name="effect_not_allowed",
        title="A function with an effect that is not available here",
        text="The function reads a file, the network, the clock or something else outside the "
        "blueprint, and that is not possible at this place.",
        remedy="Pass the value in as a variable.",
    ),
    Code(
        topic=_TOPIC,
        name="secret_not_allowed",
        title="A secret where it would leave the blueprint",
        text="A secret, or something computed from it, would become part of a path or an address. "
        "Those end up in logs and on other machines.",
        remedy="Do not build paths and addresses from secrets.",
    ),
)
