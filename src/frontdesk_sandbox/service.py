"""Serve the sandbox in the foreground on uvicorn, with one background task that advances the platform."""

import asyncio
import contextlib
import logging
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator

import uvicorn

from frontdesk_sandbox.application import Application
from frontdesk_sandbox.connections import CuttableProtocol, close_all
from frontdesk_sandbox.options import SandboxCannotStart, SandboxOptions
from frontdesk_sandbox.world import World, open_world, step

STEP_SECONDS = 0.25
SAVE_EVERY_STEPS = 20
SMALL_BATCH = 5
"""Events done at once while requests are served: one takes about a millisecond, and a request waits for them."""

LOOP_TURNS_BETWEEN_BATCHES = 8

_log = logging.getLogger(__name__)


def run(options: SandboxOptions, announce: Callable[[str], None], stop: threading.Event | None = None) -> None:
    """Serve until SIGINT, SIGTERM or `stop`; `announce` is called with the URL when the service can be used.

    Raises:
        SandboxCannotStart: the address or the data folder can't be used.
    """
    listening = _listen(options)
    try:
        world = open_world(options)
    except BaseException:
        listening.close()
        raise
    try:
        asyncio.run(_serve(world, listening, announce, stop))
    finally:
        world.close()
        listening.close()


class _Server(uvicorn.Server):
    """uvicorn without its signal handling, which ends the process by the signal instead of cleanly."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        loop = asyncio.get_running_loop()
        for name in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(name, self.end)
        try:
            yield
        finally:
            for name in (signal.SIGINT, signal.SIGTERM):
                loop.remove_signal_handler(name)

    def end(self) -> None:
        """Stop now, without waiting for open requests."""
        self.should_exit = True
        self.force_exit = True
        close_all()


async def _serve(
    world: World, listening: socket.socket, announce: Callable[[str], None], stop: threading.Event | None
) -> None:
    config = uvicorn.Config(
        Application(world),
        http=CuttableProtocol,
        ws="none",
        lifespan="off",
        loop="asyncio",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=1,
    )
    # Don't log connections that are closed early; faults of the sandbox are logged by `Application`.
    logging.getLogger("uvicorn").setLevel(logging.CRITICAL)
    server = _Server(config)
    serving = asyncio.create_task(server.serve(sockets=[listening]))
    while not server.started and not serving.done():  # noqa: ASYNC110 - uvicorn has a flag, not an event
        await asyncio.sleep(0.005)
    if not serving.done():
        announce(_url(listening, world.options.host))
    background = asyncio.create_task(run_background(world))
    try:
        while not serving.done():
            if stop is not None and stop.is_set():
                server.end()
            await asyncio.wait({serving}, timeout=0.1 if stop is not None else None)
        await serving
    finally:
        background.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await background


async def run_background(world: World) -> None:
    steps = 0
    while True:
        is_behind = False
        try:
            if world.options.crowd:
                is_behind = step(world, SMALL_BATCH)
            steps += 1
            if steps % SAVE_EVERY_STEPS == 0:
                world.save_time()
        except Exception:
            # Broad on purpose: a step runs the whole simulated platform, so its faults are of any type. It was
            # rolled back; the log has the traceback, and the service goes on answering requests.
            _log.exception("couldn't advance the simulated platform")
        if not is_behind:
            await asyncio.sleep(STEP_SECONDS)
            continue
        # Between two batches a request that has come goes all its way, which takes a few turns.
        for _ in range(LOOP_TURNS_BETWEEN_BATCHES):
            await asyncio.sleep(0)


def _listen(options: SandboxOptions) -> socket.socket:
    if options.listen_fd is not None:
        try:
            return socket.socket(fileno=options.listen_fd)
        except OSError as error:
            raise SandboxCannotStart(f"descriptor {options.listen_fd} isn't a socket: {error.strerror}") from error
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    # asyncio turns Nagle's algorithm off only for sockets that are called TCP; else each answer on a
    # kept connection waits 40 ms for the client's acknowledgement.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((options.host, options.port))
        listening.listen(512)
    except (OSError, OverflowError) as error:
        listening.close()
        reason = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else str(error)
        raise SandboxCannotStart(
            f"can't listen on {options.host} port {options.port}: {reason}; to use a free one, add --port 0"
        ) from error
    return listening


def _url(listening: socket.socket, host: str) -> str:
    port = listening.getsockname()[1]
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}"
