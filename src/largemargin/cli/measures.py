"""How good predictions are: of classes, of values and of outliers."""

import math

from largemargin.inspection.distribution import LEVELS


def value_facts(y, predicted, quantiles=None):
    """Return the errors of predicted values by name; of quantiles, shares and losses too.

    With several quantiles, ``predicted`` has a column for each.
    """
    from sklearn.metrics import mean_absolute_error, mean_squared_error, r2_score

    facts = {}
    if predicted.ndim == 1:
        facts["R2"] = float(r2_score(y, predicted)) if len(y) > 1 else math.nan
        facts["RMSE"] = math.sqrt(mean_squared_error(y, predicted))
        facts["MAE"] = float(mean_absolute_error(y, predicted))
    if quantiles is not None:
        columns = predicted.reshape(len(y), -1).T
        levels = [f"{100 * level:g}%" for level in quantiles]
        shares = [coverage(y, column) for column in columns]
        losses = map(pinball_loss, [y] * len(levels), columns, quantiles)
        facts["coverage"] = dict(zip(levels, shares, strict=True))
        facts["pinball loss"] = dict(zip(levels, losses, strict=True))
    return facts


def levels_of(model):
    """Return the quantiles that a regressor predicts, None if it predicts none."""
    import numpy as np

    from largemargin.estimators.nesting import innermost

    machine = innermost(model)
    if getattr(machine, "loss", None) != "quantile":
        return None
    return np.ravel(getattr(machine, "quantile", [])).tolist() or None


def coverage(y, predicted):
    """Return the share of rows whose value is at or below the prediction."""
    return float((y <= predicted).mean())


def pinball_loss(y, predicted, level):
    """Return the mean loss that the quantile of this level minimises."""
    from sklearn.metrics import mean_pinball_loss

    return float(mean_pinball_loss(y, predicted, alpha=level))


def residual_facts(found):
    """Return the statistics of residuals, by name; of quantiles, one for each of them."""
    if isinstance(found, list):
        each = {f"{100 * one.quantile:g}%": residual_facts(one) for one in found}
        names = "residual mean", "residual variance"
        return {name: {key: one[name] for key, one in each.items()} for name in names}
    named = zip(LEVELS, found.quantiles().tolist(), strict=True)
    facts = {
        "residual mean": found.mean,
        "residual variance": found.variance,
        "residual quantiles": {f"{100 * level:g}%": value for level, value in named},
    }
    if found.quantile is None and found.epsilon is not None:
        facts["share inside the tube"] = found.inside
    return facts


def outlier_facts(labels, scores, y=None):
    """Return the share of outliers and, where rows have labels, the area under the curve.

    Labels of outliers are -1 beside 1; of two other labels, the rarer one.
    """
    import numpy as np
    from sklearn.metrics import roc_auc_score

    facts = {"share of outliers": float((labels < 0).mean())}
    label = None if y is None else label_of_outliers(y)
    if label is not None:
        facts["label of outliers"] = str(label)
        facts["AUC"] = float(roc_auc_score(y == label, -np.ravel(scores)))
    return facts


def label_of_outliers(y):
    """Return which of two labels stands for outliers, None if there are not two."""
    import numpy as np

    found, counts = np.unique(y, return_counts=True)
    if len(found) != 2:
        return None
    if {str(one) for one in found.tolist()} == {"-1", "1"}:
        return found[0]
    return found[counts.argmin()]
