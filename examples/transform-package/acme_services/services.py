"""The transform `acme-services-2026`."""

from __future__ import annotations

from bpp.transforms import Expansion, Resource, TransformContext, expanding

from .naming import part


@expanding("acme-services-2026", "acme/service")
def services(resource: Resource, context: TransformContext) -> Expansion:
    """Makes a function and a queue of each `acme/service`."""
    name = resource.need("spec.name", "string")
    function, queue = part(resource.name, "function"), part(resource.name, "queue")
    return Expansion(
        resources={
            function: {
                "type": "aws/lambda/function",
                "spec": {
                    "functionName": name,
                    "queue": f"${{resources.{queue}.spec.queueName}}",
                },
            },
            queue: {"type": "aws/sqs/queue", "spec": {"queueName": name}},
        },
        primary=function,
        fields={"spec.name": "spec.functionName"},
    )
