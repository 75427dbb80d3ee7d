"""The subcommands, and how whatever goes wrong in them is told."""

import os
import sys
import traceback
import warnings
from contextlib import contextmanager
from importlib import import_module

import click

from largemargin.cli import INTERRUPTED
from largemargin.numerics.memory import TooLarge

# Each is loaded when it is asked for, and loads what it needs when it runs.
COMMANDS = {
    "train": "largemargin.cli.train",
    "predict": "largemargin.cli.predict",
    "evaluate": "largemargin.cli.evaluate",
    "compare": "largemargin.cli.compare",
    "margins": "largemargin.cli.margins",
    "info": "largemargin.cli.info",
    "export": "largemargin.cli.export",
    "warm-up": "largemargin.cli.warm_up",
}
SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 92}
# What bad input, a missing library or a full machine raise here and in other libraries.
FAILURES = ValueError, TypeError, OSError, ImportError, MemoryError, RuntimeError


class Failure(click.ClickException):
    """What ends a command: one sentence, and the code of the process."""

    def __init__(self, sentence, exit_code=1):
        super().__init__(sentence)
        self.exit_code = exit_code

    def show(self, file=None):
        """Tell it on standard error."""
        click.echo(f"largemargin: {self.message}", file=file, err=True)


class ErrorReport:
    """Part of a command: whatever it raises is reported in one sentence."""

    def invoke(self, context):
        """Run the command; whatever it raises becomes a sentence."""
        try:
            with told_warnings():
                super().invoke(context)
            if sys.stdout is not None:
                sys.stdout.flush()  # of a full disk it is not too late to tell here
        except (Failure, click.UsageError, click.exceptions.Exit, BrokenPipeError):
            raise  # click tells the first; of the last, whoever reads has had enough
        except click.ClickException as error:
            raise Failure(error.message) from error
        except KeyboardInterrupt:
            raise Failure("Interrupted.", INTERRUPTED) from None
        except Exception as error:
            if os.environ.get("LARGEMARGIN_DEBUG"):
                click.echo(traceback.format_exc(), err=True, nl=False)
            told = sentence if isinstance(error, FAILURES) else fault
            raise Failure(told(error)) from error


class ReportingCommand(ErrorReport, click.Command):
    """A command that reports errors in one sentence."""


class ReportingGroup(ErrorReport, click.Group):
    """Subcommands that report errors in one sentence."""


class Commands(ReportingGroup):
    """Subcommands by the name of their module, whose ``main`` they are."""

    def list_commands(self, context):
        """Return the names, those of everyday use first."""
        return list(COMMANDS)

    def get_command(self, context, name):
        """Return a subcommand, or None if there is none of this name."""
        module = COMMANDS.get(name)
        return None if module is None else import_module(module).main


def sentence(error):
    """Return an error in one line.

    Examples
    --------
    >>> sentence(FileNotFoundError(2, "No such file or directory", "a.csv"))
    'a.csv: No such file or directory.'
    """
    if isinstance(error, OSError) and error.errno is not None:
        where = "" if error.filename is None else f"{error.filename}: "
        return f"{where}{error.strerror}."
    if isinstance(error, MemoryError) and not isinstance(error, TooLarge):
        reason = str(error) or "more was asked for than there is"
        short = f"There is not enough memory: {reason.rstrip('.')}."
        return f"{short} Use fewer rows or features."
    return " ".join(str(error).split())


def fault(error):
    """Return an error that nobody expected in one line."""
    return (
        "This is a fault of largemargin, not of your data: "
        f"{type(error).__name__}: {sentence(error).rstrip('.')}; please report it, with "
        "what the environment variable LARGEMARGIN_DEBUG=1 shows."
    )


@contextmanager
def told_warnings():
    """Tell the user's warnings in a line each, and leave out those for programmers."""

    def tell(message, category, *details):
        from largemargin.cli import terminal

        terminal.tell(f"largemargin: warning: {sentence(message)}")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = tell
        yield


def version(context, parameter, wanted):
    """Print the version and end."""
    if wanted and not context.resilient_parsing:
        from largemargin import __version__

        click.echo(f"largemargin {__version__}")
        context.exit()


@click.command(
    cls=Commands,
    context_settings=SETTINGS,
    epilog="Example: largemargin train heart.csv -o heart.model --cv",
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=version,
    help="Show the version.",
)
def command():
    """Large margin distribution machines, from files to predictions.

    Data are LIBSVM text, CSV, TSV, Parquet or NPZ, packed or not; "-" is standard input.
    """
