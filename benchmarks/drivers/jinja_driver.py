"""Renders a Jinja template of YAML, reads it with PyYAML's C loader and prints it as JSON."""

import json
import sys
from pathlib import Path

import yaml
from jinja2 import Environment, StrictUndefined

environment = Environment(trim_blocks=True, undefined=StrictUndefined)
text = environment.from_string(Path(sys.argv[1]).read_text("utf-8")).render()
json.dump(yaml.load(text, Loader=yaml.CSafeLoader), sys.stdout, indent=2)
