"""What changes at certain levels of ε only, drawn with the places at which it does."""
