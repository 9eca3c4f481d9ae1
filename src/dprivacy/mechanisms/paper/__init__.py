"""Questions on paper: designs with dice, spinners and cards, and how many people to ask."""
