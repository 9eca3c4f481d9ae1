"""What a person who decides does on the page: compare lists, keep drafts, get a sheet."""
