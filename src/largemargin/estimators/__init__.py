"""Estimators: validate, pose the problem, keep the solution, predict."""
