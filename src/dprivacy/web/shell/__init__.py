"""What every room of the page stands on: frame, style, controls, the desk for files, the guard."""
