"""The control API conforms to its OpenAPI document for any request."""

from __future__ import annotations

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import response_schema_conformance, status_code_conformance

from tests.conftest import Gateway

CHECKS = [not_a_server_error, status_code_conformance, response_schema_conformance]


@pytest.mark.long
def test_every_operation_conforms_to_the_document(gateway: Gateway) -> None:
    schema = schemathesis.openapi.from_url(f"{gateway.url}/openapi.json")
    operations = [result.ok() for result in schema.get_all_operations()]
    assert len(operations) >= 20
    for operation in operations:

        @settings(max_examples=30, deadline=None, database=None, suppress_health_check=list(HealthCheck))
        @given(case=operation.as_strategy())
        def keeps_to_it(case: schemathesis.Case) -> None:
            case.call_and_validate(checks=CHECKS, timeout=60)  # seconds, because many sessions may be created at once

        keeps_to_it()
