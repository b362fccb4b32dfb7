"""Commands about frontdesk itself: help, news, the connection, refresh, profiles, leaving."""

from frontdesk.config.settings import ConfigError
from frontdesk.inbox.linear.notifications import Announce
from frontdesk.linear.parsing import NotUnderstood, find_name, one_of
from frontdesk.linear.session import Session
from frontdesk.sync import status_view
from frontdesk.text.display_text import show_line, trusted
from frontdesk.text.name_lookup import NoSuchName, find_named
from frontdesk.text.spoken_time import counted, moment

WAIT_SECONDS = 30.0
LONGEST_WAIT = 3_600.0


def help_on(session: Session, words: str) -> None:
    """`help`: all commands, or all of one."""
    if words:
        name = find_name(words.split()[0], (each for command in session.commands for each in command.names))
        command = next(each for each in session.commands if name in each.names)
        others = f" Also: {', '.join(command.aliases)}." if command.aliases else ""
        session.say(f"{command.usage}: {command.help}.{others}", *command.more)
        return
    session.say("Commands. A number means a line of the list last printed; help COMMAND says more.")
    group = ""
    for command in session.commands:
        if command.group != group:
            group = command.group
            session.say(f"{group}:")
        session.say(f"{command.usage}: {command.help}.")


def leave(session: Session, words: str) -> None:  # noqa: ARG001
    """`quit`: leave; says what is not sent yet."""
    say_unsent(session)
    session.is_over = True


def say_unsent(session: Session) -> None:
    """Say what the platform has not confirmed yet, and that it is kept."""
    unsent, undecided = session.queries.unsent(), session.queries.undecided()
    if unsent:
        are = "is" if unsent == 1 else "are"
        session.say(
            f"{counted(unsent, 'change')} {are} not confirmed yet. Nothing is lost: "
            "it is sent in the background, or when frontdesk runs next."
        )
    if undecided:
        session.say(f"{counted(undecided, 'change')} to decide; the command activity lists them.")


def news(session: Session, words: str) -> None:  # noqa: ARG001
    """`news`: what happened and was not said yet."""
    lines = session.news.take(everything=True)
    session.say(*(lines or [trusted("No news.")]))


def announce(session: Session, words: str) -> None:
    """`announce`: when news is said: now, at the prompt, or off."""
    if words:
        session.news.announce = Announce(one_of(words, [str(each) for each in Announce]))
    says = {
        Announce.NOW: "News is said at once.",
        Announce.PROMPT: "News is said before the next prompt.",
        Announce.OFF: "News is kept; the command news says it.",
    }
    session.say(says[session.news.announce])


def say_beginning(session: Session) -> None:
    """Say what is known from before, while the engine starts."""
    health, now = session.queries.health(), session.services.clock()
    session.news.say_health(status_view.sentence(health, now, session.zone))
    known = counted(session.queries.conversation_count(), "conversation")
    age = "" if health.fresh_at is None else f", as of {moment(health.fresh_at, now, session.zone)}"
    session.say(f"Connecting. {known} known{age}.")
    say_unsent(session)


def update_connection(session: Session, words: str = "") -> None:
    """`connection`: how it stands with the platform, and what is not sent."""
    health, now = session.queries.health(), session.services.clock()
    words = status_view.sentence(health, now, session.zone)
    session.news.say_health(words)
    age = "" if health.fresh_at is None else f" What is shown is of {moment(health.fresh_at, now, session.zone)}."
    known = counted(session.queries.conversation_count(), "conversation")
    session.say(f"Connection: {words}.{age} {known} known.")
    say_unsent(session)


def refresh(session: Session, words: str) -> None:
    """`refresh`: read the open conversation again now; `refresh all` everything."""
    target = "" if words.lower() == "all" else session.conversation_id or ""
    session.wait_for(session.services.ask_refresh(target))
    session.say("Reading everything again." if not target else "Reading this conversation again.")


def refresh_all(session: Session, words: str) -> None:  # noqa: ARG001
    """`R`: read everything again now."""
    refresh(session, "all")


def pause(session: Session, words: str) -> None:  # noqa: ARG001
    """`pause`: stop polling, or go on."""
    session.is_paused = not session.is_paused
    session.report_focus_soon()
    session.say("Polling is paused; pause again resumes it." if session.is_paused else "Polling again.")


def wait(session: Session, words: str) -> None:
    """`wait`: until everything was read once and what was done is confirmed, or needs a decision."""
    seconds = min(LONGEST_WAIT, float(words)) if words.isdecimal() and len(words) < 9 else WAIT_SECONDS
    if words and not words.isdecimal():
        raise NotUnderstood("Write: wait, or wait SECONDS.")

    def is_settled() -> bool:
        return session.queries.health().fresh_at is not None and not session.queries.unsent()

    try:
        came = session.news.wait(is_settled, seconds)
    except KeyboardInterrupt:
        came = False
    if came:
        session.say(
            "Everything is confirmed or decided." if not session.queries.undecided() else "Nothing is on its way."
        )
    else:
        update_connection(session)


def profile(session: Session, words: str) -> None:
    """`profile`: which there are; with a name, open that one."""
    here = session.services.profile.name
    try:
        others = {name: host for name, host in session.profiles().items() if name != here}
    except ConfigError as error:
        raise NotUnderstood(show_line(str(error), 300).text) from error
    if not words:
        session.say(trusted(f"This is {show_line(here, 40).text}."))
        for name, host in others.items():
            session.say(trusted(f"Also configured: {show_line(name, 40).text}, on {show_line(host, 80).text}."))
        if not others:
            session.say("No other profile is configured; frontdesk login NAME adds one.")
        return
    try:
        session.next_profile = find_named(words, {name: name for name in others}, "other profile")
    except NoSuchName as error:
        raise NotUnderstood(f"{str(error)[:1].upper()}{str(error)[1:]}.") from error
    say_unsent(session)
    session.is_over = True
