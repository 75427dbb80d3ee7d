"""Models in files: nothing runs on loading, and what was altered is not read.

A file is one line, ``largemargin model <format> <sha256 of the rest>``, one line of JSON
that tells what wrote it, and the model as skops writes it: an archive of arrays and JSON.
The digest finds accidents, not forgers. Those get no further than the types listed here.
"""

import hashlib
import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from zipfile import ZIP_DEFLATED

import numpy as np
import sklearn

import largemargin
from largemargin.files import replaced

MAGIC = b"largemargin model"
FORMAT = 1
# Most of a small model is JSON, which shrinks at once; arrays hardly do however long.
COMPRESSION = {"compression": ZIP_DEFLATED, "compresslevel": 1}

SPLITTERS = (
    "GroupKFold",
    "GroupShuffleSplit",
    "KFold",
    "LeaveOneGroupOut",
    "LeaveOneOut",
    "LeavePGroupsOut",
    "LeavePOut",
    "PredefinedSplit",
    "RepeatedKFold",
    "RepeatedStratifiedKFold",
    "ShuffleSplit",
    "StratifiedGroupKFold",
    "StratifiedKFold",
    "StratifiedShuffleSplit",
    "TimeSeriesSplit",
)
# Beside those that skops trusts: numbers, arrays and the estimators of scikit-learn.
TRUSTED = (
    "largemargin.calibration.CalibratedMachine",
    "largemargin.calibration.GivenScores",
    "largemargin.estimators.kernel.LDMClassifier",
    "largemargin.estimators.komd.KOMDClassifier",
    "largemargin.estimators.linear.LinearLDMClassifier",
    "largemargin.estimators.mamc.MAMCClassifier",
    "largemargin.estimators.mdo.MDOClassifier",
    "largemargin.estimators.odm.ODMClassifier",
    "largemargin.estimators.selection.LDMClassifierCV",
    "largemargin.estimators.selection.LinearLDMClassifierCV",
    "largemargin.kernels.Kernel",
    "largemargin.solvers.asgd.Descent",
    "numpy.dtype",
    "scipy.sparse._csr.csr_array",
    "scipy.sparse._csr.csr_matrix",
    "sklearn.calibration._CalibratedClassifier",
    "sklearn.calibration._SigmoidCalibration",
    "sklearn.metrics._scorer._PassthroughScorer",
    *(f"sklearn.model_selection._split.{name}" for name in SPLITTERS),
)


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

    trusted : iterable of str, default=()
        Further types the model may hold, such as ``"package.module.Class"``. ``load``
        must be given them, too.
    """
    io = skops_io()
    try:
        payload = io.dumps(model, **COMPRESSION)
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

    trusted : iterable of str, default=()
        Further types the model may hold. Whatever such a type does when its attributes
        are set happens here: name only types you know.

    Returns
    -------
    model : estimator
        As it was saved.

    Raises
    ------
    ModelFileError
        If the file is none of ours, cut short or altered, written in a later format, or
        holds types that are not trusted.
    """
    io = skops_io()
    header, payload = read(path)
    written_by = ", ".join(f"{name} {which}" for name, which in header["versions"].items())
    try:
        strange = untrusted(payload, trusted)
        if not strange:
            return io.loads(payload, trusted=[*TRUSTED, *trusted])
    except Exception as error:  # whatever other versions of the libraries stumble over
        raise ModelFileError(
            f"{path} is unharmed but cannot be loaded here: {error}. It was written by "
            f"{written_by}; install these versions."
        ) from error
    raise ModelFileError(
        f"{path} holds types that are not trusted: {', '.join(strange)}. If you know where "
        "the file comes from and these types to be harmless, pass trusted= with their "
        "names."
    )


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
    if not line.startswith(MAGIC) or len(words) != 2 or not words[0].isdigit():
        raise ModelFileError(
            f"{path} is not a model file of largemargin: its first line should be "
            f"'{MAGIC.decode()} <format> <digest>'."
        )
    if int(words[0]) != FORMAT:
        raise ModelFileError(
            f"{path} is a model file of format {int(words[0])}; this largemargin "
            f"{largemargin.__version__} reads format {FORMAT}. Install a later release."
        )
    if digest(rest) != words[1]:
        raise ModelFileError(
            f"{path} was cut short or altered after it was written: its contents do not "
            "have the digest in its first line. Copy or save it again."
        )
    header, _, payload = rest.partition(b"\n")
    return json.loads(header), payload


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
    return sorted(set(skops_io().get_untrusted_types(data=payload)) - {*TRUSTED, *trusted})


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
    return skops.io
