"""The one place that says which version this is; `pyproject.toml` reads it from the syntax tree."""

__version__ = "0.1.0"
