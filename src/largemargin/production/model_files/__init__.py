"""Model files: loading one runs no code in it, and an altered file is refused.

A file is one line, ``largemargin model <format> <sha256 of the rest>``, one line of JSON
with the versions that wrote it, and the model as skops writes it: an archive of arrays and
JSON, in which our classes have their public names, ``largemargin.LDMClassifier``.
The digest detects accidents, not forgeries. A forged file can use no more than the types in
``trust``, and ``contents`` checks what compiled code relies on.
"""

import hashlib
import json
import os
import platform
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from numbers import Real
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED

import numpy as np
import sklearn

import largemargin
from largemargin.numerics.extras import optional_module
from largemargin.production.files import replaced
from largemargin.production.model_files.archives import Unsound, checked_archive
from largemargin.production.model_files.contents import check_sound, parts_of
from largemargin.production.model_files.trust import ALIASES, names_trusted, public_names

__all__ = ["ModelFileError", "load", "read_header", "save"]
MAGIC = b"largemargin model"
FIRST_LINE = re.compile(MAGIC + rb"\s*(\d{1,9})\s+(\S+)\s*")
# Format 1 named classes by their modules.
FORMAT, READABLE = 2, (1, 2)
# Most of a small model is JSON, which any level compresses well; arrays hardly shrink.
COMPRESSION = {"compression": ZIP_DEFLATED, "compresslevel": 1}
# Earlier releases let a file call methods of the types that it may hold.
OLDEST_SKOPS = 0, 13


class ModelFileError(ValueError):
    """Raised if a model cannot be written to a file, or a file holds no sound model."""


def save(model, path: str | os.PathLike, *, trusted: Iterable[str | type] = ()) -> None:
    """Write a model to a file, whole or not at all.

    Parameters
    ----------
    model : estimator
        An estimator of this library, or a scikit-learn pipeline or search around one.
    path : str or path-like
        Name of the file; an existing one is replaced once the new one is complete.
    trusted : iterable of str or type, default=()
        Further types that the model may hold, such as ``"package.module.Class"``. ``load``
        needs them, too.
    """
    skops, trusted = safe_skops(), names_trusted(trusted)
    check_keys(model)
    try:
        payload = checked_archive(skops.io.dumps(model), public_names(), **COMPRESSION)
        checked_archive(payload, {})
        strange = untrusted(payload, trusted)
    except Exception as error:  # skops raises many kinds of errors
        raise ModelFileError(
            f"A model file cannot hold this {type(model).__name__}: {error}. Leave that "
            "part out, or use joblib.dump and trust whoever can write the file."
        ) from error
    if strange:
        raise ModelFileError(
            f"A model file holds no functions and no types it does not know; this "
            f"{type(model).__name__} holds {', '.join(strange)}. Use a kernel or scorer "
            "by its name, pass trusted= here and to load if you know the types to be "
            "harmless, or use joblib.dump."
        )
    header = {
        "model": type(model).__name__,
        "saved": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": {
            "largemargin": largemargin.__version__,
            "scikit-learn": sklearn.__version__,
            "numpy": np.__version__,
            "skops": skops.__version__,
            "python": platform.python_version(),
        },
    }
    rest = json.dumps(header).encode() + b"\n" + payload
    with replaced(path) as stream:
        stream.write(b"%s %d %s\n" % (MAGIC, FORMAT, digest(rest)))
        stream.write(rest)


def load(path: str | os.PathLike, *, trusted: Iterable[str | type] = ()) -> Any:
    """Return the model in a file, without running any code that the file names.

    Parameters
    ----------
    path : str or path-like
        A file written by ``save``.
    trusted : iterable of str or type, default=()
        Further types that the model may hold. Setting their attributes may run their code:
        name only types that you know.

    Returns
    -------
    model : estimator
        The model as it was saved.

    Raises
    ------
    ModelFileError
        If the file is no model file, was cut short or altered, has another format, or holds
        types that are not trusted.
    """
    skops, trusted = safe_skops(), names_trusted(trusted)
    header, payload = read(path)
    try:
        payload = checked_archive(payload, ALIASES)
        model = skops.io.loads(payload, trusted=list(trusted))
        check_sound(model)
    except Unsound as error:
        raise forged(path, error) from error
    except skops.io.exceptions.UntrustedTypesFoundException as error:
        raise ModelFileError(
            f"{path} holds types that are not trusted: "
            f"{', '.join(untrusted(payload, trusted))}. If you know where the file comes "
            "from and these types to be harmless, pass trusted= with their names."
        ) from error
    except Exception as error:  # for instance other versions of the libraries
        versions = ", ".join(f"{name} {one}" for name, one in header["versions"].items())
        raise ModelFileError(
            f"{path} is unharmed but cannot be loaded here: {error}. It was written by "
            f"{versions}; install these versions."
        ) from error
    return model


def read_header(path: str | os.PathLike) -> dict[str, Any]:
    """Return the header of a model file: what it holds, and what wrote it.

    Parameters
    ----------
    path : str or path-like
        A file written by ``save``.

    Returns
    -------
    header : dict
        ``model``, the name of the class; ``saved``, when; ``versions`` of what wrote it.
    """
    return read(path)[0]


def read(path):
    """Return the header and the payload of a file that is as it was written."""
    line, _, rest = Path(path).read_bytes().partition(b"\n")
    found = FIRST_LINE.fullmatch(line)
    if not found:
        raise ModelFileError(
            f"{path} is not a model file of largemargin: its first line should be "
            f"'{MAGIC.decode()} <format> <digest>'."
        )
    number = int(found[1])
    if number not in READABLE:
        way_out = (
            "Install a later release."
            if number > FORMAT
            else "Load it with the release that wrote it, and save it with this one."
        )
        raise ModelFileError(
            f"{path} is a model file of format {number}; this largemargin "
            f"{largemargin.__version__} reads formats up to {FORMAT}. {way_out}"
        )
    if digest(rest) != found[2]:
        raise ModelFileError(
            f"{path} was cut short or altered after it was written: its contents do not "
            "have the digest in its first line. Copy or save it again."
        )
    line, _, payload = rest.partition(b"\n")
    try:
        header = json.loads(line)
        texts = header["model"], header["saved"], *header["versions"].values()
        if all(isinstance(text, str) for text in texts):
            return header, payload
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        pass
    raise forged(
        path,
        "its second line should be JSON with the model, when it was saved, and the "
        "versions of what wrote it",
    )


def forged(path, reason):
    """Return the error for a right digest of contents that ``save`` does not write."""
    return ModelFileError(
        f"{path} was altered on purpose, for its digest is right: {reason}. Do not use it; "
        "get the model from whoever trained it."
    )


def untrusted(payload, trusted):
    """Return the names of all types in a payload that are not trusted."""
    return sorted(set(safe_skops().io.get_untrusted_types(data=payload)) - trusted)


def check_keys(model):
    """Raise if a model holds a dict whose keys would be loaded as other keys.

    skops stores keys as text and calls their types on it; ``bool`` of any text is true.
    """
    for part in parts_of(model):
        if not isinstance(part, dict):
            continue
        strange = [
            key for key in part if isinstance(key, bool) or not isinstance(key, str | Real)
        ]
        if strange or len(set(map(str, part))) < len(part):
            raise ModelFileError(
                "A model file keeps keys of dicts as text, so they must be words or "
                f"numbers, no two with the same text; this {type(model).__name__} holds "
                f"a dict with the keys {list(part)}. For False and True write 0 and 1, "
                "which are equal to them, or use joblib.dump."
            )


def digest(contents):
    """Return the SHA-256 of some bytes, in hexadecimal digits."""
    return hashlib.sha256(contents).hexdigest().encode()


def safe_skops():
    """Return skops with its module ``io``, if its release is safe."""
    optional_module("skops.io", "Model files", extra="cli")
    import skops

    if tuple(map(int, skops.__version__.split(".")[:2])) < OLDEST_SKOPS:
        raise ImportError(
            f"Model files need skops 0.13 or later; found {skops.__version__}, with which "
            "a forged file can run code. pip install --upgrade 'largemargin[cli]'."
        )
    return skops
