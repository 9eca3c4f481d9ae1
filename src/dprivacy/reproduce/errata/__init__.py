"""Every erratum, with the computation that shows it."""
