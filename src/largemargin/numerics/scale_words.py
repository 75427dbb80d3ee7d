"""Parameters that follow the data: the word "scale" and its multiples."""

import re

MULTIPLE = re.compile(r"(?:([^*\s]+)\s*\*\s*)?scale")


def multiple_of_scale(value, name):
    """Return the factor in "scale" or "0.3*scale", or None for what is no such word."""
    if not isinstance(value, str):
        return None
    matched = MULTIPLE.fullmatch(value.strip())
    try:
        factor = float((matched[1] or 1.0) if matched else "")
    except ValueError:
        factor = -1.0
    if not 0 <= factor < float("inf"):
        raise ValueError(
            f"{name} must be a number, 'scale' or a multiple of it such as '0.3*scale'; "
            f"got {value!r}."
        )
    return factor
