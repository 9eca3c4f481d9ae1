"""Logistic and linear regression on columns that were randomised."""
