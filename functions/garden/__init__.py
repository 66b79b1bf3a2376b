"""The helper functions of Garden's templates."""
