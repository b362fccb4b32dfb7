"""Actions on campaigns, and on the screen that compares them."""

from functools import partial

from frontdesk.config.actions import APP, Group, Undo, key_action

CAMPAIGNS = ("campaigns",)
_do = partial(key_action, Group.DO, CAMPAIGNS)
_create = partial(key_action, Group.DO, CAMPAIGNS, undo=Undo.UNTIL_SENT)
_run = partial(key_action, Group.DO, ("inbox",), undo=Undo.UNTIL_SENT)
_write = partial(key_action, Group.DO, (*CAMPAIGNS, "comparing"))
_move = partial(key_action, Group.MOVE, ("comparing",))
_list_view = partial(key_action, Group.VIEW, CAMPAIGNS)
_find = partial(key_action, Group.FIND, CAMPAIGNS)
_view = partial(key_action, Group.VIEW, ("comparing",))

ACTIONS = (
    key_action(
        Group.VIEW,
        APP,
        "alert.dismiss",
        "minus",
        "dismiss_alerts",
        "hide alerts",
        "Hide alerts until they fire again",
        "campaigns alerts",
    ),
    _run(
        "campaign.one",
        "C",
        "answer('workflow')",
        "workflow",
        "Run a workflow for this customer only",
        "campaigns create",
    ),
    _create("campaign.create", "c", "create", "create", "Check and create a campaign", "campaigns create", rank=2),
    _create("campaign.clone", "C", "clone", "clone", "Create a campaign like this one", "campaigns create"),
    _find("campaign.sort", "S", "sort", "sort", "Sort by trouble, failing, end and others"),
    _list_view("campaign.compact", "p", "compact", "compact", "One or two lines for each campaign", rank=4),
    _do("campaign.watch", "w", "watch", "watch", "Watch a campaign by its id", "campaigns watch", rank=1),
    _do(
        "campaign.compare",
        "=",
        "compare",
        "compare",
        "Compare with an earlier or marked campaign",
        "campaigns compare",
    ),
    _write(
        "campaign.write",
        "W",
        "write",
        "report",
        "Write a report (+ CSV if rows are marked)",
        "campaigns report",
        "campaigns samples",
        rank=6,
    ),
    _move("compare.back", "h left", "step(-1)", "earlier", "Go one step back in time", rank=1),
    _move("compare.on", "l right", "step(1)", "later", "Go one step forward in time", rank=2),
    _move("compare.far_back", "[", "step(-10)", "10 earlier", "Go ten steps back in time"),
    _move("compare.far_on", "]", "step(10)", "10 later", "Go ten steps forward in time"),
    _move("compare.newest", "n", "newest", "now", "Go to the latest time and keep following", rank=5),
    _view(
        "compare.measure",
        "s",
        "measure",
        "sent, read…",
        "Switch to sent, delivered, read or failed",
        "campaigns compare",
        rank=3,
    ),
    _view(
        "compare.share",
        "t",
        "of_total",
        "share",
        "Switch between counts and percentages",
        "campaigns compare",
        rank=4,
    ),
    _do(
        "campaign.unwatch",
        "x",
        "unwatch",
        "unwatch",
        "Stop watching a campaign; it keeps running",
        "campaigns unwatch",
    ),
    _do(
        "campaign.outcomes",
        "E",
        "outcomes",
        "failures",
        "Show delivery results and failure reasons",
        "campaigns failures",
        rank=3,
    ),
)
