"""Figures and the page, from the database."""
