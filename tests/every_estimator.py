"""Estimators by name, for tests of whatever the table of estimators has."""

import largemargin

# Of searches, so that they are short.
FEW = {
    "Cs": [1],
    "lambda_vars": ["scale"],
    "lambda_squares": [0.0],
    "epsilons": ["0.1*scale"],
    "gammas": ["scale"],
    "mus": [0.5],
    "thetas": [0.1],
    "cv": 2,
}


def some(name, **options):
    """Return an estimator by its name, with those of the options that it has."""
    estimator = getattr(largemargin, name)()
    known = estimator.get_params()
    options = {"random_state": 0, **FEW, **options}
    return estimator.set_params(
        **{key: value for key, value in options.items() if key in known}
    )
