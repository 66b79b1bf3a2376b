"""What tests share: harnesses, annotated sources, servers, generators."""
