"""Choices: one value out of several."""

from __future__ import annotations

from typing import Any

from .examples import edge, given
from .registry import Function, Parameter
from .values import NONE


def choose(condition: Any, then: Any, otherwise: Any) -> Any:
    """`then` for true, `otherwise` for false and for none."""
    return then if condition is True else otherwise


def first(*values: Any) -> Any:
    """The first value that is not none, `""` or `[]`; the last one when all are."""
    for value in values:
        if not is_empty(value):
            return value
    return values[-1]


def is_empty(value: Any) -> bool:
    """True for what `first` skips: none, the empty string and the empty array."""
    return value is NONE or (value.__class__ in (str, list) and not value)


def coalesce(*values: Any) -> Any:
    """The first value that is not none; none when all are."""
    for value in values:
        if value is not NONE:
            return value
    return NONE


def lookup(mapping: dict[str, Any], key: str) -> Any:
    """The value at a key, or none."""
    return mapping.get(key, NONE)


def choice_functions() -> tuple[Function, ...]:
    """The records."""
    value = Parameter("value", ("any",), "the value to take first")
    more = Parameter("more", ("any",), "the values to fall back to, in order", variadic=True)
    production = {"environment": "production"}
    settings = {"config": {"timeout": 60, "description": ""}}
    return (
        Function(
            name="if",
            summary="one of two values, as a boolean condition says; only that one is computed",
            parameters=(
                Parameter("condition", ("boolean",), "what decides; none counts as false"),
                Parameter("then", ("any",), "the value when it is true"),
                Parameter("otherwise", ("any",), "the value when it is false or none"),
            ),
            result="any",
            call=choose,
            topic="choice",
            form="if",
            propagates_none=False,
            examples=(
                given(
                    'if(eq(variables.environment, "production"), "us-east-1", "us-west-2")',
                    "us-east-1",
                    variables=production,
                ),
                given(
                    'if(eq(variables.environment, "production"), "large", '
                    'if(eq(variables.environment, "staging"), "medium", "small"))',
                    "medium",
                    variables={"environment": "staging"},
                ),
                given(
                    'if(eq(variables.environment, "production"), '
                    'object(size="large", replicas=3, region="us-east-1"), '
                    'object(size="small", replicas=1, region="us-west-2"))',
                    {"size": "large", "replicas": 3, "region": "us-east-1"},
                    variables=production,
                ),
                given('if(none, "custom", "default")', "default"),
                given('if(eq(variables.env, "prod"), true, none)', NONE, variables={"env": "dev"}),
                edge("if(true, 1, 2)", 1),
                edge("if(false, 1, 2)", 2),
                edge("if(true, none, 2)", NONE),
                edge("if(false, substr(none, 0), list())", []),
                edge('if(1, "a", "b")', error="invalid_argument_type"),
                edge('if("", "a", "b")', error="invalid_argument_type"),
                edge('if(list(), "a", "b")', error="invalid_argument_type"),
                edge("if(true, 1)", error="invalid_argument_count"),
            ),
        ),
        Function(
            name="first",
            summary='the first value that is not empty: not none, `""` or `[]`; else the last one',
            parameters=(value, more),
            result="any",
            call=first,
            topic="choice",
            form="first",
            propagates_none=False,
            examples=(
                given(
                    'first(variables.customHost, variables.defaultHost, "localhost")',
                    "db.example.com",
                    variables={"customHost": "", "defaultHost": "db.example.com"},
                ),
                given(
                    "first(datasources.primaryVpc.vpcId, datasources.fallbackVpc.vpcId, "
                    '"vpc-default")',
                    "vpc-2",
                    datasources={"primaryVpc": {"vpcId": ""}, "fallbackVpc": {"vpcId": "vpc-2"}},
                ),
                given(
                    'first(variables.databaseHost, if(eq(variables.environment, "production"), '
                    '"prod-db.example.com", "dev-db.example.com"))',
                    "prod-db.example.com",
                    variables={"databaseHost": "", "environment": "production"},
                ),
                given('first(variables.logLevel, "info")', "info", variables={"logLevel": ""}),
                given('first(none, "", [], "value")', "value"),
                given('first(none, [], "", "value")', "value"),
                given("first(none, none, none)", NONE),
                given(
                    'first(lookup(datasources.config.overrides, "apiEndpoint"), '
                    'variables.customEndpoint, "https://api.default.com")',
                    "https://api.default.com",
                    datasources={"config": {"overrides": {}}},
                    variables={"customEndpoint": ""},
                ),
                given(
                    'first(lookup(datasources.remoteConfig.settings, "timeout"), '
                    'lookup(values.localConfig, "timeout"), 30)',
                    45,
                    datasources={"remoteConfig": {"settings": {}}},
                    values={"localConfig": {"timeout": 45}},
                ),
                edge(
                    'first(lookup(values.config, "description"), "No description")',
                    "No description",
                    values=settings,
                ),
                edge("first(0, 1)", 0),
                edge("first(false, true)", False),
                edge("first(object(), 1)", {}),
                edge('first("", list())', []),
                edge('first(list(), "")', ""),
                edge('first("")', ""),
                edge("first()", error="invalid_argument_count"),
            ),
        ),
        Function(
            name="coalesce",
            summary="the first value that is not none; none when all are",
            parameters=(value, more),
            result="any",
            call=coalesce,
            topic="choice",
            form="coalesce",
            propagates_none=False,
            examples=(
                given('coalesce(lookup(values.config, "timeout"), 30)', 60, values=settings),
                given(
                    'coalesce(variables.customEndpoint, "https://api.default.com")',
                    "https://api.example.com",
                    variables={"customEndpoint": "https://api.example.com"},
                ),
                given(
                    'coalesce(lookup(values.config, "description"), "No description")',
                    "",
                    values=settings,
                ),
                given(
                    'coalesce(lookup(datasources.secrets.prod, "apiKey"), '
                    'lookup(values.overrides, "apiKey"), "default-api-key")',
                    "default-api-key",
                    datasources={"secrets": {"prod": {}}},
                    values={"overrides": {}},
                ),
                given(
                    'coalesce(lookup(values.config, "retries"), '
                    'if(eq(variables.env, "prod"), 60, 30))',
                    30,
                    values=settings,
                    variables={"env": "dev"},
                ),
                edge("coalesce(none, list(), 1)", []),
                edge("coalesce(false, true)", False),
                edge("coalesce(none, 0)", 0),
                edge("coalesce(none, none)", NONE),
                edge("coalesce(none)", NONE),
                edge("coalesce()", error="invalid_argument_count"),
            ),
        ),
        Function(
            name="lookup",
            summary="the value at a key of an object, or none when there is no such key",
            parameters=(
                Parameter("mapping", ("object",), "the object to look in"),
                Parameter("key", ("string",), "the key"),
            ),
            result="any",
            call=lookup,
            topic="choice",
            form="lookup",
            examples=(
                given('coalesce(lookup(values.config, "retries"), 30)', 30, values=settings),
                given('lookup(values.config, "timeout")', 60, values=settings),
                given('lookup(values.config, "retries")', NONE, values=settings),
                given(
                    'coalesce(lookup(object(production="large", staging="medium", '
                    'development="small"), variables.environment), "small")',
                    "large",
                    variables=production,
                ),
                given('lookup(none, "timeout")', NONE),
                edge("lookup(object(), none)", NONE),
                edge('lookup(object(a = ""), "a")', ""),
                edge('lookup(list("a"), "a")', error="invalid_argument_type"),
                edge("lookup(object(), 1)", error="invalid_argument_type"),
                edge('lookup(object(), "a", "default")', error="invalid_argument_count"),
            ),
        ),
    )
