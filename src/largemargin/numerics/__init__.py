"""What does not know what a margin is: linear algebra, rounding, memory, threads."""
