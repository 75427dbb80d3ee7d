"""What margins tell: distributions, leave-one-out errors, displays."""
