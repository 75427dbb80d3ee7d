"""The subcommands, and how their errors and warnings are reported."""

import os
import re
import sys
import traceback
import warnings
from importlib import import_module

import click

from largemargin import __version__
from largemargin.cli import INTERRUPTED
from largemargin.numerics.memory import TooLarge

# Each is loaded when it is asked for, and loads what it needs when it runs.
COMMANDS = "train", "predict", "evaluate", "compare", "margins", "info", "export", "warm-up"
SETTINGS = {
    "help_option_names": ["-h", "--help"],
    "max_content_width": 92,
    "show_default": True,
}
# Raised here and in other libraries for bad input, a missing library or too little memory.
FAILURES = ValueError, TypeError, OSError, ImportError, MemoryError, RuntimeError


class Failure(click.ClickException):
    """An error that ends a command: one sentence, and the exit code."""

    def __init__(self, sentence, exit_code=1):
        super().__init__(sentence)
        self.exit_code = exit_code

    def show(self, file=None):
        """Print it on standard error."""
        click.echo(f"largemargin: {self.message}", file=file, err=True)


class ErrorReport:
    """Mixin for commands: whatever they raise is reported in one sentence."""

    def invoke(self, context):
        """Run the command and turn whatever it raises into a Failure."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # such as deprecations
                warnings.simplefilter("always", UserWarning)
                warnings.showwarning = show_warning
                super().invoke(context)
            if sys.stdout is not None:
                sys.stdout.flush()  # a full disk can still be reported here
        except (Failure, click.UsageError, click.exceptions.Exit, BrokenPipeError):
            raise  # click shows the first two; a broken pipe means nobody reads any more
        except click.ClickException as error:
            raise Failure(error.message) from error
        except KeyboardInterrupt:
            raise Failure("Interrupted.", INTERRUPTED) from None
        except Exception as error:
            if os.environ.get("LARGEMARGIN_DEBUG"):
                click.echo(traceback.format_exc(), err=True, nl=False)
            if isinstance(error, FAILURES):
                raise Failure(sentence(error)) from error
            raise Failure(
                "This is a bug in largemargin, not an error in your data: "
                f"{type(error).__name__}: {sentence(error).rstrip('.')}; please report it, "
                "with what the environment variable LARGEMARGIN_DEBUG=1 shows."
            ) from error


def show_warning(message, category, *details):
    """Print a warning in one line on standard error, unless that is closed."""
    if sys.stderr is not None:
        # No option of a command sets warm_start.
        text = re.sub("; with warm_start=True[^.]*", "", sentence(message))
        # While a bar is drawn, sys.stderr is rich's, which prints above it.
        print(f"largemargin: warning: {text}", file=sys.stderr)


class ReportingCommand(ErrorReport, click.Command):
    """A command that reports errors in one sentence."""


class ReportingGroup(ErrorReport, click.Group):
    """Subcommands that report errors in one sentence."""


class Commands(ReportingGroup):
    """Subcommands, each the ``main`` of a module of its name."""

    def list_commands(self, context):
        """Return the names, the most used first."""
        return COMMANDS

    def get_command(self, context, name):
        """Return a subcommand, or None if there is none of this name."""
        if name not in COMMANDS:
            return None
        return import_module(f"largemargin.cli.{name.replace('-', '_')}").main


def sentence(error):
    """Return an error in one line, such as 'a.csv: No such file or directory.'."""
    if isinstance(error, OSError) and error.errno is not None:
        where = "" if error.filename is None else f"{error.filename}: "
        return f"{where}{error.strerror}."
    if isinstance(error, MemoryError) and not isinstance(error, TooLarge):
        reason = str(error) or "more was asked for than there is"
        short = f"There is not enough memory: {reason.rstrip('.')}."
        return f"{short} Use fewer rows or features."
    return " ".join(str(error).split())


@click.command(
    cls=Commands,
    context_settings=SETTINGS,
    epilog="Example: largemargin train heart.csv -o heart.model --cv",
)
@click.version_option(
    __version__,
    prog_name="largemargin",
    message="%(prog)s %(version)s",
    help="Show the version and exit.",
)
def command():
    """Train, use and compare large margin distribution machines.

    Data files are LIBSVM text, CSV, TSV, Parquet or NPZ, and may be compressed; '-' is
    standard input.
    """
