"""What `pyproject.toml` cannot say: a wheel for this machine holds the hot modules compiled."""

import sys

from setuptools import setup

if "bdist_wheel" in sys.argv:
    from compiling import extensions

    setup(ext_modules=extensions())
else:  # an editable install, an sdist, or a question
    setup()
