"""Attacks of servers and of the surroundings of a process, and outputs that are rendered again."""

from __future__ import annotations

import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import repeat
from typing import Final

from ..growing_inputs import NEWER
from .attack import BLUEPRINT, BUILD, FEW, SECRET, Attack, Outcome, must_fail
from .crafted import DEPLOY, PROJECT, SMALL, TARGET

OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
MOVED = b"HTTP/1.1 302 Found\r\nLocation: "
FLOOD = b"x" * 1_000_000

ENDLESS: Final = {
    "a chunk of the size -1": (CHUNKED + b"-1\r\n", FLOOD),
    "a huge chunk": (CHUNKED + b"ffffffffffffffff\r\n", FLOOD),
    "extensions of chunks": (CHUNKED, b"1;" + b"x" * 60_000 + b"\r\nx\r\n"),
    "trailers": (CHUNKED + b"0\r\n", b"A: b\r\n" * 10_000),
    "headers": (OK, b"A: b\r\n" * 10_000),
    "a long header": (OK + b"A: ", FLOOD),
    "interim answers": (b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 1_000),
    "a body without an end": (OK + b"\r\n", FLOOD),
    "a status without an end": (b"HTTP/1.1 200 ", FLOOD),
    "no HTTP": (b"", FLOOD),
}
"""What a server begins with, and what it sends again and again."""

ONCE: Final = {
    "a redirect to a file": MOVED + b"file:///etc/passwd\r\n\r\n",
    "a redirect to this machine": MOVED + b"http://localhost:1/\r\n\r\n",
    "a redirect to itself": MOVED + b"/\r\n\r\n",
    "a redirect to a long name": MOVED + b"http://" + b"\xe4" * 60_000 + b"/\r\n\r\n",
    "two lengths": OK + b"Content-Length: 1\r\nContent-Length: 9\r\n\r\nx",
    "a length beside chunks": OK + b"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\nx",
    "an unknown coding": OK + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    "a compressed body": OK + b"Content-Encoding: gzip\r\n\r\n" + FLOOD,
    "nothing": b"",
}

HOSTS: Final = (
    *("127.1", "2130706433", "0x7f000001", "[::1]", "[::ffff:127.0.0.1]", "localhost", "0"),
    *("127.0.0.1", "127。0。0。1"),
)

THROUGH: Final = {
    "a working directory that is gone": 'mkdir gone; cd gone; rmdir ../gone; exec "$@"',
    "no standard output": 'exec "$@" >&-',
    "no standard error": 'exec "$@" 2>&-',
    "no standard streams": 'exec "$@" <&- >&- 2>&-',
    "a full disk": 'exec "$@" >/dev/full',
    "a full disk for errors": 'exec "$@" 2>/dev/full',
    "files of no size": 'ulimit -f 0; PYTHONDONTWRITEBYTECODE=1 exec "$@"',
    "few descriptors": 'ulimit -n 12; exec "$@"',
    "a small stack": 'ulimit -s 256; exec "$@"',
    "little memory": 'ulimit -v 120000; exec "$@"',
    "a pipe that nobody reads": '"$@" | true',
    "files that nobody may read": 'umask 777; exec "$@"',
    "a home that is a file": 'touch ../run/f; HOME=$PWD/../run/f exec "$@"',
    "no home": 'unset HOME; exec "$@"',
    "a home that is gone": 'HOME=/nowhere exec "$@"',
    "a cache that is a file": 'touch ../run/f; BPP_CACHE_DIR=../run/f exec "$@"',
    "a cache that leads nowhere": 'ln -s no ../run/l; BPP_CACHE_DIR=$PWD/../run/l/x exec "$@"',
    "a cache whose name is no text": 'XDG_CACHE_HOME="$(printf "/tmp/\\377")" exec "$@"',
    "no folder for temporary files": 'TMPDIR=/nowhere exec "$@"',
    "a plain language": 'LC_ALL=C PYTHONUTF8=0 PYTHONCOERCECLOCALE=0 exec "$@"',
    "an unknown language": 'LC_ALL=xx_YY.none LANG=none exec "$@"',
    "an encoding without letters": 'PYTHONIOENCODING=ascii:strict exec "$@"',
    "a huge screen": 'COLUMNS=99999999999999999999 LINES=-1 TERM=none FORCE_COLOR=1 exec "$@"',
    "a wrong epoch": 'SOURCE_DATE_EPOCH=9e999 exec "$@"',
    "a wrong zone": 'TZ=../../../etc/passwd exec "$@"',
    "no variables": 'exec env -i "$@"',
    "optimised bytecode": 'PYTHONOPTIMIZE=2 exec "$@"',
    "warnings as errors": 'PYTHONWARNINGS=error exec "$@"',
}

SHAPES: Final = (
    "",
    "5",
    "()",
    "('what',)",
    "('call', 5, 7)",
    "('call', 'trim', ((('hole', 9), None),))",
    "('hole', 'x')",
    "('reference', None, 1, 2)",
    "('reference', 'values', ((), {}), False)",
    "('literal', [1, {2}])",
    "('literal', 1j)",
    "('access', ('literal', 1), (1.5, None))",
    "__import__('functools').reduce(lambda x, _: ('access', x, ('a',)), range(600), ('hole', 0))",
)
"""What is stored in the place of shapes, as Python writes it."""

TEXTS: Final[dict[str, Callable[[bytes], bytes]]] = {
    "UTF-16": lambda data: data.decode().encode("utf-16"),
    "no UTF-8": lambda data: b"\xff\xfe\xfd" + data,
    "a zero": lambda data: data + b"\0",
    "nothing": lambda data: b"",
    "a mark": lambda data: b"\xef\xbb\xbf" + data,
    "controls": lambda data: data + b"a: \x1b[31m\x07\n",
    "surrogates": lambda data: data + b"a: \xed\xa0\x80\n",
}

FORMS: Final = (
    *("${resources.r.state.id}", "$${x}", "${datasources.d.e}", '${"$"}{x}', "${1}-$${1}"),
    *("a: b", "- a", "!x", "&a", "*a", "\\t", "yes", "1e3", "0x1f", "2023-04-20", "~", "null"),
    *(".nan", "=", "<<", "#", "%a", "@a", "`a", "? a", ": a", "\u2028", "\ufeff", "''", "01"),
    *("1_000", "0o7", "12:30:45", ".5", "+1", "-0", "a #b", "---", "{", "]", "|", ">", "NO"),
)
AGAIN = """"$@" -o out.yaml || exit $?
b=$1; shift 3
"$b" render out.yaml "$@" -o again.yaml || exit 97
"""


def _network() -> Iterator[Attack]:
    entry = "  v#: {type: string, value: '${http_resource(\"http://127.0.0.1:PORT/#\")}'}\n"
    values = "".join(entry.replace("#", str(number)) for number in range(3))
    used = "resources:\n  r: {type: a/b, spec: {x: '${values.v0}'}}\n"
    text = f"{NEWER}values:\n{values}{used}"
    lines: tuple[str, ...] = (
        *FEW,
        "why {main} resources.r",
        "diff {main} {main}",
        "eval values.v1 -f {main}",
    )
    lines = (*(one for one in lines if not one.startswith("check")), "lock {main} -o lock")
    answers: dict[str, Callable[[], Iterable[bytes]]] = {
        what: lambda first=first, rest=rest: _endless(first, rest)  # type: ignore[misc]
        for what, (first, rest) in ENDLESS.items()
    }
    answers |= {what: lambda reply=reply: [reply] for what, reply in ONCE.items()}  # type: ignore[misc]
    for what, answer in answers.items():
        yield Attack(
            f"network: {what}",
            {"app.yaml": text},
            tuple(f"{line} --allow-net 127.0.0.1" for line in lines),
            answers=answer,
            wrong=must_fail,
        )
    for host in HOSTS:
        yield Attack(
            f"network: {host}, which nobody allowed",
            {"app.yaml": text.replace("127.0.0.1", host)},
            lines,
            answers=lambda: [OK + f"\r\n{SECRET}".encode()],
            wrong=must_fail,
        )


def _endless(first: bytes, rest: bytes) -> Iterator[bytes]:
    yield first
    yield from repeat(rest)


def _surroundings() -> Iterator[Attack]:
    files = {"app.yaml": SMALL, "bpp.toml": TARGET.format("app.yaml", "o.yaml")}
    project = PROJECT + DEPLOY
    lines = (*BLUEPRINT, *BUILD, "functions", "explain limits", "stages", "parse 1", "eval 1")
    for what, script in THROUGH.items():
        yield Attack(f"surroundings: {what}", files, lines, through=script)
        yield Attack(
            f"surroundings, Garden: {what}",
            {"garden.yml": project},
            FEW,
            "garden.yml",
            through=script,
        )
    computed = "'${trim(trim(trim(\"x\")))}'"
    text = f"{NEWER}resources:\n  r: {{type: a/b, spec: {{x: {computed}}}}}\n"
    yield Attack(
        "surroundings: files that all may write",
        {**files, "app.yaml": text},
        ("render {main}", "build"),
        through='umask 0; exec "$@"',
        wrong=_open_to_all,
    )
    for number, shape in enumerate(SHAPES):
        body = f"dict.fromkeys(marshal.loads(data[17:]), {shape})" if shape else "[1, 2]"
        forge = (
            "import glob, marshal, os, zlib\n"
            "for name in glob.glob(os.path.expanduser('~/.cache/bpp/shapes-*')):\n"
            "    data = open(name, 'rb').read()\n"
            f"    body = marshal.dumps({body})\n"
            "    head = data[:13] + zlib.crc32(body).to_bytes(4, 'big')\n"
            "    open(name, 'wb').write(head + body)\n"
        )
        yield Attack(
            f"surroundings: stored shapes that are none, {number}",
            {"app.yaml": text, "forge.py": forge},
            FEW,
            through=f'"$@" >/dev/null 2>&1; {sys.executable} forge.py; exec "$@"',
        )
    for what, make in TEXTS.items():
        yield Attack(f"surroundings: a text of {what}", {"app.yaml": make(SMALL.encode())})
        damaged = {"garden.yml": make(project.encode())}
        more = "--dialect garden"
        yield Attack(f"surroundings, Garden: a text of {what}", damaged, (), "garden.yml", more)


def _open_to_all(outcome: Outcome) -> str | None:
    home = outcome.folder.parent / "home"
    for path in home.rglob("*"):
        if not path.is_symlink() and stat.S_IMODE(path.stat().st_mode) & 0o077:
            return f"opened `{path.relative_to(home).parts[-2:]}` to all"
    return None


def _outputs() -> Iterator[Attack]:
    for form in FORMS:
        text = form.replace("'", "''")
        values = f"values: {{v: {{type: string, value: '{text}'}}}}\n"
        source = f"{{type: a/b, filter: {{field: x, operator: '=', search: '{text}'}}, exports: "
        head = f"{NEWER}{values}datasources: {{d: {source}{{e: {{type: string}}}}}}}}\n"
        fields = f"x: '{text}', '{text}': ['{text}'], y: '${{values.v}}'"
        blueprint = f"{head}resources:\n  r:\n    type: a/b\n    spec: {{{fields}}}\n"
        line = ("render {main}",)
        files = {"app.yaml": blueprint}
        yield Attack(f"outputs: {form!r}", files, line, through=AGAIN, wrong=_changed)
        fields = f"x: '{text}', '{text}': ['{text}'], y: '${{var.v}}'"
        project = f"{PROJECT}variables: {{v: '{text}'}}\n{DEPLOY}spec: {{{fields}}}\n"
        line = ("render {main} --no-scan",)
        name, files = f"outputs, Garden: {form!r}", {"garden.yml": project}
        yield Attack(name, files, line, "garden.yml", through=AGAIN, wrong=_changed)


def _changed(outcome: Outcome) -> str | None:
    first, again = outcome.folder / "out.yaml", outcome.folder / "again.yaml"
    if outcome.status != 0:
        return "its output is refused" if first.exists() else None
    return None if first.read_bytes() == again.read_bytes() else "its output becomes another"


SURROUNDINGS: Final = (*_network(), *_surroundings(), *_outputs())
