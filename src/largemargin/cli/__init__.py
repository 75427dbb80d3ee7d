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
    """Run a command and end the process with its exit code."""
    for stream in sys.stdout, sys.stderr:
        if stream is not None:
            # A character that the terminal cannot show is no reason to fail.
            stream.reconfigure(errors="backslashreplace")
    try:
        command(prog_name=name)
    except OSError as error:  # such as a full disk while a help text is written
        sys.exit(f"largemargin: {error.strerror}.")
    finally:
        drop_unwritten()
        if is_work_left():  # waiting for it may take minutes
            os._exit(INTERRUPTED)


def drop_unwritten():
    """Drop output that could not be written: Python would report the error once more."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
