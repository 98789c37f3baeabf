"""One widget per file: view-model in, signals of intent out."""
