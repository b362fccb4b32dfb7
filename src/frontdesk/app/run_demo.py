"""`frontdesk demo`: the inbox on a sandbox whose state is kept; a second terminal joins the first one's.

The sandbox inherits a listening socket, so its address is known before it is ready and the inbox opens at once.
"""

import argparse
import logging
import os
import sys
from dataclasses import replace

from frontdesk.app.run_tui import open_inbox
from frontdesk.cli.run_options import parse_run
from frontdesk.config import settings as config_settings
from frontdesk.config.actions import RunCommand
from frontdesk.config.demo import CREDENTIALS, profile_path
from frontdesk.config.file_access import NotRegularFile, OpenToOthers
from frontdesk.config.paths import data_root, make_private
from frontdesk.config.processes import engine_environment
from frontdesk.config.team import apply_environment
from frontdesk.config.time_zone import local_zone
from frontdesk.demo.sandbox_process import DemoBusy, DemoSandbox, demo_profile
from frontdesk.engine.supervisor import EngineProcess
from frontdesk.linear.run import add_width, linear_interface
from frontdesk_api.contract.ids import AgentId
from frontdesk_sandbox import fixtures

ENGINE_END_SECONDS = 6.0
MAX_DESKS = len(fixtures.AGENTS)

log = logging.getLogger(__name__)


def run_demo(arguments: list[str], run_command: RunCommand) -> int:
    """Run the demo and return its exit status; `run_command` runs what is typed in the linear mode."""
    parser = argparse.ArgumentParser(
        prog="frontdesk demo",
        description="Open the inbox with sample data from a sandbox on this machine; no account needed."
        " In a second terminal, opens the same demo. Commands work on it as the profile demo.",
    )
    parser.add_argument("--fresh", action="store_true", help="start over with fresh sample data")
    parser.add_argument(
        "--linear", action="store_true", help="plain lines and commands, for screen readers and pipes"
    )
    parser.add_argument(
        "--team",
        type=int,
        metavar="N",
        choices=range(2, MAX_DESKS + 1),
        help=f"open one of N people's inboxes in a team, 2 to {MAX_DESKS}; run it again for the next one",
    )
    add_width(parser)
    options = parse_run(parser, arguments)
    if isinstance(options, int):
        return options
    root = data_root()
    try:
        settings = config_settings.load_config().settings
        local_zone()  # refused before a sandbox is started
        make_private(root)
        sandbox = DemoSandbox(root, is_fresh=options.fresh)
    except NotRegularFile as error:
        print(f"frontdesk: {error.sentence}", file=sys.stderr)
        return 2
    except (DemoBusy, OpenToOthers) as error:
        print(f"frontdesk: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        words = (
            f"the demo can't use {root} ({error.strerror or error}); set "
            "XDG_DATA_HOME to a folder you can write to"
        )
        print(f"frontdesk: {words}", file=sys.stderr)
        return 2
    team = None
    if options.team is not None:
        from frontdesk.demo.demo_desks import DemoTeam, DemoTeamFailed

        try:
            team = DemoTeam(sandbox.folder, options.team)
        except DemoTeamFailed as error:
            sandbox.leave()
            print(f"frontdesk: {error}", file=sys.stderr)
            return 2
    environment = {
        **engine_environment(os.environ, has_team=False),
        "FRONTDESK_BASE_URL": sandbox.address,
        **CREDENTIALS,
    }
    for name in ("CAMPAIGNS_URL", "WORKFLOWS_URL", "BUSINESS_URL", "AI_URL", "PROFILE"):
        environment.pop(f"FRONTDESK_{name}", None)
    store, profile = sandbox.folder / "store", with_saved_names(demo_profile(sandbox.address))
    engines = []
    if team is not None:
        mine = team.environment(team.desk)
        team_settings = apply_environment(None, mine)
        store = team.desk.store
        profile = replace(profile, agent_id=AgentId(team.desk.agent.id), team=team_settings)
        engines = [EngineProcess(each.store, environment | team.environment(each)) for each in team.others]
        environment |= mine
    engine = EngineProcess(store, environment)

    is_written = team is not None  # each desk of a team has a store and a person of its own

    def keep() -> None:
        nonlocal is_written
        if not is_written:
            is_written = True
            write_profile(profile)
        sandbox.keep()
        for each in (engine, *engines):
            each.start()

    def ended() -> None:
        for seconds in (0.0, ENGINE_END_SECONDS):  # all are told before one is waited for
            for each in (engine, *engines):
                each.stop(seconds)
        if team is not None:
            team.leave()
        sandbox.leave()

    make_interface = linear_interface(options.width, run_command) if options.linear else None
    return open_inbox(profile, settings, store, engine, ended, keep, make_interface)


def write_profile(profile: config_settings.Profile) -> None:
    """Let commands in other terminals find this demo."""
    from frontdesk.config.account_writer import save_profile

    try:
        save_profile(profile, path=profile_path())
    except (OSError, config_settings.ConfigError) as error:
        log.warning("commands can't use the demo: %s", error)


def with_saved_names(profile: config_settings.Profile) -> config_settings.Profile:
    """Return the profile with the names of lines, people, statuses and tags that an earlier run saved."""
    try:
        saved = config_settings.load_config(profile_path()).profiles.get(profile.name)
    except config_settings.ConfigError as error:
        log.warning("the demo starts with its own names: %s", error)
        saved = None
    if saved is None:
        return profile
    return replace(profile, lines=saved.lines, agents=saved.agents, statuses=saved.statuses, tags=saved.tags)
