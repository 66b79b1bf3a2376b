"""Prints what a Jsonnet program means, by rjsonnet."""

import sys

import rjsonnet

sys.stdout.write(rjsonnet.evaluate_file(sys.argv[1]))
