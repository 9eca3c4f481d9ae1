"""What a release tells of a correlated value, and where its noise goes."""
