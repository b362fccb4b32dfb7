"""PreflightDialog: all that a campaign would do and the exact JSON, read before its name is typed and it is sent.

Nothing after the POST can be taken back, so enter alone sends nothing: what confirms is the name, and where
something couldn't be checked a second answer in UncheckedDialog.
"""

from collections.abc import Callable, Sequence

from frontdesk.campaigns.findings import Finding
from frontdesk.present.lines import Line, Role, span
from frontdesk.present.preflight import sentence
from frontdesk.text import Shown, own
from frontdesk.tui.dialogs.confirm import ConfirmDialog
from frontdesk.tui.dialogs.review import ReviewDialog, name_to_type

MAX_NAMED = 3
"""So many unchecked things are named in the dialog that confirms them; the preflight has all."""


class PreflightDialog(ReviewDialog):
    """Answers with True once the name was typed; no answer is a `Closed`."""

    def __init__(
        self,
        title: Shown,
        draw: Callable[[int], Sequence[Line]],
        name: str,
        *,
        errors: int,
        unchecked: int,
        warnings: int,
        whole: Callable[[], Sequence[Shown]],
        draft: str = "",
    ) -> None:
        """A preflight.

        Args:
            title: what would be sent.
            draw: lays out what is found and the JSON for a width.
            name: the campaign's, to be typed.
            errors: how many findings keep it from being sent.
            unchecked: how many checks couldn't be made, which is confirmed after the name.
            warnings: how many a person should have read.
            whole: all of the JSON, bounded, as lines.
            draft: what was typed before.
        """
        super().__init__(
            title,
            draw,
            _asks(name, errors, unchecked, warnings),
            does="send",
            typed=(name,),
            placeholder="Its name; once it was sent it can't be taken back",
            is_refused=bool(errors),
            whole=whole,
            draft=draft,
        )


class UncheckedDialog(ConfirmDialog):
    """Asks once more, naming what couldn't be checked; answers with True, and no is the answer that is near."""

    takes_typed_ahead = False

    def __init__(self, unchecked: Sequence[Finding]) -> None:
        left_out = len(unchecked) - MAX_NAMED
        more = [own(f"And {left_out:,} more, which the page before this one lists.")] if left_out > 0 else []
        super().__init__(
            own("Send without these checks?"),
            own("This couldn't be checked, and a campaign can't be stopped once it is sent:"),
            [*(sentence(each.words) for each in unchecked[:MAX_NAMED]), *more],
            yes=own("Send unchecked"),
        )


def _asks(name: str, errors: int, unchecked: int, warnings: int) -> Line:
    if errors:
        what = "1 error keeps" if errors == 1 else f"{errors} errors keep"
        return (span(f"✗ {what} it from being sent: esc, and mend them.", Role.BAD),)
    if unchecked:
        what = "1 check couldn't be made" if unchecked == 1 else f"{unchecked} checks couldn't be made"
        words = f"✗ {what}: esc, and check again. To send it all the same, type its name and confirm: "
        return (span(words, Role.BAD), name_to_type(name))
    read = f"{warnings} {'warning' if warnings == 1 else 'warnings'} to read. " if warnings else ""
    return (span(f"{read}To send it, type its name: ", Role.WARN), name_to_type(name))
