"""Where karat meets other libraries."""
