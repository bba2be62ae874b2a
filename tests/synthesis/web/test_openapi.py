"""Responses about pools and syntheses conform to the OpenAPI document, also for damaged ones."""

from __future__ import annotations

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings

from tests.conftest import Gateway
from tests.gateway.test_openapi import CHECKS

pytestmark = pytest.mark.long


def test_every_pool_and_app_conforms_to_the_document(synthesis_gateway: Gateway) -> None:
    schema = schemathesis.openapi.from_url(f"{synthesis_gateway.url}/openapi.json")
    every = {result.ok().path: result.ok() for result in schema.get_all_operations()}
    operations = {path: operation for path, operation in every.items() if path.startswith("/api/synthesis")}
    assert operations.keys() == {"/api/synthesis", "/api/synthesis/pools/{pool}", "/api/synthesis/apps/{app}"}
    listed = synthesis_gateway.api("GET", "/synthesis").json()
    for kind, member in (("pools", "pool"), ("apps", "app")):
        for one in listed[kind]:
            case = operations[f"/api/synthesis/{kind}/{{{member}}}"].Case(path_parameters={member: one["name"]})
            case.call_and_validate(checks=CHECKS, timeout=60)
    for operation in operations.values():

        @settings(max_examples=15, deadline=None, database=None, suppress_health_check=list(HealthCheck))
        @given(case=operation.as_strategy())
        def keeps_to_it(case: schemathesis.Case) -> None:
            case.call_and_validate(checks=CHECKS, timeout=60)

        keeps_to_it()
