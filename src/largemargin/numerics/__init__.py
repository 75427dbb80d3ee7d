"""Linear algebra, rounding, memory and threads; nothing here knows what a margin is."""
