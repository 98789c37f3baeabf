"""JSON schemas of the documents that the program reads and writes."""
