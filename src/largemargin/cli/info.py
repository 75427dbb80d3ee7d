"""``largemargin info``: what a model file contains."""

import click

from largemargin.cli import terminal
from largemargin.cli.options import json_option


@click.command(epilog="Example: largemargin info heart.model")
@click.argument("model")
@json_option
def main(model, as_json):
    """Describe MODEL, the rows it expects and the versions that wrote it."""
    from largemargin.cli.models import facts_of, load_model
    from largemargin.production.model_files import read_header

    path, header = model, read_header(model)
    model, schema = load_model(path)
    facts = {"file": path, "saved": header["saved"], "versions": header["versions"]}
    facts |= {"steps": steps_of(model), "rows": schema.record(), **facts_of(model)}
    if not as_json:
        facts["rows"] = rows_in_words(schema)
    terminal.show(facts, as_json=as_json)


def steps_of(model):
    """Return the names of the classes that a row passes through."""
    from largemargin.estimators.nesting import does_something, inside, steps_in

    steps = [step for step in steps_in(model) if does_something(step)]
    if steps:
        return [name for step in steps for name in steps_of(step)]
    names = [] if inside(model) is None else steps_of(inside(model))
    # Rows pass through the best estimator of a search, not through the search.
    return names if hasattr(model, "best_estimator_") else [*names, type(model).__name__]


def rows_in_words(schema):
    """Return a description of the rows that a model expects."""
    text = f"{schema.n_features} features"
    if not hasattr(schema, "features"):
        return text
    words = schema.words or {}
    columns = [
        f"{name} ({len(words[name])} categories)" if name in words else name
        for name in schema.features
    ]
    label = "" if schema.label is None else f"; label: {schema.label}"
    return f"{text}: {', '.join(columns)}{label}"
