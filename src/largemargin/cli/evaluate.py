"""``largemargin evaluate``: accuracy and margins of a model on labelled rows."""

import click

from largemargin.cli import terminal
from largemargin.cli.options import json_option, prediction_options


@click.command(epilog="Example: largemargin evaluate heart.model test.csv --json")
@prediction_options
@json_option
def main(model, data, as_json, **options):
    """Report accuracy, AUC and margin statistics of MODEL on DATA."""
    from largemargin.cli.predict import labelled_answers

    model, y, predicted, scores, distribution = labelled_answers(model, data, options)
    facts = {"data": data, "rows": len(y)}
    facts |= quality(model.classes_, predicted, scores, y)
    facts |= margin_facts(distribution)
    terminal.show(facts, as_json=as_json)


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
