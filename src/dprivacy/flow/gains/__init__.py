"""Named gains and losses, their tables, their algebra, and the classes that losses belong to."""
