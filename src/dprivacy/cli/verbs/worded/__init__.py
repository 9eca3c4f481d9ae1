"""``dprivacy text``: single documents, and tables, lines and folders of texts."""
