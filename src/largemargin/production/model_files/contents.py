"""Checks of loaded models: compiled code must not read or write beyond their arrays."""

from numbers import Real

import numpy as np
import scipy.sparse as sp

from largemargin.production.model_files.archives import Unsound

# The arrays of a stream, see ``partial_fit``.
RUN = "v", "u", "scalars"
# Positions in the state of a random generator, and the arrays that they point into.
PLACES = {"pos": "key", "buffer_pos": "buffer"}


def check_sound(model):
    """Raise if compiled code would reach beyond the arrays of some part of a model."""
    from largemargin.estimators.kernel_expansion import KernelExpansion
    from largemargin.estimators.linear_ldm import LinearLDMClassifier
    from largemargin.estimators.linear_ldm_regressor import LinearLDMRegressor

    for part in parts_of(model):
        try:
            if sp.issparse(part) and hasattr(part, "check_format"):
                check_sparse(part)
            elif isinstance(part, LinearLDMClassifier | LinearLDMRegressor):
                check_run(part)
            elif isinstance(part, KernelExpansion):
                check_support(part)
            elif isinstance(part, np.random.RandomState | np.random.Generator):
                check_places(part)
        except (AttributeError, IndexError, TypeError, ValueError) as error:
            raise Unsound(f"its {type(part).__name__} is broken: {error}") from error


def check_sparse(matrix):
    """Raise if a sparse matrix has indices beyond its shape."""
    if any(array.dtype.kind != "i" for array in (matrix.indices, matrix.indptr)):
        raise ValueError("its indices are no integers")
    matrix.check_format(full_check=True)
    # check_format skips this if the last element is zero.
    if (np.diff(matrix.indptr) < 0).any():
        raise ValueError("its rows end before they begin")


def check_support(machine):
    """Raise if support vectors have not as many features as the rows to be scored."""
    support = vars(machine).get("support_vectors_")
    # Precomputed kernels have stored no rows.
    is_empty = support is None or support.shape[0] == 0
    if not is_empty and support.shape[1] != machine.n_features_in_:
        raise ValueError("its support vectors have the wrong length")


def check_run(machine):
    """Raise if ``coef_`` has a wrong length, or ``partial_fit`` cannot continue from it."""
    from largemargin.solvers.asgd import Descent

    descents = getattr(machine, "_descents", None) or []
    if not descents and not hasattr(machine, "coef_"):
        return
    fresh = Descent.at(np.zeros(machine.n_features_in_))
    states = [(w, fresh.v) for w in machine.coef_]
    for descent in descents:
        if type(descent) is not Descent:
            raise TypeError(f"a run is a {type(descent).__name__}")
        states += [(getattr(descent, name), getattr(fresh, name)) for name in RUN]
    if any(state.shape != wanted.shape for state, wanted in states):
        raise ValueError("its arrays have the wrong lengths")
    if any(state.dtype != wanted.dtype for state, wanted in states):
        raise TypeError("its arrays are not of float64")


def check_places(random):
    """Raise if the next random number would be read from beyond the state."""
    legacy = isinstance(random, np.random.RandomState)
    state = random.get_state(legacy=False) if legacy else random.bit_generator.state
    for record in state, state["state"]:
        for name, array in PLACES.items():
            if name in record and not 0 <= record[name] <= len(record[array]):
                raise ValueError(f"its position {record[name]} is out of range")


def parts_of(model):
    """Yield a model and everything in it, each object once."""
    seen, rest = {}, [model]
    while rest:
        part = rest.pop()
        if id(part) in seen or isinstance(part, str | Real | type):
            continue
        seen[id(part)] = part
        yield part
        if isinstance(part, dict):
            rest.extend(part.values())
        elif isinstance(part, list | tuple | set):
            rest.extend(part)
        elif isinstance(part, np.ndarray) and part.dtype == object:
            rest.extend(np.asarray(part).ravel())
        rest.extend(getattr(part, "__dict__", {}).values())
