"""PreflightDialog: all that a campaign would do and the exact JSON, read before its name is typed and it is sent.

Nothing after the POST can be taken back, so enter alone sends nothing: what confirms is the name.
"""

from collections.abc import Callable, Sequence

from frontdesk.present.lines import Line, Role, span
from frontdesk.text import Shown
from frontdesk.tui.dialogs.review import ReviewDialog, name_to_type


class PreflightDialog(ReviewDialog):
    """Answers with True once the name was typed; no answer is a `Closed`."""

    def __init__(
        self,
        title: Shown,
        draw: Callable[[int], Sequence[Line]],
        name: str,
        *,
        errors: int,
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
            warnings: how many a person should have read.
            whole: all of the JSON, bounded, as lines.
            draft: what was typed before.
        """
        super().__init__(
            title,
            draw,
            _asks(name, errors, warnings),
            does="send",
            typed=(name,),
            placeholder="Its name; once it was sent it can't be taken back",
            is_refused=bool(errors),
            whole=whole,
            draft=draft,
        )


def _asks(name: str, errors: int, warnings: int) -> Line:
    if errors:
        what = "1 error keeps" if errors == 1 else f"{errors} errors keep"
        return (span(f"✗ {what} it from being sent: esc, and mend them.", Role.BAD),)
    read = f"{warnings} {'warning' if warnings == 1 else 'warnings'} to read. " if warnings else ""
    return (span(f"{read}To send it, type its name: ", Role.WARN), name_to_type(name))
