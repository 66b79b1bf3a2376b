"""The workload as programs of KCL, Jinja and OmegaConf; its Jsonnet program is in `workload.py`.

Each is what someone who knows the language would write, one resource after the other.
"""

from __future__ import annotations

import json
from typing import Any

from .workload import SIZES, VARIABLES, ZONES, facts


def kcl(count: int) -> str:
    """The workload in KCL."""
    lines = [
        f"_v = {json.dumps(VARIABLES)}",
        f"_sizes = {json.dumps(SIZES)}",
        f"_zones = {json.dumps(ZONES)}",
        "resources = {",
    ]
    for number in range(count):
        one = facts(number)
        lines.append(f'    if _v.stage == "{one["wanted"]}":')
        name, body = one["name"], _kcl_resource(number, one)
        if one["many"]:
            lines.append(f'        **{{"{name}_${{j}}" = {body} for j, z in _zones}}')
        else:
            lines.append(f"        {name} = {body}")
    return "\n".join([*lines, "}"]) + "\n"


def _kcl_resource(number: int, one: dict[str, Any]) -> str:
    suffix, zone = ("-${z}", ", zone = z") if one["many"] else ("", "")
    size = one["size"]
    fields = [
        f'functionName = "${{_v.stage}}-${{_v.service}}-{number}{suffix}"',
        f'about = "Unit {number}, a text without substitutions"',
        'handler = "index.handler"',
        'runtime = "python3.12"',
        f"timeout = {one['timeout']}",
        f"memory = {one['memory']}",
        "region = _v.place",
        f'code = "s3://${{_v.store}}/${{_v.release}}/unit-{number}.zip"',
        f'role = "arn:aws:iam::${{_v.account}}:role/{one["name"]}"',
        f'owner = "-".join([_v.team, _v.stage, "{number}"])',
        f'machine = _sizes["{size}"] if "{size}" in _sizes else "t3.micro"',
        f'environment = {{LOG = "info", NUMBER = "{number}"}}{zone}',
    ]
    labels = f'metadata = {{displayName = "Unit {number}", labels = {{app = "orders"}}}}'
    return f'{{type = "aws/lambda/function", {labels}, spec = {{{", ".join(fields)}}}}}'


def jinja(count: int) -> str:
    """The workload as a Jinja template of YAML text."""
    lines = [
        f"{{% set v = {json.dumps(VARIABLES)} %}}",
        f"{{% set sizes = {json.dumps(SIZES)} %}}",
        f"{{% set zones = {json.dumps(ZONES)} %}}",
        "resources:",
    ]
    for number in range(count):
        one = facts(number)
        inside = [f"{{% if v.stage == '{one['wanted']}' %}}", "{% endif %}"]
        name, suffix = one["name"], ""
        if one["many"]:
            inside[1:1] = ["{% for z in zones %}", "{% endfor %}"]
            name, suffix = f"{name}_{{{{ loop.index0 }}}}", "-{{ z }}"
        middle = len(inside) // 2
        lines += inside[:middle]
        lines += _resource_lines(number, one, name, _JINJA, suffix)
        if one["many"]:
            lines.append("      zone: {{ z }}")
        lines += inside[middle:]
    return "\n".join(lines) + "\n"


def omegaconf(count: int) -> str:
    """The workload as YAML for OmegaConf.

    It has neither loops nor conditions: what `each` makes is written out, which is to its
    advantage, and the driver takes away the resources whose `when` is false.
    """
    lines = [f"v: {json.dumps(VARIABLES)}", f"sizes: {json.dumps(SIZES)}", "resources:"]
    for number in range(count):
        one = facts(number)
        instances: list[tuple[str, str | None]] = [(one["name"], None)]
        if one["many"]:
            instances = [(f"{one['name']}_{index}", zone) for index, zone in enumerate(ZONES)]
        for name, zone in instances:
            suffix = f"-{zone}" if zone else ""
            body = _resource_lines(number, one, name, _OMEGACONF, suffix)
            body.insert(1, f"    when: ${{same:${{v.stage}},{one['wanted']}}}")
            lines += body
            if zone:
                lines.append(f"      zone: {zone}")
    return "\n".join(lines) + "\n"


# how the two languages of YAML text write what is computed
_JINJA = {
    "value": "{{{{ v.{} }}}}",
    "owner": "{{{{ [v.team, v.stage, '{}'] | join('-') }}}}",
    "machine": "{{{{ sizes.get('{}', 't3.micro') }}}}",
}
_OMEGACONF = {
    "value": "${{v.{}}}",
    "owner": "${{joined:[${{v.team}},${{v.stage}},'{}'],-}}",
    "machine": "${{looked_up:${{sizes}},{},t3.micro}}",
}


def _resource_lines(
    number: int, one: dict[str, Any], name: str, language: dict[str, str], suffix: str
) -> list[str]:
    value = {variable: language["value"].format(variable) for variable in VARIABLES}
    return [
        f"  {name}:",
        "    type: aws/lambda/function",
        "    metadata:",
        f"      displayName: Unit {number}",
        "      labels:",
        "        app: orders",
        "    spec:",
        f"      functionName: {value['stage']}-{value['service']}-{number}{suffix}",
        f"      about: Unit {number}, a text without substitutions",
        "      handler: index.handler",
        "      runtime: python3.12",
        f"      timeout: {one['timeout']}",
        f"      memory: {one['memory']}",
        f"      region: {value['place']}",
        f"      code: s3://{value['store']}/{value['release']}/unit-{number}.zip",
        f"      role: arn:aws:iam::{value['account']}:role/{one['name']}",
        f"      owner: {language['owner'].format(number)}",
        f"      machine: {language['machine'].format(one['size'])}",
        "      environment:",
        "        LOG: info",
        f"        NUMBER: '{number}'",
    ]
