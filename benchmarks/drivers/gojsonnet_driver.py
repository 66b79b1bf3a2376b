"""Prints what a Jsonnet program means, by gojsonnet."""

import sys

import _gojsonnet

sys.stdout.write(_gojsonnet.evaluate_file(sys.argv[1]))
