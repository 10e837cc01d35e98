"""The papers' claims: one SQL file each, with a YAML header that says what is claimed and how it is judged."""
