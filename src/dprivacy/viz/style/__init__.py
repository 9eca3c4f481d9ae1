"""One look for every picture, and pictures as files: sizes, styles, labels that fit, SVG."""
