"""The database: loading, comments, views."""
