"""The dialect of Kargo: promotions of Stages, with expressions of expr-lang between delimiters."""
