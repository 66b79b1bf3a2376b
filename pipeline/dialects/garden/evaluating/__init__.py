"""The evaluation of a project: names, operators, structures, variables."""
