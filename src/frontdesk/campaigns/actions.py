"""Actions on campaigns, and on the screen that compares them."""

from functools import partial

from frontdesk.config.actions import Group, Undo, key_action

CAMPAIGNS = ("campaigns",)
_do = partial(key_action, Group.DO, CAMPAIGNS)
_create = partial(key_action, Group.DO, CAMPAIGNS, undo=Undo.UNTIL_SENT)
_run = partial(key_action, Group.DO, ("inbox",), undo=Undo.UNTIL_SENT)
_write = partial(key_action, Group.DO, (*CAMPAIGNS, "comparing"))
_move = partial(key_action, Group.MOVE, ("comparing",))
_view = partial(key_action, Group.VIEW, ("comparing",))

ACTIONS = (
    _run(
        "campaign.one",
        "C",
        "run_workflow",
        "workflow",
        "Run a workflow for this customer: a campaign with one recipient",
    ),
    _create("campaign.create", "c", "create", "create", "Create a campaign; checked first", 2, "campaigns create"),
    _do("campaign.watch", "w", "watch", "watch", "Watch a campaign by its id", 1, "campaigns watch"),
    _do(
        "campaign.compare",
        "=",
        "compare",
        "compare",
        "Compare the marked, or this with the one before it",
        0,
        "campaigns compare",
    ),
    _write(
        "campaign.write",
        "W",
        "write",
        "report",
        "Write the shift report, and samples of the marked",
        6,
        "campaigns report",
    ),
    _move("compare.back", "h left", "step(-1)", "earlier", "A little earlier since the start", 1),
    _move("compare.on", "l right", "step(1)", "later", "A little later since the start", 2),
    _move("compare.far_back", "[", "step(-10)", "far back", "Ten times as far back"),
    _move("compare.far_on", "]", "step(10)", "far on", "Ten times as far on"),
    _move("compare.newest", "n", "newest", "now", "Where the campaign is now, and along with it", 5),
    _view("compare.measure", "s", "measure", "sent, read…", "Curves of sent, delivered, read or failed", 3),
    _view("compare.share", "t", "of_total", "share", "Counts, or shares of all recipients", 4),
    _do("campaign.unwatch", "x", "unwatch", "unwatch", "Stop watching a campaign; it goes on"),
    _do(
        "campaign.outcomes",
        "E",
        "outcomes",
        "failures",
        "How a list's recipients fared, and why",
        3,
        "campaigns failures",
    ),
)
