"""Codes of files, the network, and limits."""

from __future__ import annotations

from typing import Final

from .record import Code

_TOPIC: Final = "files and limits"

CODES: Final = (
    Code(
        topic=_TOPIC,
        name="file_not_found",
        title="A file that does not exist",
        text="There is no file at the path. Relative paths in a blueprint are taken from the "
        "folder of that blueprint.",
        remedy="Correct the path or create the file.",
    ),
    Code(
        topic=_TOPIC,
        name="file_not_allowed",
        title="A file outside the allowed folders",
        text="A blueprint may read files in its own folder and in the working directory only; "
        "symbolic links are followed before that is checked. A blueprint from a stranger must not "
        "be able to collect files from the machine that renders it.",
        remedy="Move the file there, or allow its folder with `--allow-path DIR`.",
        example='«file("/etc/hostname")»',
    ),
    Code(
        topic=_TOPIC,
        name="file_unreadable",
        title="A file that cannot be read",
        text="The file is there, but the system refuses to read it, or it is a folder or a device.",
        remedy="Check its permissions, and that it is a regular file.",
    ),
    Code(
        topic=_TOPIC,
        name="file_too_large",
        title="A file that is too large",
        text="The file has more bytes than the limit `max_file_bytes` or `max_input_bytes` allows.",
        remedy="Use a smaller file, or raise the limit if you trust the blueprint.",
    ),
    Code(
        topic=_TOPIC,
        name="invalid_spec_ext",
        title="A file of an unknown format",
        text="The format of a file follows from the end of its name: `.yaml`, `.yml`, `.json` or "
        "`.jsonc`.",
        remedy="Rename the file, or say which format it has.",
    ),
    Code(
        topic=_TOPIC,
        name="file_unwritable",
        title="The output cannot be written",
        text="The system refuses to write the output, or the target is no regular file. What was "
        "there before is untouched.",
        remedy="Check the folder, its permissions and the space on the disk.",
    ),
    Code(
        topic=_TOPIC,
        name="network_not_allowed",
        title="A request that is not allowed",
        text="A blueprint may not use the network, unless the host was allowed, and never reaches "
        "private addresses by a detour. A blueprint from a stranger must not be able to send or "
        "fetch anything from where it is rendered.",
        remedy="Allow the host with `--allow-net HOST` if you trust the blueprint.",
        example='«http_resource("https://example.com/")»',
    ),
    Code(
        topic=_TOPIC,
        name="network_failed",
        title="A request that failed",
        text="The host could not be reached in time, or answered with something else than success.",
        remedy="Try the address by hand; raise the limit `fetch_seconds` for a slow server.",
    ),
    Code(
        topic=_TOPIC,
        name="program_not_found",
        title="A program that is not installed",
        text="What was asked for is made by another program, which is in no folder of `PATH`: "
        "pictures of graphs are drawn by `dot` of Graphviz.",
        remedy="Install Graphviz, or draw the graph as `mermaid`, which needs no program.",
    ),
    Code(
        topic=_TOPIC,
        name="program_failed",
        title="A program that failed",
        text="Another program was started and stopped with an error, or took longer than the limit "
        "`program_seconds`.",
        remedy="Try the program by hand, as in `bpp graph FILE --format dot | dot -Tsvg`; draw a "
        "smaller part of a large graph.",
    ),
    Code(
        topic=_TOPIC,
        name="limit_exceeded",
        title="A limit is reached",
        text="The blueprint is larger, deeper or more work than a limit allows. The limits keep a "
        "small text from filling the memory or running for ever; the message names the one that is "
        "reached.",
        remedy="Simplify what is marked, or raise that limit if you trust the blueprint: "
        "`--limit max_depth=128`. `bpp explain limits` lists them.",
    ),
    Code(
        topic=_TOPIC,
        name="max_depth_exceeded",
        title="Includes that are nested too deep",
        text="Blueprints include each other deeper than the limit `max_include_depth` allows.",
        remedy="Flatten the includes, or raise the limit.",
    ),
)
