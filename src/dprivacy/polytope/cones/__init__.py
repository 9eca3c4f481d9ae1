"""The cone of private columns: its inequalities, its extreme rays and the channels made of them."""
