"""What terminals send that isn't a key: replies, reports and control strings, and hostile texts like them.

By ECMA-48 (5.4, 5.6) and xterm's ctlseqs; each is one whole sequence, as bytes.
"""

import re
from itertools import product

from lab.hostile.sequences import ACTING

REPLIES = (
    *("\x1b[?62;22c", "\x1b[>41;354;0c", "\x1b[=0;1;0c", "\x1bP!|00000000\x1b\\", "\x1bP>|XTerm(378)\x1b\\"),
    *("\x1b[0n", "\x1b[3n", "\x1b[24;80R", "\x1b[?24;80;1R", "\x1b[?1;2n", "\x1b[?15n", "\x1b[?27;1;0;0n"),
    *(
        "\x1b[?2026;0$y",
        "\x1b[?9999;2$y",
        "\x1b[4;2$y",
        "\x1b[8;24;80t",
        "\x1b[4;600;800t",
        "\x1b[6;16;8t",
        "\x1b[1t",
    ),
    *("\x1b[3;10;20t", "\x1b]lmy title\x1b\\", "\x1b]Lmy icon\x1b\\", "\x1b[?1u", "\x1b[?31u", "\x1b[>4;2m"),
    *("\x1b]4;1;rgb:cdcd/0000/0000\x1b\\", "\x1b]10;rgb:e5e5/e5e5/e5e5\x07", "\x1b]11;rgb:0c0c/0c0c/0c0c\x1b\\"),
    *(
        "\x1b]12;rgb:aaaa/cccc/dddd\x07",
        "\x1b]52;c;Y29tcGxldGUgYWxs\x1b\\",
        "\x1b]22;default\x1b\\",
        "\x1b]99;i=c;\x07",
    ),
    *(
        "\x1bP1+r544e=787465726d\x1b\\",
        "\x1bP0+r544e\x1b\\",
        "\x1bP1$r0m\x1b\\",
        "\x1bP0$r\x1b\\",
        "\x1bP2$u9/17\x1b\\",
    ),
    *("\x1b_Gi=31;OK\x1b\\", "\x1b_Gi=31;ENOENT:cAdM\x1b\\", "\x1b[?997;1n", "\x1b[?2;0;800S", "\x1b[I", "\x1b[O"),
)
SETTINGS = ("\x1b#8", "\x1b(A", "\x1b(0", "\x1b%G", "\x1b)B", "\x1bc")
"""What no terminal sends: to it, they mean other letters, or a reset."""
_WHOLE = r"(?:\x1b\[[\x20-?]*[@-~]|\x9b[\x20-?]*[@-~]|(?:\x1b[]P^X_]|\x9d)[^\x1b\x07\x9c]*(?:\x07|\x9c|\x1b\\))+"
_HOSTILE = tuple(each for each in ACTING.values() if re.fullmatch(_WHOLE, each))
_STRINGS = ("\x1b]", "\x1bP", "\x1b_", "\x1b^", "\x1bX", "\x9d", "\x90", "\x9f", "\x9e", "\x98")
_CONTENTS = (
    "",
    "11;rgb:0c0c/0c0c/0c0c",
    "cAdMs2",
    "52;c;Y2NjYw==",
    "a dan\rc",
    "שלום c",
    "0;" + "c" * 300,
    "[A<>",
)
_FINALS = "@GIJKLMNOPQRSTVWXYZ\\]^_`abcdefghijklmnopqrstvwxyz{|}ABCDEF"
_PARAMETERS = (
    "99;1",
    "?99",
    ">41;354;0",
    "=7",
    "65;5;99",
    "1;2;3;4;5;6;7;8;9",
    "<0;8",
    "99 ",
    "0!",
    "5$",
    "9" * 50,
)


def sequences() -> list[bytes]:
    """Return every reply and report, strings of each kind, and CSI with each final byte."""
    strings = (
        introducer + content + end
        for introducer, content, end in product(_STRINGS, _CONTENTS, ("\x1b\\", "\x9c", "\x07", "\x18"))
    )
    controls = (
        f"{introducer}{parameters}{final}"
        for introducer, parameters, final in product(("\x1b[", "\x9b"), _PARAMETERS, _FINALS)
    )
    found = [*REPLIES, *strings, *controls, *_HOSTILE, "\x1b[M !!", "\x1b[32;5;5M"]
    return [each.encode() for each in dict.fromkeys(found)]
