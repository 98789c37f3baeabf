"""What training needs to know of each operator: one rule per ONNX op_type, in files by family."""
