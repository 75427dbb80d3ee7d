"""Modules of optional dependencies."""

from importlib import import_module


def optional_module(name: str, user: str, extra: str):
    """Return a module, or raise an ImportError that names the extra to install.

    ``user`` says who needs it, in the plural, such as "Displays".
    """
    try:
        return import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        raise ImportError(
            f"{user} need {package}: pip install 'largemargin[{extra}]'."
        ) from error
