"""Kinds of rows that are hard on rounding; each maps a generator and a shape to rows."""

import numpy as np

MINUTE = 60.0


def gaussian(rng, n_rows, n_features):
    """Nothing special."""
    return rng.normal(size=(n_rows, n_features))


def one_offset(rng, n_rows, n_features):
    """One column far from zero."""
    X = gaussian(rng, n_rows, n_features)
    X[:, rng.integers(n_features)] += signed_power(rng, 2, 12)
    return X


def all_offset(rng, n_rows, n_features):
    """All columns far from zero, by one number or by one each."""
    size = n_features if rng.random() < 0.5 else 1
    shifts = np.array([signed_power(rng, 2, 12) for _ in range(size)])
    return gaussian(rng, n_rows, n_features) + shifts


def constant_column(rng, n_rows, n_features):
    """One column of 1e9 beside others that matter."""
    X = gaussian(rng, n_rows, n_features)
    X[:, rng.integers(n_features)] = 1e9
    return X


def timestamps(rng, n_rows, n_features):
    """Seconds since 1970 in the first column, minutes apart."""
    X = gaussian(rng, n_rows, n_features)
    X[:, 0] = 1.7e9 + MINUTE * rng.integers(0, 60 * 24, n_rows)
    return X


def duplicates(rng, n_rows, n_features):
    """Few different rows, each many times."""
    few = gaussian(rng, max(1, n_rows // 4), n_features)
    return few[rng.integers(len(few), size=n_rows)]


def collinear_columns(rng, n_rows, n_features):
    """Columns that are combinations of few, exactly or up to 1e-12."""
    few = gaussian(rng, n_rows, max(1, n_features // 3))
    X = few @ gaussian(rng, few.shape[1], n_features)
    return X + rng.choice([0.0, 1e-12]) * gaussian(rng, n_rows, n_features)


def collinear_rows(rng, n_rows, n_features):
    """Rows on one line through the origin or beside it, exactly or up to 1e-12."""
    line = rng.normal(size=(n_rows, 1)) * rng.normal(size=n_features)
    line += rng.choice([0.0, 1.0]) * rng.normal(size=n_features)
    return line + rng.choice([0.0, 1e-12]) * gaussian(rng, n_rows, n_features)


def one_hot(rng, n_rows, n_features):
    """One entry in each row, of height one or 1e8."""
    X = np.zeros((n_rows, n_features))
    height = rng.choice([1.0, 1e8])
    X[np.arange(n_rows), rng.integers(n_features, size=n_rows)] = height
    return X


def mixed_units(rng, n_rows, n_features):
    """Columns whose sizes span sixteen decades."""
    return gaussian(rng, n_rows, n_features) * 10.0 ** rng.uniform(-8, 8, n_features)


def heavy_tails(rng, n_rows, n_features):
    """Cauchy variables."""
    return rng.standard_cauchy(size=(n_rows, n_features))


def exponentials(rng, n_rows, n_features):
    """Exponentials of Gaussian variables."""
    return np.exp(rng.choice([1.0, 4.0, 10.0]) * gaussian(rng, n_rows, n_features))


def tiny_or_huge(rng, n_rows, n_features):
    """All numbers of one size between 1e-40 and 1e40."""
    return gaussian(rng, n_rows, n_features) * abs(signed_power(rng, -40, 40))


def equal_rows(rng, n_rows, n_features):
    """All rows the same, maybe zero."""
    row = rng.choice([0.0, 1.0, 1e6]) * rng.normal(size=n_features)
    return np.tile(row, (n_rows, 1))


def zero_rows(rng, n_rows, n_features):
    """Many rows of zeros."""
    X = gaussian(rng, n_rows, n_features)
    X[rng.random(n_rows) < rng.choice([0.3, 0.9])] = 0.0
    return X


def grid(rng, n_rows, n_features):
    """Small integers: many ties."""
    return rng.integers(-2, 3, size=(n_rows, n_features)).astype(float)


def far_clusters(rng, n_rows, n_features):
    """Two clouds at plus and minus 1e8, in one column or all."""
    X = gaussian(rng, n_rows, n_features)
    side = np.where(rng.random(n_rows) < 0.5, -1e8, 1e8)
    X[:, : rng.choice([1, n_features])] += side[:, None]
    return X


def sparse_counts(rng, n_rows, n_features):
    """Mostly zeros, as counts of words."""
    return rng.poisson(0.2, size=(n_rows, n_features)).astype(float)


def signed_power(rng, low, high):
    """Return plus or minus a power of ten with a random exponent."""
    return rng.choice([-1.0, 1.0]) * 10.0 ** rng.uniform(low, high)


KINDS = {
    function.__name__: function
    for function in (
        gaussian,
        one_offset,
        all_offset,
        constant_column,
        timestamps,
        duplicates,
        collinear_columns,
        collinear_rows,
        one_hot,
        mixed_units,
        heavy_tails,
        exponentials,
        tiny_or_huge,
        equal_rows,
        zero_rows,
        grid,
        far_clusters,
        sparse_counts,
    )
}
