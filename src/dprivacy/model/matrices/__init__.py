"""Matrices as people have them: tables in texts of every kind, arrays in files, rounded prints."""
