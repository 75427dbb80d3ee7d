"""What margins say: distributions, leave-one-out errors, displays."""
