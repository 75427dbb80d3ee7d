"""The command ``largemargin``."""

import sys

INTERRUPTED = 130


def main():
    """Run the command, and end the process with a code that tells how it went."""
    try:
        from largemargin.cli.group import command
    except ImportError as error:
        if error.name != "click":
            raise
        sys.exit("largemargin: The command needs click: pip install 'largemargin[cli]'.")
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    command(prog_name="largemargin")
