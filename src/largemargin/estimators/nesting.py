"""Models inside models: steps of pipelines, results of searches, calibrated models."""

import numpy as np
from sklearn.pipeline import Pipeline

from largemargin.estimators.targets import class_scores


def inside(model):
    """Return the last step, or what was refitted or calibrated; None for an estimator."""
    if isinstance(model, Pipeline):
        return model.steps[-1][1] if model.steps else None
    return getattr(model, "best_estimator_", getattr(model, "machine_", None))


def layers_of(model) -> list:
    """Return a model, the model inside it, and so on down to the estimator itself."""
    inner = inside(model)
    return [model] if inner is None else [model, *layers_of(inner)]


def innermost(model):
    """Return the estimator inside pipelines, searches and calibrated models."""
    return layers_of(model)[-1]


def machine_and_rows(model, X) -> tuple:
    """Return the estimator inside a model, and the rows that reach it."""
    layers = layers_of(model)
    for layer in layers:
        if isinstance(layer, Pipeline) and len(layer) > 1:
            X = layer[:-1].transform(X)
    return layers[-1], X


def is_pairwise(model) -> bool:
    """Return whether a fitted model has one machine per pair of classes."""
    return getattr(innermost(model), "_one_vs_one", False)


def score_blocks(model, X):
    """Yield the scores of blocks of rows: a column per pair of classes if it has pairs.

    Otherwise, yield the scores of ``decision_function``, once for all rows.
    """
    if is_pairwise(model):
        machine, X = machine_and_rows(model, X)
        yield from machine._pair_scores(X)
    else:
        yield np.asarray(model.decision_function(X))


def scores_of_problems(model, X) -> np.ndarray:
    """Return the scores of ``score_blocks``, of all rows at once."""
    return np.concatenate(list(score_blocks(model, X)))


def decided(model, scores) -> np.ndarray:
    """Return the scores of ``decision_function`` from those of ``score_blocks``."""
    return class_scores(scores, len(model.classes_)) if is_pairwise(model) else scores


def width_of(model) -> int | None:
    """Return the number of features that a model expects, None if it is unknown."""
    if hasattr(model, "n_features_in_"):
        return int(model.n_features_in_)
    steps = list(filter(does_something, steps_in(model)))
    inner = steps[0] if steps else inside(model)
    return None if inner is None else width_of(inner)


def steps_in(model) -> list:
    """Return the steps of a pipeline; an empty list for other models."""
    return [step for _, step in model.steps] if isinstance(model, Pipeline) else []


def does_something(step) -> bool:
    """Return whether a step of a pipeline is not a placeholder."""
    return step is not None and not isinstance(step, str)
