"""Tables in hand, and a step for pipelines."""
