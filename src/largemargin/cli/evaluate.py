"""``largemargin evaluate``: how good the predictions of a model are on labelled rows."""

import click

from largemargin.cli import terminal
from largemargin.cli.options import json_option, prediction_options
from largemargin.cli.tasks import task_of


@click.command(epilog="Example: largemargin evaluate heart.model test.csv --json")
@prediction_options
@json_option
def main(model, data, as_json, **options):
    """Report how good the predictions of MODEL are on DATA.

    Of classes: accuracy, AUC and margin statistics. Of values: R2, RMSE, MAE and residual
    statistics; of quantiles also the coverage, which is the share of rows at or below the
    prediction, and the pinball loss. Of outliers: their share and, if DATA has two labels,
    AUC; -1 beside 1 is the label of outliers, otherwise the rarer one.
    """
    from largemargin.cli.models import load_model

    path, (model, schema) = model, load_model(model)
    n_rows, facts = EVALUATIONS[task_of(model)](path, model, schema, data, options)
    terminal.show({"data": data, "rows": n_rows, **facts}, as_json=as_json)


def evaluate_classes(path, model, schema, data, options):
    """Return the number of rows, and the facts on predicted classes."""
    from largemargin.cli.predict import labelled_answers

    y, predicted, scores, distribution = labelled_answers(model, schema, data, options)
    facts = quality(model.classes_, predicted, scores, y)
    return len(y), facts | margin_facts(distribution)


def evaluate_values(path, model, schema, data, options):
    """Return the number of rows, and the facts on predicted values."""
    from largemargin.cli.measures import levels_of, residual_facts, value_facts
    from largemargin.cli.predict import valued_answers

    y, predicted, found = valued_answers(path, model, schema, data, options)
    facts = value_facts(y, predicted, levels_of(model))
    return len(y), facts | residual_facts(found)


def evaluate_outliers(path, model, schema, data, options):
    """Return the number of rows, and the facts on outliers."""
    from largemargin.cli.measures import outlier_facts
    from largemargin.cli.predict import scored_answers

    y, found = scored_answers(model, schema, data, options)
    return len(found["label"]), outlier_facts(found["label"], found["score"], y)


EVALUATIONS = {
    "classification": evaluate_classes,
    "regression": evaluate_values,
    "outliers": evaluate_outliers,
}


def quality(classes, predicted, scores, y):
    """Return accuracy, balanced accuracy and area under the curve, by name."""
    import numpy as np
    from sklearn.metrics import recall_score, roc_auc_score

    scores = scores[:, None] if scores.ndim == 1 else scores
    positives = classes[-scores.shape[1] :]
    areas = [
        roc_auc_score(y == label, column)
        for label, column in zip(positives, scores.T, strict=True)
        if 0 < np.count_nonzero(y == label) < len(y)
    ]
    recall = recall_score(y, predicted, labels=np.unique(y), average="macro")
    return {
        "accuracy": float(np.mean(predicted == y)),
        "balanced accuracy": float(recall),
        "AUC": float(np.mean(areas)) if areas else float("nan"),
    }


def margin_facts(distribution):
    """Return the statistics of a margin distribution, by name."""
    from largemargin.inspection.distribution import LEVELS

    quantiles = zip(LEVELS, distribution.quantiles().tolist(), strict=True)
    facts = {
        "margin mean": distribution.mean,
        "margin variance": distribution.variance,
        "margin minimum": distribution.minimum,
        "margin quantiles": {f"{100 * level:g}%": value for level, value in quantiles},
    }
    if distribution.normalised is not None:
        normalised = distribution.normalised_distribution()
        facts["normalised margin mean"] = normalised.mean
        facts["normalised margin variance"] = normalised.variance
    return facts
