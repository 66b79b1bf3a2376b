"""The dialect `expr`: expressions of expr-lang, without delimiters, on their own."""
