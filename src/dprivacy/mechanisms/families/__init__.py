"""The families of mechanisms, each with its record, its closed form and its guarantee."""
