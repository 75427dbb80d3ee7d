"""Inspection of fitted models: margin distributions, leave-one-out errors, displays."""
