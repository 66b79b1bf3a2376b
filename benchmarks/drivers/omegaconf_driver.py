"""Resolves a configuration with OmegaConf, drops what is not wanted and prints it as JSON."""

import json
import os
import sys

from omegaconf import OmegaConf

# 2.4 reads 10,000 nodes of YAML unless it is told otherwise; earlier versions have no such limit
os.environ["OMEGACONF_MAX_YAML_EXPANDED_NODES"] = "none"
register = getattr(OmegaConf, "register_resolver", None) or OmegaConf.register_new_resolver
register("same", lambda one, other: one == other)
register("joined", lambda parts, delimiter: delimiter.join(parts))
register("looked_up", lambda mapping, key, other: mapping.get(key, other))
data = OmegaConf.to_container(OmegaConf.load(sys.argv[1]), resolve=True)
resources = {name: one for name, one in data["resources"].items() if one.pop("when")}
json.dump({"resources": resources}, sys.stdout, indent=2)
