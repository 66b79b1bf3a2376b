"""The builtins of expr-lang, by topic; imported when an expression calls one."""
