"""Tables, examples and figures of the sources, one file a chapter."""
