"""From rows to features and a model: impute, encode, scale, fit."""

from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, OneHotEncoder, StandardScaler

from largemargin.tables.schemas import MISSING_WORD


def pipeline_of(schema, scale: str | None, machine) -> Pipeline:
    """Return the steps that turn rows of a schema into features, and an estimator.

    ``scale`` is "none", "unit" or "standard"; None means unit for tables and else none.
    Zeros of sparse rows stay zeros.
    """
    if scale is None:
        scale = "unit" if hasattr(schema, "words") else "none"
    of_numbers, of_words = [], []
    if schema.missing == "impute":
        # A column may be empty in a fold; it keeps its place then.
        median = SimpleImputer(strategy="median", keep_empty_features=True)
        commonest = SimpleImputer(
            missing_values=MISSING_WORD, strategy="most_frequent", keep_empty_features=True
        )
        of_numbers.append(("impute", median))
        of_words.append(("impute", commonest))
    if scale == "unit":
        of_numbers.append(("scale", MinMaxScaler() if schema.dense else MaxAbsScaler()))
    elif scale == "standard":
        of_numbers.append(("scale", StandardScaler(with_mean=schema.dense)))
    words = getattr(schema, "words", None)
    if not words:
        return Pipeline([*of_numbers, ("machine", machine)])
    # Whether unknown words are refused is up to the command, which knows their lines.
    encoder = OneHotEncoder(categories=list(words.values()), handle_unknown="ignore")
    of_words.append(("encode", encoder))
    numbers = Pipeline(of_numbers) if of_numbers else "passthrough"
    places: dict[bool, list[int]] = {True: [], False: []}
    for place, name in enumerate(schema.features):
        places[name in words].append(place)
    parts = ("words", Pipeline(of_words), places[True]), ("numbers", numbers, places[False])
    columns = ColumnTransformer([part for part in parts if part[2]])
    return Pipeline([("columns", columns), ("machine", machine)])
