"""What becomes of a service, and what is said of one that is not sound."""

from __future__ import annotations

from acme_services.services import services
from bpp.pipeline import Source, render
from bpp.pipeline.integrations.pytest_plugin import SnapshotOfStages
from bpp.pipeline.testing import assert_diagnostics, assert_expands

ABSTRACT = """\
resources:
  orders:
    type: acme/service
    spec: {name: orders-api}
exports:
  name: {type: string, field: resources.orders.spec.name}
"""
CONCRETE = """\
resources:
  orders_function:
    type: aws/lambda/function
    spec:
      functionName: orders-api
      queue: ${resources.orders_queue.spec.queueName}
  orders_queue:
    type: aws/sqs/queue
    spec: {queueName: orders-api}
exports:
  name: {type: string, field: resources.orders_function.spec.functionName}
"""
NAMELESS = """\
version: 2025-11-02
transform: acme-services-2026
resources:
  orders:
    type: acme/service
    spec: {}
"""


def test_a_service_becomes_a_function_and_a_queue() -> None:
    assert_expands(ABSTRACT, CONCRETE, services)


def test_a_service_needs_a_name() -> None:
    run = render(Source("app.yaml", NAMELESS, "yaml"), transforms=[services])
    assert_diagnostics(run, ["*@4:3"])


def test_the_installed_package_is_found(bpp_snapshot: SnapshotOfStages) -> None:
    bpp_snapshot("app.yaml", variables={"stage": "test"})
