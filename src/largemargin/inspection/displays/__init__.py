"""Displays of margins, prices and convergence, in the form of scikit-learn's."""
