"""``python -m dprivacy`` is the command line."""

from dprivacy.cli import main

main()
