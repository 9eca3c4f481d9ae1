"""The rooms of the page, and the forms that they are made of."""
