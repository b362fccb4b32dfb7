"""What strangers may write: sequences that act in terminals, misleading text, and the Big List of Naughty Strings.

`naughty_strings.json` is the list of npm's package `blns` 2.0.4, by Max Woolf, under the MIT licence that stands
in `naughty_strings.LICENSE`.
"""

import json
from pathlib import Path

ACTING = {
    "clipboard": "\x1b]52;c;RVZJTA==\x07",
    "clipboard, other end": "\x1b]52;c;RVZJTDI=\x1b\\",
    "clipboard in C1": "\x9d52;c;RVZJTA==\x9c",
    "clipboard, primary, asked for": "\x1b]52;p;?\x07",
    "clipboard of iTerm2": "\x1b]1337;Copy=:RVZJTA==\x07",
    "title": "\x1b]0;OWNED\x07",
    "title alone": "\x1b]2;OWNED\x1b\\",
    "icon": "\x1b]1;OWNED\x07",
    "title in C1": "\x9d2;OWNED\x9c",
    "title of screen": "\x1bkOWNED\x1b\\",
    "title sent back": "\x1b[21t",
    "title from the stack": "\x1b[23;0t",
    "attributes": "\x1b[c",
    "attributes in C1": "\x9bc",
    "second attributes": "\x1b[>c",
    "third attributes": "\x1b[=c",
    "version": "\x1b[>0q",
    "cursor report": "\x1b[6n",
    "status report": "\x1b[5n",
    "size report": "\x1b[18t",
    "cell size report": "\x1b[16t",
    "status string": "\x1bP$qm\x1b\\",
    "terminfo string": "\x1bP+q544e\x1b\\",
    "keyboard question": "\x1b[?u",
    "mode question": "\x1b[?2026$p",
    "colour question": "\x1b]11;?\x07",
    "palette question": "\x1b]4;1;?\x07",
    "palette": "\x1b]4;1;#ff0000\x07",
    "colour of text": "\x1b]10;#000000\x07",
    "window moved": "\x1b[3;0;0t",
    "window minimized": "\x1b[2t",
    "window of eight lines": "\x1b[8;1;1t",
    "working folder": "\x1b]7;file://evil.example/\x07",
    "notification": "\x1b]9;OWNED\x07",
    "progress": "\x1b]9;4;1;50\x07",
    "notification of two": "\x1b]777;notify;OWNED;now\x07",
    "notification of kitty": "\x1b]99;;OWNED\x1b\\",
    "prompt mark": "\x1b]133;A\x07",
    "file of iTerm2": "\x1b]1337;File=inline=1:AAAA\x07",
    "picture": "\x1bPq#0;2;0;0;0#0~~@@vv@@~~@@~~$\x1b\\",
    "picture of kitty": "\x1b_Gf=24,s=1,v=1;AAAA\x1b\\",
    "private message": "\x1b^OWNED\x1b\\",
    "string": "\x1bXOWNED\x1b\\",
    "link": "\x1b]8;;https://evil.example\x1b\\click\x1b]8;;\x1b\\",
    "enquiry": "\x05",
    "reset": "\x1bc",
    "soft reset": "\x1b[!p",
    "overdraw": "\x1b[7;77H\x1b[0;1J",
    "erased line": "\x1b[2K\x1b[1A\x1b[2K",
    "colours": "\x1b[30;40m hidden \x1b[8m",
    "normal screen": "\x1b[?1049;7l",
    "mouse": "\x1b[?1000h\x1b[?1003h\x1b[?1006h",
    "pasting": "\x1b[201~rm -rf\r\x1b[200~",
    "keypad": "\x1b=",
    "insertion": "\x1b[4h",
    "scrolled part": "\x1b[5;6r",
    "alignment": "\x1b#8",
    "other letters": "\x1b(0qqqq",
    "shift out": "\x0e\x0f",
    "repeated": "A\x1b[9999b",
    "keys of the user": "\x1bP0;1|17/0d\x1b\\",
    "print": "\x1b[5iOWNED\x1b[4i",
    "bell, backspace, delete": "\x07\x08\x7f",
    "back to the left": "over\r\x0b\x0cwritten",
    "nothing": "\x00\x1a\x18",
    "of tmux": "\x1bPtmux;\x1b\x1b]52;c;RVZJTA==\x07\x1b\\",
    "unfinished": "\x1b]52;c;RVZJTA",
    "begun alone": "\x1b",
    "begun in C1": "\x9b",
    "long numbers": "\x1b[99999999999999999999m\x1b[1;2;3;4;5;6;7;8;9;10;11;12;13;14;15;16;17;18H",
}
"""Each would do something if it reached a terminal as it is."""

MISLEADING = {
    "direction": "\u202egnp.exe\u2069\u200f",
    "isolates": "\u2066\u2067\u2068abc",
    "tags": "".join(chr(0xE0000 + ord(each)) for each in "hidden") + "\U000e007f",
    "no width": "a\u200b\u2060\ufeffb\u00ad",
    "filler": "\u3164\uffa0\u115f\u1160",
    "marks": "Z" + "\u0301\u0334\u0489" * 40,
    "mark alone": "\u0301\u20dd",
    "annotation": "\ufff9a\ufffab\ufffb",
    "lone surrogates": "\ud83d and \udc00",
    "no characters": "\ufffe\uffff\U0010ffff",
    "line and paragraph": "a\u2028b\u2029c\x85d",
    "tabs": "a\tb\tc",
    "lines": "one\r\ntwo\nthree",
    "family": "👨\u200d👩\u200d👧\u200d👦 👍🏽 🏴\U000e0067\U000e0062\U000e007f",
    "flags": "🇩🇪🇮🇱🇩",
    "Hebrew": "שלום (12) world",
    "long": "W" * 3_000,
    "wide": "漢" * 500,
    "words that don't end": "\u2588" * 400,
}

MARKUP = {
    "action": "[@click=app.quit]x[/]",
    "end of nothing": "a [/foo] b",
    "link": "[link=https://e.x]y[/link]",
    "colour": "[red]red[/red",
    "escaped": r"\[bold]x[/]",
    "template": "{0} {name!r} %s %(x)s ${HOME} {{",
    "formula": '=HYPERLINK("https://e.x","y")',
    "formula, minus": "-1+1|cmd",
    "log line": "x\nERROR frontdesk: all is lost",
    "shell": "$(touch /tmp/owned); `id` | sh &",
    "path": "../../../../etc/passwd",
}

NAUGHTY: list[str] = [
    each for each in json.loads((Path(__file__).parent / "naughty_strings.json").read_text("utf-8")) if each
]

CONTROLS = [f"a{chr(code)}b" for code in (*range(0x20), *range(0x7F, 0xA0))]
"""Each control character by itself."""

SEQUENCES: tuple[str, ...] = (
    *ACTING.values(),
    *MISLEADING.values(),
    *MARKUP.values(),
    *CONTROLS,
    *NAUGHTY,
)
"""All of them. The first are those that act, so that few rounds have them in every place."""
