"""Models in files: nothing runs on loading, and what was altered is not read.

A file is one line, ``largemargin model <format> <sha256 of the rest>``, one line of JSON
that tells what wrote it, and the model as skops writes it: an archive of arrays and JSON,
in which our classes have their public names, ``largemargin.LDMClassifier``.
The digest finds accidents, not forgers. Those get no further than the types in
``trust``, and what compiled code would take on trust is checked in ``contents``.
"""

import hashlib
import json
import sys
from datetime import UTC, datetime
from numbers import Real
from pathlib import Path
from zipfile import ZIP_DEFLATED

import numpy as np
import sklearn

import largemargin
from largemargin.production.files import replaced
from largemargin.production.model_files.archives import Unsound, checked_archive
from largemargin.production.model_files.contents import check_sound, parts_of
from largemargin.production.model_files.trust import ALIASES, names_trusted, public_names

MAGIC = b"largemargin model"
# The first format named classes by the modules they were in.
FORMAT, READABLE = 2, (1, 2)
# Most of a small model is JSON, which shrinks at once; arrays hardly do however long.
COMPRESSION = {"compression": ZIP_DEFLATED, "compresslevel": 1}
# Earlier ones let a file call methods of the types it may hold.
OLDEST_SKOPS = 0, 13
# A format number has no more digits than this.
MAX_DIGITS = 9


class ModelFileError(ValueError):
    """A model that cannot be written to a file, or a file that holds none to read."""


def save(model, path, *, trusted=()):
    """Write a model to a file, whole or not at all.

    Parameters
    ----------
    model : estimator
        A classifier of this library, or a scikit-learn pipeline or search around one.

    path : str or path-like
        Where to; a file of this name is replaced once the new one is complete.

    trusted : iterable of str or type, default=()
        Further types the model may hold, such as ``"package.module.Class"``. ``load``
        must be given them, too.
    """
    io, trusted = skops_io(), names_trusted(trusted)
    check_keys(model)
    try:
        payload = checked_archive(io.dumps(model), public_names(), **COMPRESSION)
        checked_archive(payload, {})
        strange = untrusted(payload, trusted)
    except Exception as error:  # skops tells in many ways that it cannot
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
    rest = json.dumps(header_of(model)).encode() + b"\n" + payload
    with replaced(Path(path)) as stream:
        stream.write(b"%s %d %s\n" % (MAGIC, FORMAT, digest(rest)))
        stream.write(rest)


def load(path, *, trusted=()):
    """Return the model in a file, without running anything the file says.

    Parameters
    ----------
    path : str or path-like
        A file written by ``save``.

    trusted : iterable of str or type, default=()
        Further types the model may hold. Whatever such a type does when its attributes
        are set happens here: name only types you know.

    Returns
    -------
    model : estimator
        As it was saved.

    Raises
    ------
    ModelFileError
        If the file is none of ours, cut short or altered, written in another format, or
        holds types that are not trusted.
    """
    io, trusted = skops_io(), names_trusted(trusted)
    header, payload = read(path)
    try:
        payload = checked_archive(payload, ALIASES)
        model = io.loads(payload, trusted=list(trusted))
        check_sound(model)
    except Unsound as error:
        raise ModelFileError(
            f"{path} was altered on purpose, for its digest is right: {error}. Do not use "
            "it; get the model from whoever trained it."
        ) from error
    except io.exceptions.UntrustedTypesFoundException as error:
        raise ModelFileError(
            f"{path} holds types that are not trusted: "
            f"{', '.join(untrusted(payload, trusted))}. If you know where the file comes "
            "from and these types to be harmless, pass trusted= with their names."
        ) from error
    except Exception as error:  # whatever other versions of the libraries stumble over
        versions = ", ".join(f"{name} {one}" for name, one in header["versions"].items())
        raise ModelFileError(
            f"{path} is unharmed but cannot be loaded here: {error}. It was written by "
            f"{versions}; install these versions."
        ) from error
    return model


def read_header(path):
    """Return what a model file says about itself.

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
    words = line.removeprefix(MAGIC).split()
    if not (line.startswith(MAGIC) and len(words) == 2 and is_number(words[0])):
        raise ModelFileError(
            f"{path} is not a model file of largemargin: its first line should be "
            f"'{MAGIC.decode()} <format> <digest>'."
        )
    check_format(path, int(words[0]))
    if digest(rest) != words[1]:
        raise ModelFileError(
            f"{path} was cut short or altered after it was written: its contents do not "
            "have the digest in its first line. Copy or save it again."
        )
    header, _, payload = rest.partition(b"\n")
    return header_in(path, header), payload


def is_number(word):
    """Return whether a word is a number such as a format has."""
    return word.isdigit() and len(word) <= MAX_DIGITS


def check_format(path, number):
    """Raise if a file has a format that this release does not read."""
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


def header_in(path, line):
    """Return what the second line of a file says, or raise if that is no header."""
    try:
        header = json.loads(line)
        texts = header["model"], header["saved"], *header["versions"].values()
        if all(isinstance(text, str) for text in texts):
            return header
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        pass
    raise ModelFileError(
        f"{path} was altered on purpose, for its digest is right: its second line should "
        "be JSON with the model, when it was saved, and the versions of what wrote it. Do "
        "not use it; get the model from whoever trained it."
    )


def header_of(model):
    """Return what a file tells about the model and what wrote it."""
    import skops

    return {
        "model": type(model).__name__,
        "saved": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": {
            "largemargin": largemargin.__version__,
            "scikit-learn": sklearn.__version__,
            "numpy": np.__version__,
            "skops": skops.__version__,
            "python": ".".join(map(str, sys.version_info[:3])),
        },
    }


def untrusted(payload, trusted):
    """Return the names of all types in a payload that are not trusted."""
    return sorted(set(skops_io().get_untrusted_types(data=payload)) - trusted)


def check_keys(model):
    """Raise if a model holds a dict whose keys would not come back.

    They are kept as text and made by their types again; any text is true to ``bool``.
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


def skops_io():
    """Return the module of skops that reads and writes."""
    try:
        import skops.io
    except ImportError:
        raise ImportError(
            "Model files need skops: pip install 'largemargin[cli]'."
        ) from None
    if tuple(map(int, skops.__version__.split(".")[:2])) < OLDEST_SKOPS:
        raise ImportError(
            f"Model files need skops 0.13 or later; found {skops.__version__}, with which "
            "a forged file can run code. pip install --upgrade 'largemargin[cli]'."
        )
    return skops.io


__all__ = ["ModelFileError", "load", "read_header", "save"]
