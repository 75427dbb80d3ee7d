"""What the large margin distribution machines share: a fit, told as a story."""

import warnings
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from numbers import Integral, Real
from threading import Event

import numpy as np
import scipy.sparse as sp
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from largemargin._compat import Interval, StrOptions, check_sample_weight, fit_context
from largemargin.problem import Problem
from largemargin.scales import multiple_of_scale
from largemargin.solvers import Progress, Start, solve
from largemargin.threads import one_blas_thread

FLOATS = [np.float64, np.float32]

# lambda="scale" stands for this constant times C times the sum of the weights: the
# largest that hardly ever does worse than an SVM, see docs/defaults.
SCALES = {"lambda_var": 0.01, "lambda_mean": 0.01}

# Products with fewer numbers than this are made by one thread.
THREADED_SIZE = 4_000_000


@contextmanager
def all_or_nothing(estimator):
    """Leave the estimator as it was if the block fails or is interrupted."""
    before = vars(estimator).copy()
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


class Stopped(BaseException):
    """Raised in the threads of a fit that was interrupted; no error of the fit itself."""


class BaseLDMClassifier(ClassifierMixin, BaseEstimator):
    """The story of a fit: validate, encode, pose, solve, keep, warn.

    Subclasses tell how rows become a design, ``_design``, how solutions are kept and
    scored, ``_keep_elements`` and ``_scores``, and where the last fit ended,
    ``_last_elements``.
    """

    _parameter_constraints: dict = {
        "C": [Interval(Real, 0, None, closed="both")],
        "lambda_var": [Interval(Real, 0, None, closed="left"), str],
        "lambda_mean": [Interval(Real, 0, None, closed="left"), str],
        "fit_intercept": ["boolean"],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left"), None],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
        "warm_start": ["boolean"],
    }

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y, sample_weight=None):
        """Fit the machine.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training rows, or their Gram matrix for ``kernel="precomputed"``.

        y : array-like of shape (n_samples,)
            Labels of any type.

        sample_weight : array-like of shape (n_samples,), default=None
            A weight of 2 equals the row twice, 0 its absence.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        with all_or_nothing(self):
            X, y, weight = self._validate(X, y, sample_weight)
            counted = weight > 0
            starts = self._starts(X, weight, counted)
            classes, problems = self._pose(y[counted], weight[counted])
            for problem in problems:
                problem.refuse_unbounded()
            design = self._design(X, weight, counted)
            results = self._run([problem.on(design) for problem in problems], starts)
            self._keep_results(classes, results, weight[counted], counted)
            self._keep_elements(X, [solution for solution, _ in results], counted)
        self._warn_unless_converged(results)
        return self

    def _validate(self, X, y, sample_weight, **options):
        """Return rows, labels and weights, checked, rows of no weight still among them."""
        X, y = validate_data(
            self, X, y, accept_sparse="csr", dtype=FLOATS, multi_output=False, **options
        )
        X = canonical_rows(X)
        if len(np.unique(y)) > 2:  # any two values are labels; many may be measurements
            check_classification_targets(y)
        return X, y, self._row_weights(X, y, sample_weight)

    def _row_weights(self, X, y, sample_weight):
        weight = np.array(check_sample_weight(sample_weight, X, dtype=np.float64))
        if (weight < 0).any():
            raise ValueError(
                f"sample_weight must not be negative; got {weight.min():g}. Leave rows "
                "out by giving them weight 0."
            )
        if not weight.any():
            raise ValueError(
                "sample_weight must be positive somewhere; got zeros only. Pass None to "
                "count every row once."
            )
        return weight * class_weights(self.class_weight, y, weight)

    def _prices(self, total):
        """Return C and both lambdas as numbers, for this sum of weights."""
        return settle_prices(self.C, self.lambda_var, self.lambda_mean, total)

    def _pose(self, y, weight):
        """Return the classes and a problem for each machine, still without a design."""
        classes = np.unique(y)
        if len(classes) < 2:
            raise ValueError(
                f"{type(self).__name__} needs at least two classes with positive weight; "
                f"got one class only: {classes[0]!r}."
            )
        positives = classes[1:] if len(classes) == 2 else classes
        prices = self._prices(weight.sum())
        signs = [np.where(y == label, 1.0, -1.0) for label in positives]
        return classes, [
            Problem(None, sign, weight, *prices, self.fit_intercept) for sign in signs
        ]

    def _run(self, problems, starts):
        """Return the solution and the history of each machine."""
        seeds = check_random_state(self.random_state).randint(2**31 - 1, size=len(problems))
        starts = starts if len(starts) == len(problems) else [None] * len(problems)
        stop = Event()

        def watch():
            if stop.is_set():
                raise Stopped

        def run(problem, seed, start):
            progress = Progress(watch, bool(self.verbose))
            solution = solve(
                problem,
                self.solver,
                tol=self.tol,
                max_iter=self.max_iter,
                start=start,
                progress=progress,
                rng=np.random.default_rng(seed),
            )
            return solution, progress.history

        jobs = list(zip(problems, seeds, starts, strict=True))
        n_threads = min(effective_n_jobs(self.n_jobs), len(jobs))
        # Several machines multiply in one thread each: the same sums in the same order
        # for any n_jobs. Small products lose more by waking a second thread.
        single = len(jobs) > 1 or problems[0].design.size < THREADED_SIZE
        with one_blas_thread() if single else nullcontext():
            if n_threads == 1:
                return [run(*job) for job in jobs]
            pool = ThreadPoolExecutor(n_threads)
            try:
                return list(pool.map(run, *zip(*jobs, strict=True)))
            finally:
                stop.set()
                pool.shutdown(wait=False, cancel_futures=True)

    def _keep_results(self, classes, results, weight, counted):
        """Store what every machine reports; ``counted`` are the rows with weight."""
        solutions, histories = zip(*results, strict=True)
        means = [weight @ s.margins / weight.sum() for s in solutions]
        variances = [
            weight @ (s.margins - mean) ** 2 / weight.sum()
            for s, mean in zip(solutions, means, strict=True)
        ]
        beta = np.zeros((len(solutions), len(counted)))
        beta[:, counted] = weight * np.array([s.beta for s in solutions])
        several = len(solutions) > 1

        def shape(values):
            return np.array(values) if several else float(values[0])

        self.classes_ = classes
        self.intercept_ = np.array([s.offset for s in solutions])
        self.objective_ = shape([s.certificate.primal for s in solutions])
        self.duality_gap_ = shape([s.certificate.relative for s in solutions])
        self.n_iter_ = max(s.n_iter for s in solutions)
        self.margin_mean_ = shape(means)
        self.margin_variance_ = shape(variances)
        self.dual_beta_ = beta if several else beta[0]
        self.history_ = list(histories) if several else histories[0]

    def _starts(self, X, weight, counted):
        """Return where the last fit ended, if it was on as many rows and classes."""
        if not (self.warm_start and hasattr(self, "dual_beta_")):
            return []
        beta = np.atleast_2d(self.dual_beta_)
        elements = self._last_elements(X.shape[1])
        if beta.shape[1] != len(counted) or len(elements) != len(beta):
            return []
        return [
            Start(row[counted] / weight[counted], element, offset * self.fit_intercept)
            for row, element, offset in zip(beta, elements, self.intercept_, strict=True)
        ]

    def _warn_unless_converged(self, results):
        gap = max(solution.certificate.relative for solution, _ in results)
        if not all(solution.converged for solution, _ in results):
            warnings.warn(
                f"{type(self).__name__} stopped after {self.n_iter_} iterations with a "
                f"relative duality gap of {gap:.1e} > tol={self.tol:.1e}. Scale the "
                "features, raise max_iter, or accept this gap by raising tol; with "
                "warm_start=True the next fit goes on from here.",
                ConvergenceWarning,
                stacklevel=3,
            )

    def predict(self, X):
        """Predict the class of each row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows to classify.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            One of ``classes_`` for each row.
        """
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return self.classes_[(scores > 0).astype(int)]
        return self.classes_[scores.argmax(axis=1)]

    def decision_function(self, X):
        """Return the signed score of each row.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows to score.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            Positive for ``classes_[1]``; with more than two classes a column a class.
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=FLOATS, reset=False)
        scores = self._scores(X) + self.intercept_
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def settle_prices(C, lambda_var, lambda_mean, total):
    """Return C and both lambdas as numbers; ``"scale"`` depends on the sum of weights."""
    # Without a price of violations to relate to, "scale" counts C as one.
    unit = (C if 0 < C < np.inf else 1.0) * total
    prices = [float(C)]
    for (name, constant), value in zip(
        SCALES.items(), (lambda_var, lambda_mean), strict=True
    ):
        factor = multiple_of_scale(value, name)
        prices.append(float(value) if factor is None else factor * constant * unit)
    return tuple(prices)


def canonical_rows(X):
    """Return sparse rows with each entry once, or raise if they point outside themselves.

    Overflowed indices do that.
    """
    if not sp.issparse(X):
        return X
    n_rows, n_features = X.shape
    indptr, indices = X.indptr, X.indices
    regular = (
        len(indptr) == n_rows + 1
        and indptr[0] == 0
        and (np.diff(indptr) >= 0).all()
        and indptr[-1] <= min(len(indices), len(X.data))
    )
    if not regular:
        raise ValueError(
            f"The row pointers of the sparse X must rise from 0 to at most {len(X.data)}, "
            "one more than there are rows; these do not. Were they overflowed? Build the "
            "matrix with 64 bit indices."
        )
    if len(indices) and (indices.min() < 0 or indices.max() >= n_features):
        raise ValueError(
            f"The column indices of the sparse X must lie in 0 .. {n_features - 1}; got "
            f"{indices.min()} .. {indices.max()}. Were they overflowed? Build the matrix "
            "with 64 bit indices."
        )
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def class_weights(class_weight, y, weight):
    """Return the factor that each row gets for its class."""
    if class_weight is None:
        return 1.0
    classes, codes = np.unique(y, return_inverse=True)
    if class_weight == "balanced":
        mass = np.bincount(codes, weight)
        with np.errstate(divide="ignore"):
            factors = mass.sum() / (np.count_nonzero(mass) * mass)
        return np.where(weight > 0, factors[codes], 0.0)
    factors = np.array([class_weight.get(label, 1.0) for label in classes.tolist()])
    if not (np.isfinite(factors).all() and (factors >= 0).all()):
        raise ValueError(f"class_weight must be finite and >= 0; got {class_weight!r}.")
    return factors[codes]
