"""The Bluelink Blueprint Specification, versions 2023-04-20 and 2025-11-02."""
