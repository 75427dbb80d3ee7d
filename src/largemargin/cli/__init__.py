"""The command ``largemargin``."""

import os
import sys

from largemargin.numerics.interrupt import is_work_left

INTERRUPTED = 130


def main():
    """Run the command ``largemargin``."""
    try:
        from largemargin.cli.group import command
    except ImportError as error:
        if error.name != "click":
            raise
        sys.exit("largemargin: The command needs click: pip install 'largemargin[cli]'.")
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    run(command, "largemargin")


def run(command, name):
    """Run a command, and end the process with a code that tells how it went."""
    for stream in sys.stdout, sys.stderr:
        if stream is not None:
            # A name that the terminal cannot show is no reason to fail.
            stream.reconfigure(errors="backslashreplace")
    try:
        command(prog_name=name)
    except OSError as error:  # a help text that the disk has no room for
        sys.exit(f"largemargin: {error.strerror}.")
    finally:
        drop_unwritten()
        if is_work_left():  # which may take minutes and is of no use
            os._exit(INTERRUPTED)


def drop_unwritten():
    """Forget what standard output did not take: Python would complain of it once more."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
