"""The room Texts: what a level means for words and for topics, tried on texts of one's own."""
