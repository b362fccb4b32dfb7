"""The program in a tab's terminal: `python -m frontdesk.app.web_child ARGUMENTS`, started by `terminal.py`.

It first makes the terminal its own, so that closing it ends the program as closing a terminal's window does.
"""

import fcntl
import signal
import sys
import termios

from frontdesk.cli.main import main

if __name__ == "__main__":
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # a server that was started with nohup ignores it
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    sys.argv[0] = "frontdesk"
    main()
