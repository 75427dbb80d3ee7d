"""The command as a module: ``python -m largemargin.cli``."""

from largemargin.cli import main

main()
