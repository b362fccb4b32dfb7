"""From one profile to another in one run: what is opened, what is left, and what is said where it fails."""

import io
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest

from frontdesk.accounts.profile_switcher import CannotOpen, OpenProfile, ProfileSwitcher
from frontdesk.app import run_tui
from frontdesk.config import credentials
from frontdesk.config import settings as config_settings
from frontdesk.config.account_writer import save_profile
from frontdesk.engine.supervisor import EngineProcess
from frontdesk.linear import app as app
from frontdesk.linear.console import Console
from frontdesk.linear.session import SessionServices
from frontdesk.outbox import queue
from frontdesk.outbox.commands import OutboxCommands
from frontdesk.registry.keymap import KEYMAP
from frontdesk.storage.database import ProfileStore, Store
from frontdesk.storage.records import ChangeKind, Made
from frontdesk_api.credentials import CredentialSet, Secret
from frontdesk_lines.display_text import SafeText
from services import Services

URL = "https://{}.example.com"
ACCOUNT = {
    "FRONTDESK_BASE_URL": "https://env.example.com",
    "FRONTDESK_COOKIE": "token=env",
    "FRONTDESK_API_KEY": "env-key",
    "FRONTDESK_AGENT_ID": "env-agent",
    "FRONTDESK_PROFILE": "acme",
    "HOME": "/home/noa",
}


class Engine:
    """Counts how often it was told to end."""

    def __init__(self) -> None:
        self.stopped: list[float] = []

    def start(self) -> None: ...

    def process_id(self) -> int:
        return 7

    def is_being_replaced(self) -> bool:
        return False

    def stop(self, seconds: float = 0.0) -> None:
        self.stopped.append(seconds)


class App:
    """Screens on which the person does one thing: leave, or go to another profile."""

    def __init__(self, place: OpenProfile, says: list[str]) -> None:
        self.place, self.says = place, says
        self.next_profile: str | None = None
        self.must_reopen = False
        self.return_code = 0
        self.engine_process: Callable[[], int] | None = None
        self.store: Any = None
        self.keymap: Any = None

    def run(self) -> None: ...


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, folder in (("CONFIG", "config"), ("DATA", "data"), ("STATE", "state")):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / folder))
    for name in ("acme", "beta", "gamma"):
        hosts = config_settings.parse_hosts({"base_url": URL.format(name)})
        save_profile(config_settings.Profile(name, hosts))
    for name in ("acme", "beta"):
        secrets = CredentialSet(Secret(f"token={name}"), Secret(f"{name}-key"))
        credentials.save_credentials(config_settings.load_config().profiles[name], secrets)
    return tmp_path


@pytest.fixture
def engine() -> Engine:
    return Engine()


@pytest.fixture
def places(engine: Engine) -> ProfileSwitcher:
    profile = config_settings.load_config().profiles["acme"]
    first = OpenProfile(profile, config_settings.data_dir(profile), engine, engine.start)  # type: ignore[arg-type]
    return ProfileSwitcher(first, ACCOUNT)


@pytest.fixture
def stay(places: ProfileSwitcher, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[App]]:
    """Runs through places by what the person does in each; answers the screens that were opened."""

    def through(*deeds: Callable[[App], None], **settings: Any) -> list[App]:
        opened: list[App] = []

        def screens(keymap: Any, place: OpenProfile, *rest: Any) -> App:
            app = App(place, [each.text for each in rest[-1]])
            app.store, app.keymap = rest[1], keymap
            app.engine_process = rest[1].engine_process
            deeds[len(opened)](app)
            opened.append(app)
            return app

        monkeypatch.setattr(run_tui, "make_screens", screens)
        status = run_tui.run_until_quit(places, config_settings.Settings(**settings))
        assert status == 0
        assert len(opened) == len(deeds)
        return opened

    return through


def go(name: str) -> Callable[[App], None]:
    def do(app: App) -> None:
        app.next_profile = name

    return do


def leave(_: App) -> None: ...


def damaged(app: App) -> None:
    app.must_reopen = True


def test_all_configured_profiles_are_offered_with_their_hosts(places: ProfileSwitcher) -> None:
    assert places.hosts() == {name: URL.format(name) for name in ("acme", "beta", "gamma")}


def test_the_environments_account_is_never_given_to_another_profile(places: ProfileSwitcher) -> None:
    there = places.find("beta")
    assert there.profile.hosts.base_url == URL.format("beta")
    assert there.profile.agent_id is None
    assert there.folder == config_settings.data_dir(config_settings.load_config().profiles["beta"])
    assert there.engine.environment == {"HOME": "/home/noa"}
    assert places.find("acme") is places.first


def test_the_screens_know_which_engine_is_their_own(stay: Callable[..., list[App]]) -> None:
    (app,) = stay(leave)
    assert app.engine_process is not None
    assert app.engine_process() == 7


@pytest.mark.slow
def test_an_engine_has_a_process_while_it_runs(tmp_path: Path) -> None:
    nowhere = {f"XDG_{name}_HOME": str(tmp_path / "nowhere") for name in ("CONFIG", "DATA", "STATE")}
    engine = EngineProcess(tmp_path / "store", nowhere)  # ends by itself: there is no profile
    assert engine.process_id() == 0
    engine.start()
    assert engine.process_id() > 0
    engine.stop(60)
    assert not engine.is_running
    assert engine.process_id() == 0


def test_a_profile_without_credentials_says_what_to_run(places: ProfileSwitcher) -> None:
    with pytest.raises(CannotOpen, match=r"it has no Cookie or x-api-key; run `frontdesk login gamma`"):
        places.find("gamma")
    with pytest.raises(CannotOpen, match="no profile named 'delta'"):
        places.find("delta")


def test_going_to_another_profile_leaves_the_first_ones_engine(
    stay: Callable[..., list[App]], engine: Engine
) -> None:
    first, second = stay(go("beta"), leave)
    assert (first.place.profile.name, second.place.profile.name) == ("acme", "beta")
    assert engine.stopped == [0.0]
    assert not second.says


def test_there_and_back_again(stay: Callable[..., list[App]]) -> None:
    apps = stay(go("beta"), go("acme"), go("beta"), leave)
    assert [app.place.profile.name for app in apps] == ["acme", "beta", "acme", "beta"]


def test_one_without_credentials_comes_back_and_says_why(stay: Callable[..., list[App]], engine: Engine) -> None:
    first, back = stay(go("gamma"), leave)
    assert back.place is first.place
    assert back.says == ["Couldn't open gamma: it has no Cookie or x-api-key; run `frontdesk login gamma`"]
    assert engine.stopped == [0.0], "only when the person left"


def test_one_whose_store_cannot_be_opened_comes_back_and_says_why(
    stay: Callable[..., list[App]], places: ProfileSwitcher, engine: Engine
) -> None:
    folder = places.find("beta").folder
    folder.parent.mkdir(parents=True)
    folder.write_text("no folder")
    first, back = stay(go("beta"), leave)
    assert back.place is first.place
    assert len(back.says) == 1
    assert back.says[0].startswith("Couldn't open beta: ")
    assert engine.stopped == [0.0]


def test_what_was_said_is_said_once(stay: Callable[..., list[App]]) -> None:
    _, back, _, again = stay(go("gamma"), go("beta"), go("acme"), leave)
    assert back.says
    assert not again.says


def test_without_the_names_of_emoji_it_says_what_to_install(
    stay: Callable[..., list[App]], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert stay(leave, emoji="text")[0].says == []
    monkeypatch.setattr(run_tui, "find_spec", lambda _: None)
    assert stay(leave)[0].says == []
    (said,) = stay(leave, emoji="text")[0].says
    assert said.startswith("Emoji are shown as signs: the package emoji isn't installed; install it with `")
    assert said.endswith("'frontdesk[emoji]'`.")


def test_a_damaged_store_is_opened_anew_in_the_place_where_one_is(stay: Callable[..., list[App]]) -> None:
    apps = stay(go("beta"), damaged, leave)
    assert [app.place.profile.name for app in apps] == ["acme", "beta", "beta"]


def test_a_first_store_that_cannot_be_opened_ends_with_why(
    places: ProfileSwitcher, capsys: pytest.CaptureFixture[str]
) -> None:
    places.first.folder.parent.mkdir(parents=True)
    places.first.folder.write_text("no folder")
    assert run_tui.run_until_quit(places, config_settings.Settings()) == 2
    assert capsys.readouterr().err.startswith("frontdesk: ")


def test_a_store_that_is_removed_while_it_is_open_loses_no_change(stay: Callable[..., list[App]]) -> None:
    """What was not sent is brought over into the store that is made anew."""

    def remove(app: App) -> None:
        def work() -> None:
            with Store(app.place.folder) as beside:
                beside.write(
                    lambda db: queue.add(
                        db,
                        Made("b", "Title", 1.0),
                        kind=ChangeKind.TASK,
                        target="t1",
                        fields={"title": "mine"},
                        base={},
                    )
                ).result()
            shutil.rmtree(app.place.folder)
            app.must_reopen = True

        app.run = work  # type: ignore[method-assign]

    _, second = stay(remove, leave)
    assert second.says == ["The store was removed or replaced. Changes carried over: 1."]
    with Store(second.place.folder) as store:
        assert [change.fields for change in queue.unsent(store.reading)] == [{"title": "mine"}]


def test_settings_that_were_changed_meanwhile_hold_for_the_next_profile(stay: Callable[..., list[App]]) -> None:
    def change(app: App) -> None:
        app.store.settings = replace(app.store.settings, theme="nord", keymap={"task.status": "B"})
        app.next_profile = "beta"

    first, second = stay(change, leave)
    assert first.keymap["task.status"].keys == ("s",)
    assert second.store.settings.theme == "nord"
    assert second.keymap["task.status"].keys == ("B",)


def test_the_linear_mode_goes_to_another_profile_and_reads_on_from_the_same_input(places: ProfileSwitcher) -> None:
    said = io.StringIO()
    console = Console(io.StringIO("profile gam\nprofile bet\nprofile\nquit\n"), said)

    def open_on(
        place: OpenProfile,
        places: ProfileSwitcher,
        store: ProfileStore,
        outbox: OutboxCommands,
        warnings: Sequence[SafeText],
    ) -> app.LinearApp:
        return app.LinearApp(SessionServices(store, outbox, console, UTC, len, places.hosts), None, warnings)

    assert run_tui.run_until_quit(places, config_settings.Settings(), open_on) == 0
    lines = said.getvalue().splitlines()
    begun = [line.partition("profile ")[2].partition(".")[0] for line in lines if "linear mode" in line]
    assert begun == ["acme", "acme", "beta"]
    assert any("Couldn't open gamma: it has no" in line for line in lines)
    assert "Current profile: beta." in lines


@pytest.mark.parametrize("given", [{}, {"FRONTDESK_BEARER": "one"}])
def test_a_screen_knows_whether_a_webhook_can_be_deleted_with_what_its_engine_is_given(
    tmp_path: Path, given: dict[str, str]
) -> None:
    profile = config_settings.load_config().profiles["acme"]
    place = OpenProfile(profile, tmp_path, EngineProcess(tmp_path, given), lambda: None)
    with Store(tmp_path) as store:
        services = Services(store, profile)
        shown = run_tui.make_screens(
            KEYMAP, place, ProfileSwitcher(place, given), services.store, services.outbox, []
        )
        assert shown.app_context.has_bearer() is bool(given)
