"""One configuration of N resources as a blueprint, as a Jsonnet program, and as the data both mean.

Each resource has a dozen fields: four interpolate variables, one calls functions on a text of its
own, one looks a value up. Every fourth resource has a condition that is false, every tenth has
`each` over five elements.
"""

from __future__ import annotations

import json
from typing import Any

VARIABLES = {
    "stage": "staging",
    "place": "eu-west-2",
    "account": "123456789012",
    "service": "orders",
    "team": "payments",
    "store": "artifacts-eu",
    "release": "1.42.0",
}
SIZES = {"small": "t3.small", "medium": "t3.medium", "large": "t3.large"}
ZONES = ["a", "b", "c", "d", "e"]


def facts(number: int) -> dict[str, Any]:
    """What is particular about the n-th resource."""
    return {
        "name": f"unit{number:05d}",
        "many": number % 10 == 0,
        "wanted": "production" if number % 4 == 3 else "staging",
        "timeout": 30 + number % 60,
        "memory": 128 * (1 + number % 8),
        "size": list(SIZES)[number % 3],
    }


def expected(count: int) -> dict[str, Any]:
    """The resources that the workload renders to."""
    resources: dict[str, Any] = {}
    for number in range(count):
        one = facts(number)
        if one["wanted"] != VARIABLES["stage"]:
            continue
        if one["many"]:
            for index, zone in enumerate(ZONES):
                resources[f"{one['name']}_{index}"] = _resource(number, one, zone)
        else:
            resources[one["name"]] = _resource(number, one, None)
    return resources


def _resource(number: int, one: dict[str, Any], zone: str | None) -> dict[str, Any]:
    known = VARIABLES
    suffix = f"-{zone}" if zone else ""
    spec = {
        "functionName": f"{known['stage']}-{known['service']}-{number}{suffix}",
        "about": f"Unit {number}, a text without substitutions",
        "handler": "index.handler",
        "runtime": "python3.12",
        "timeout": one["timeout"],
        "memory": one["memory"],
        "region": known["place"],
        "code": f"s3://{known['store']}/{known['release']}/unit-{number}.zip",
        "role": f"arn:aws:iam::{known['account']}:role/{one['name']}",
        "owner": "-".join([known["team"], known["stage"], str(number)]),
        "machine": SIZES[one["size"]],
        "environment": {"LOG": "info", "NUMBER": str(number)},
    }
    if zone:
        spec["zone"] = zone
    return {
        "type": "aws/lambda/function",
        "metadata": {"displayName": f"Unit {number}", "labels": {"app": "orders"}},
        "spec": spec,
    }


def blueprint(count: int) -> str:
    """The workload as a blueprint."""
    lines = ["version: 2023-04-20", "variables:"]
    for name, value in VARIABLES.items():
        lines += [f"  {name}:", "    type: string", f"    default: '{value}'"]
    sizes = ", ".join(f'{name} = "{value}"' for name, value in SIZES.items())
    zones = ", ".join(f'"{zone}"' for zone in ZONES)
    lines += ["values:", "  sizes:", "    type: object", f"    value: ${{object({sizes})}}"]
    lines += ["  zones:", "    type: array", f"    value: ${{list({zones})}}", "resources:"]
    for number in range(count):
        one = facts(number)
        suffix = "-${elem}" if one["many"] else ""
        lines += [
            f"  {one['name']}:",
            "    type: aws/lambda/function",
            "    metadata:",
            f"      displayName: Unit {number}",
            "      labels:",
            "        app: orders",
            f'    condition: ${{eq(variables.stage, "{one["wanted"]}")}}',
        ]
        if one["many"]:
            lines.append("    each: ${values.zones}")
        lines += [
            "    spec:",
            f"      functionName: ${{variables.stage}}-${{variables.service}}-{number}{suffix}",
            f"      about: Unit {number}, a text without substitutions",
            "      handler: index.handler",
            "      runtime: python3.12",
            f"      timeout: {one['timeout']}",
            f"      memory: {one['memory']}",
            "      region: ${variables.place}",
            f"      code: s3://${{variables.store}}/${{variables.release}}/unit-{number}.zip",
            f"      role: arn:aws:iam::${{variables.account}}:role/{one['name']}",
            f'      owner: ${{join(list(variables.team, variables.stage, "{number}"), "-")}}',
            f'      machine: ${{coalesce(lookup(values.sizes, "{one["size"]}"), "t3.micro")}}',
            "      environment:",
            "        LOG: info",
            f"        NUMBER: '{number}'",
        ]
        if one["many"]:
            lines.append("      zone: ${elem}")
    return "\n".join(lines) + "\n"


def jsonnet(count: int) -> str:
    """The workload as a Jsonnet program, in the form that Jsonnet evaluates fastest."""
    lines = [f"local v = {json.dumps(VARIABLES)};", f"local sizes = {json.dumps(SIZES)};"]
    lines.append(f"local zones = {json.dumps(ZONES)};")
    plain = [_program(number) for number in range(count) if not facts(number)["many"]]
    many = [_program(number) for number in range(count) if facts(number)["many"]]
    lines += ["local plain = {", *plain, "};", "local many = [", *many, "];"]
    lines.append("{ resources: plain + { [x.k]: x.v for x in std.flattenArrays(many) } }")
    return "\n".join(lines) + "\n"


def _program(number: int) -> str:
    one = facts(number)
    zone = " + '-' + zones[j]" if one["many"] else ""
    body = [
        f"functionName: v.stage + '-' + v.service + '-{number}'{zone}",
        f"about: 'Unit {number}, a text without substitutions'",
        "handler: 'index.handler'",
        "runtime: 'python3.12'",
        f"timeout: {one['timeout']}",
        f"memory: {one['memory']}",
        "region: v.place",
        f"code: 's3://' + v.store + '/' + v.release + '/unit-{number}.zip'",
        f"role: 'arn:aws:iam::' + v.account + ':role/{one['name']}'",
        f"owner: std.join('-', [v.team, v.stage, '{number}'])",
        f"machine: if std.objectHas(sizes, '{one['size']}') then sizes['{one['size']}'] else ''",
        f"environment: {{ LOG: 'info', NUMBER: '{number}' }}",
    ]
    if one["many"]:
        body.append("zone: zones[j]")
    made = (
        "{ type: 'aws/lambda/function', "
        f"metadata: {{ displayName: 'Unit {number}', labels: {{ app: 'orders' }} }}, "
        f"spec: {{ {', '.join(body)} }} }}"
    )
    wanted = f"v.stage == '{one['wanted']}'"
    if not one["many"]:
        return f"  [if {wanted} then '{one['name']}']: {made},"
    entry = f"{{ k: '{one['name']}_' + j, v: {made} }} for j in std.range(0, 4)"
    return f"  if {wanted} then [{entry}] else [],"
