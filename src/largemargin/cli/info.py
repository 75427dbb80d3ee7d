"""``largemargin info``: what a model file holds."""

import click

from largemargin.cli.options import json_option


@click.command(epilog="Example: largemargin info heart.model")
@click.argument("model")
@json_option
def main(model, as_json):
    """Tell what the MODEL is, what rows it takes, and what wrote it."""
    from largemargin.cli import terminal
    from largemargin.cli.models import facts_of, load_model
    from largemargin.production.model_files import read_header

    path, header = model, read_header(model)
    model, schema = load_model(path)
    facts = {"file": path, "saved": header["saved"], "versions": header["versions"]}
    facts |= {"steps": steps_of(model), "rows": schema.record(), **facts_of(model)}
    if not as_json:
        facts["rows"] = rows_told(schema)
    terminal.show(facts, as_json=as_json)


def steps_of(model):
    """Return the names of the classes that a row passes through."""
    from largemargin.estimators.nesting import does_something, inside, steps_in

    steps = [step for step in steps_in(model) if does_something(step)]
    if steps:
        return [name for step in steps for name in steps_of(step)]
    names = [] if inside(model) is None else steps_of(inside(model))
    # A search leaves no trace in the way of a row.
    return names if hasattr(model, "best_estimator_") else [*names, type(model).__name__]


def rows_told(schema):
    """Return what rows look like; columns of words with how many these are."""
    told = f"{schema.n_features} features"
    if not hasattr(schema, "features"):
        return told
    words = schema.words or {}
    columns = [
        f"{name} ({len(words[name])} words)" if name in words else name
        for name in schema.features
    ]
    told = f"{told}: {', '.join(columns)}"
    return told if schema.label is None else f"{told}; label: {schema.label}"
