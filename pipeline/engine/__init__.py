"""How documents are run: stages, pipelines, contexts, dialects, the evaluation of trees."""
