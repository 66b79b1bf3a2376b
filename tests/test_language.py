"""The `${..}` language: what its grammar accepts, how mistakes are told, and its printed form."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import attrs
import pytest
from bpp.functions import NONE
from bpp.pipeline import Limits, MemoryFiles, Run, Settings, Source, check, evaluate, render
from bpp.pipeline.dialects.bluelink.grammar import ROOTS, WORDS, parse
from bpp.pipeline.dialects.bluelink.syntax import SYNTAX
from bpp.pipeline.language.errors import LanguageError
from bpp.pipeline.language.language import Language
from bpp.pipeline.language.patterns import Patterns
from bpp.pipeline.language.printing import show
from bpp.pipeline.values.expression import (
    Access,
    Argument,
    Call,
    Expression,
    Hole,
    Literal,
    Reference,
    walk,
)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

patient = settings(
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


def language(**limits: int) -> Language:
    """A language that has read nothing yet."""
    return Language(SYNTAX, Limits(**limits))


def canonical(text: str) -> str:
    """A string with its substitutions printed in canonical form."""
    spoken = language()
    return "".join(
        segment if isinstance(segment, str) else spoken.show(segment)
        for segment in spoken.split(text)
    )


def refusal(text: str, **limits: int) -> LanguageError:
    """The mistake in a string."""
    with pytest.raises(LanguageError) as caught:
        language(**limits).split(text)
    return caught.value


def unmarked(text: str) -> tuple[str, int, int]:
    """A text without the marks `«` and `»`, and the offsets between them."""
    start, end = text.index("«"), text.index("»") - 1
    return text.replace("«", "").replace("»", ""), start, end


# --- what is a substitution, row by row ---------------------------------------------------------

# The questions are those that the grammar of the specification leaves open or answers twice.
ACCEPTED = [
    ("none is a literal", "${none}", "${none}"),
    ("none is a whole word", "${nonexistent}", "${nonexistent}"),
    ("true and false are whole words", "${trueish}", "${trueish}"),
    ("false ends at a hyphen no more", "${false-start}", "${false-start}"),
    ("a name may start as a literal", "${variables.trueValue}", "${variables.trueValue}"),
    ("a name may start as a literal", "${values.noneOfThese}", "${values.noneOfThese}"),
    ("words are names after a dot", "${values.none.true.elem.i}", "${values.none.true.elem.i}"),
    ("words are names after a dot", "${variables.values}", "${variables.values}"),
    ("words are names in brackets", '${values["true"]["none"]}', "${values.true.none}"),
    ("words are names of arguments", "${object(values=1, none=2)}", "${object(values=1, none=2)}"),
    ("a name of one character", "${variables.a}", "${variables.a}"),
    ("a name of all characters", "${variables._a-B_9-}", "${variables._a-B_9-}"),
    ("a quoted name that is a name", '${variables["a"]}', "${variables.a}"),
    ("a quoted name with a dot", '${variables["a.b"]}', '${variables["a.b"]}'),
    ("a quoted name that is a number", '${values.a["0"]}', '${values.a["0"]}'),
    ("a name in single quotes", "${values['a']['b.c']}", '${values.a["b.c"]}'),
    ("an escaped quote", r'${"a \"b\" c"}', r'${"a \"b\" c"}'),
    ("a backslash is a character", r'${"a\n\\b"}', r'${"a\n\\b"}'),
    ("a line break in a string", '${"a\nb"}', '${"a\nb"}'),
    ("leading zeros", "${007}", "${7}"),
    ("more leading zeros than digits fit", "${" + "0" * 40 + "1}", "${1}"),
    ("a negative zero", "${-0}", "${0}"),
    ("the smallest integer", f"${{{-(2**63)}}}", f"${{{-(2**63)}}}"),
    ("the greatest integer", f"${{{2**63 - 1}}}", f"${{{2**63 - 1}}}"),
    ("a float", "${1.50}", "${1.5}"),
    ("a whole float stays a float", "${-2.0}", "${-2.0}"),
    ("a small float has no exponent", "${0.00000001}", "${0.00000001}"),
    ("white space between all tokens", "${ values . a [ 1 ] [ 'b' ] }", "${values.a[1].b}"),
    ("white space in a call", '${\ttrim\n(\r\n "x"\f) [ ] }', '${trim("x")[0]}'),
    ("white space at an equals sign", "${object( a\n=\n1 )}", "${object(a=1)}"),
    ("names of arguments in any call", "${gt(a=1, 2)}", "${gt(a=1, 2)}"),
    ("an array is a list", '${[1, "two", [none]]}', '${list(1, "two", list(none))}'),
    ("an empty array", "${[ ]}", "${list()}"),
    ("no arguments", "${uuid( )}", "${uuid()}"),
    ("accessors after a call", '${f(1).a["b.c"][2][]}', '${f(1).a["b.c"][2][0]}'),
    ("no index is the first", "${values.a[]}", "${values.a[0]}"),
    ("an index with leading zeros", "${values.a[007]}", "${values.a[7]}"),
    ("a path into a value", "${values.a.b[0][1].c}", "${values.a.b[0][1].c}"),
    ("an element of a data source", "${datasources.a.b[2]}", "${datasources.a.b[2]}"),
    ("a path into an export", "${children.a.b.c[0]}", "${children.a.b.c[0]}"),
    ("a resource alone", "${resources.a}", "${resources.a}"),
    ("a resource without its root", "${a[1].state.b}", "${a[1].state.b}"),
    ("a path into the element", "${elem[0].a}", "${elem[0].a}"),
    ("the element and its index", "${elem}${i}", "${elem}${i}"),
    ("a function as an argument", "${map(values.a, trim)}", "${map(values.a, trim)}"),
    ("names that start as roots", "${elements.a}${ix}", "${elements.a}${ix}"),
    ("text around", "a ${values.b} c", "a ${values.b} c"),
    ("a dollar in front", "$${values.b}", "$${values.b}"),
    ("no substitution", "$ {a} {b} $", "$ {a} {b} $"),
    ("a brace in a string", '${"}"}', '${"}"}'),
    ("a substitution in a string", '${"${a}"}', '${"${a}"}'),
    ("the opener as text", '${"${"}a}', '${"${"}a}'),
    ("two look-alikes of a string in brackets", r'${["a\"]", "b"]}', r'${list("a\"]", "b")}'),
    ("a list of a string that could be a name", '${f(["a"], ["b"])}', '${f(list("a"), list("b"))}'),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "printed"), [pytest.param(t, p, id=f"{about}: {t}") for about, t, p in ACCEPTED]
)
def test_accepted(text: str, printed: str) -> None:
    assert canonical(text) == printed
    assert canonical(printed) == printed


NAME_IN_BRACKETS = (
    "a name in brackets must be quoted and contain only letters, digits, `_`, `-` and `.`"
)
NO_NUMBER = "this is not a number"
NO_OPERATORS = "is not supported: the language has functions instead of operators"
RANGE = "the number does not fit into 64 bits"

REFUSED = [
    # nothing, not ended, one inside another
    ("«${}»", "the substitution is empty"),
    ("a «${ \n }» b", "the substitution is empty"),
    ("a «${»variables.a", "the substitution is not closed"),
    ('${trim(«"»x)}', "a string in the substitution is not closed"),
    ('${«"»a\\"}', "a string in the substitution is not closed"),
    ('${«"»a\\\\"}', "a string in the substitution is not closed"),
    ("${trim(«${»values.a})}", "substitutions cannot be nested"),
    ('${"a" «${»"b"}}', "substitutions cannot be nested"),
    # operators and characters of other languages
    ('${variables.a «==» "x"}', f"`==` {NO_OPERATORS}"),
    ("${«!»true}", f"`!` {NO_OPERATORS}"),
    ("${a «&&» b}", f"`&&` {NO_OPERATORS}"),
    ("${a «?» 1 : 2}", f"`?` {NO_OPERATORS}"),
    ('${"a"«+»"b"}', f"`+` {NO_OPERATORS}"),
    ("${2 «*» 3}", "unexpected character `*`"),
    ("${a «|» b}", "`|` is not supported: a function gets its value in brackets"),
    ("${a «/»/ b}", "unexpected character `/`"),
    ("${«{»}}", "unexpected character `{`"),
    ("${«$»a}", "unexpected character `$`"),
    ("${a«é»}", "unexpected character `é`"),
    ("${«“»a”}", "strings are written with double quotes"),
    ("${«\u00a0»values.a}", "unexpected character U+00A0"),
    ("${values.a«\v»}", "unexpected character U+000B"),
    ("${values.«[»name]}", "a name is expected after the dot"),
    # more than one expression
    ("${variables.a «variables».b}", "`variables` is not expected after a complete expression"),
    ('${"a" «"b"»}', '`"b"` is not expected after a complete expression'),
    ("${a «-1»}", "`-1` is not expected after a complete expression"),
    ("${true «false»}", "`false` is not expected after a complete expression"),
    ("${a«,» b}", "`,` is not expected after a complete expression"),
    ("${a «aaaaaaaaaabbbbbbbbbbccccccccccd»}",
     "`aaaaaaaaaabbbbbbbbbbcccccccccc...` is not expected after a complete expression"),
    # numbers
    ("${«1.2.3»}", NO_NUMBER),
    ("${«1.»}", NO_NUMBER),
    ("${«.5»}", NO_NUMBER),
    ("${«1e3»}", NO_NUMBER),
    ("${«0x23»}", NO_NUMBER),
    ("${f(«1_000»)}", NO_NUMBER),
    ("${«-»}", NO_NUMBER),
    ("${f(«-», 1)}", NO_NUMBER),
    ("${«-»-1}", NO_NUMBER),
    ("${«+»1}", f"`+` {NO_OPERATORS}"),
    ("${«9223372036854775808»}", RANGE),
    ("${f(1, «-9223372036854775809»)}", RANGE),
    ("${«" + "9" * 5000 + "»}", RANGE),
    ("${«" + "9" * 400 + ".0»}", RANGE),
    ("${values.a[«18446744073709551616»]}", RANGE),
    # strings
    ("${«'a'»}", "strings are written with double quotes"),
    ("${f(«'a»}')}", "strings are written with double quotes"),
    # brackets and commas
    ('${trim«(»"x"}', "`(` is not closed"),
    ("${«[»1, 2}", "`[` is not closed"),
    ("${a«[»0}", "`[` is not closed"),
    ("${f(1, «[»2}", "`[` is not closed"),
    ("${f(1«,»}", "the substitution ends where an argument is expected"),
    ("${f(a«=»}", "the substitution ends where an argument is expected"),
    ('${trim("x")«)»}', "`)` has no matching opening bracket"),
    ("${1«]»}", "`]` has no matching opening bracket"),
    ("${f([1«)»]}", "`]` is expected before `)`"),
    ("${[f(1«]»}", "`)` is expected before `]`"),
    ("${f(«]»}", "an argument is expected before `]`"),
    ("${«)»}", "an expression cannot start with `)`"),
    ("${«(»1)}", "parentheses cannot group; they only follow the name of a function"),
    ('${trim("x",«)»}', "an argument is missing after the comma"),
    ("${[1,«]»}", "an argument is missing after the comma"),
    ("${f(«,» 1)}", "an argument is expected before `,`"),
    ("${f(1,«,» 2)}", "an argument is expected before `,`"),
    ("${f(1 «2»)}", "a comma is expected between arguments"),
    ('${["a" «"b"»]}', "a comma is expected between arguments"),
    ("${object(a=1 «b»=2)}", "a comma is expected between arguments"),
    # names of arguments
    ("${object(a=«)»}", "an argument is expected before `)`"),
    ("${f(«=» 1)}", "an argument is expected before `=`"),
    ("${object(a=b«=»1)}", "`=` may only follow the name of an argument"),
    ('${object("a"«=»1)}', "`=` may only follow the name of an argument"),
    ("${object(a.b«=»1)}", "`=` may only follow the name of an argument"),
    ("${[a«=»1]}", "`=` may only follow the name of an argument"),
    ("${a«=»1}", "`=` may only follow the name of an argument"),
    ("${object(a«:» 1)}", "unexpected character `:`"),
    # calls
    ('${getattr("id")«(»1)}', "the result of a call cannot be called"),
    ("${variables.a«(»1)}", "`(` is not expected here"),
    ('${"a"«(»1)}', "`(` is not expected here"),
    # names and indexes
    ("${variables«.»}", "a name is expected after the dot"),
    ("${variables.«.»a}", "a name is expected after the dot"),
    ('${variables.«"a"»}', "a name is expected after the dot"),
    ("${variables.«9a»}", "a name cannot start with a digit"),
    ("${«.»a}", "an expression cannot start with `.`"),
    ('${values.a[«"b c"»]}', NAME_IN_BRACKETS),
    ('${values.a[«"b$"»]}', NAME_IN_BRACKETS),
    ('${values.a[«""»]}', NAME_IN_BRACKETS),
    ("${values.a[«''»]}", NAME_IN_BRACKETS),
    ("${values.a[«'b c'»]}", NAME_IN_BRACKETS),
    ("${values.a[«b»]}", NAME_IN_BRACKETS),
    ("${values.a[«-1»]}", "an index must be a non-negative integer"),
    ("${values.a[«1.5»]}", "an index must be a non-negative integer"),
    ("${values.a[0 «1»]}", "`]` is expected here"),
    ("${true«.»x}", "`.` is not expected after a literal"),
    ("${none«[»0]}", "`[` is not expected after a literal"),
    ('${"a"«.»b}', "`.` is not expected after a literal"),
    ("${[1]«[»0]}", "`[` is not expected after a literal"),
    # the forms of references
    ("${«variables»}", "`variables` must be followed by the name of a variable"),
    ("${f(«values[0]»)}", "`values` must be followed by the name of a value"),
    ("${«resources[]»}", "`resources` must be followed by the name of a resource"),
    ("${«variables.a.b»}", "a variable holds a single value and has no fields"),
    ("${«variables.a[0]»}", "a variable holds a single value and has no fields"),
    ("${«datasources.a»}", "a reference to a data source needs a name and a field"),
    ("${«datasources.a[0]»}", "a reference to a data source needs a name and a field"),
    ("${«datasources.a.b.c»}", "only one index may follow the field of a data source"),
    ("${«datasources.a.b[0][1]»}", "only one index may follow the field of a data source"),
    ("${«children.a»}", "a reference to a child blueprint needs a name and an export"),
    ("${«children.a[0]»}", "a reference to a child blueprint needs a name and an export"),
    ("${«i.a»}", "`i` is a number and has no fields"),
    ("${f( «i [0]» )}", "`i` is a number and has no fields"),
    # positions are those in the whole string
    ('äöü ${values.a} "${«%»}', "unexpected character `%`"),
    ('${join(["«a», b], "-")}'.replace("«a»", "a")[:0] + "a\nb ${f(\n  1\n  «2»)}",
     "a comma is expected between arguments"),
]  # fmt: skip

CODES = {
    "the substitution is empty": "empty_substitution",
    "the substitution is not closed": "unclosed_substitution",
    "a string in the substitution is not closed": "unclosed_substitution",
    RANGE: "number_out_of_range",
}


@pytest.mark.parametrize(
    ("marked", "sentence"), [pytest.param(m, s, id=f"{m[:40]}: {s}") for m, s in REFUSED]
)
def test_refused(marked: str, sentence: str) -> None:
    text, start, end = unmarked(marked)
    error = refusal(text)
    assert error.summary == sentence
    assert text[error.start : error.end] == text[start:end]
    assert (error.start, error.end) == (start, end)
    assert error.code == CODES.get(sentence, "invalid_substitution")
    assert sentence[0] == sentence[0].lower() and not sentence.endswith(".")


# --- the examples of the specifications ---------------------------------------------------------

# All that is not a plain variable or value, with its white space shortened. What the texts write as
# `..`, `{name}` or `[name]` is no example, and those that go into a variable are mistakes.
SPECIFIED = r"""
${list(resources.s3Bucket1.state.name, resources.s3Bucket2.state.name,
  resources.s3Bucket3.state.name)}
${datasources.network.vpc}
${children.coreInfra.databaseHost}
${children.coreInfra.databasePort}
${children.coreInfra.databaseUser}
${children.coreInfra.databasePassword}
${custom_provider_function(jsondecode(variables.deploymentConfig))}
${normalize(values.s3BucketNames)}
${or(eq(variables.deploymentTarget,"container"), eq(variables.deploymentTarget,
  "cloudFunctions"))}
${eq(variables.deploymentTarget, "serverless")}
${eq(variables.environment, "production")}
${vals(values.bucketsConfig)}
${elem.bucketName}
${elem.objectLockEnabled}
${i}
${resources.s3Buckets[1].state.bucketName}
${cwd()}
${myResource.myArray[0]}
${myResource.myArray[]}
${resources.cacheCluster.state.hostConfig[].hostInfo.endpoints[]}
${fromjson(variables.cacheClusterConfig, "host")}
${values.s3BucketConfig.buckets[0].name}
${resources.cacheCluster.state.nodes[].endpoint}
${resources.cacheCluster.spec.clusterSize}
${resources.cacheCluster.metadata.annotations["myAnnotation.populateEnvVars"]}
${resources.cacheClusters[].state.nodes[1].endpoint}
${datasources.network.subnets[]}
${elem["config"].attrs[0]}
${elem[]}
${elem}
${children.coreInfra.ordersTopicInfo.arn}
${get_network_config(resources.vpc.state).info["host"]}
${cacheCluster.state.config.host}
${resources.s3Bucket.state.name}
${jsondecode(variables.buckets)}
${children.coreInfrastructure.ordersTopicId}
${children.topics.ordersTopicId}
${resources.coreInfra.state.ordersTopicId}
${fromjson(variables.cacheClusterConfig, "/host")}
${fromjson(trim(variables.cacheClusterConfig), "/host")}
${fromjson("{\"host\":\"localhost\"}", "/host")}
${map(values.cacheClusterConfigDefs, fromjson_g("/host"))}
${jsondecode(values.cacheClusterConfig)}
${len(values.cacheClusterConfig.endpoints)}
${substr(values.cacheClusterConfig.host, 0, 3)}
${map(values.cacheClusterConfig.hosts, substr_g(0, 3))}
${replace(values.cacheClusterConfig.host, "http://", "https://")}
${map(values.cacheClusterConfig.hosts, replace_g("http://", "https://"))}
${trim(values.cacheClusterConfig.host)}
${trimprefix(values.cacheClusterConfig.host, "http://")}
${trimsuffix(values.cacheClusterConfig.host, ":3000")}
${map(values.cacheClusterConfig.hosts, trimsuffix_g("/config"))}
${split(values.cacheClusterConfig.hosts, ",")}
${flatmap(values.cacheClusterConfig.multiClusterHosts, split_g(","))}
${join(values.cacheClusterConfig.hosts, ",")}
${join([8080, 8081, 8082], ",")}
${join([true, false, true], "|")}
${join(["tag1", none, "tag2", none, "tag3"], ",")}
${index(values.cacheClusterConfig.host, ":3000")}
${last_index(values.cacheClusterConfig.host, ":3000")}
${to_upper(values.cacheClusterConfig.hostName)}
${to_lower(values.cacheClusterConfig.hostId)}
${has_prefix(values.cacheClusterConfig.host, "http://")}
${filter(values.cacheClusterConfig.hosts, has_prefix_g("http://"))}
${has_suffix(values.cacheClusterConfig.host, "/config")}
${filter(values.cacheClusterConfig.hosts, has_suffix_g("/config"))}
${contains(values.cacheClusterConfig.host, "bluelink.dev")}
${filter(values.cacheClusterConfig.hosts, contains_g("bluelink.dev"))}
${list("item1", "item2", "item3", "item4")}
${object(id = "subnet-1234", label = "Subnet 1234")}
${keys(datasources.network.subnets)}
${vals(datasources.network.subnets)}
${map(datasources.network.subnets, compose(to_upper, getattr("id")))}
${map(items, if_g(shouldInclude, transform, none))}
${filter(datasources.network.subnets, has_prefix_g("subnet-402948-"))}
${reduce(datasources.instances.items, sum_memory_reducer, 0)}
${reduce(datasources.instances.items, build_id_to_name_map, object())}
${reduce(list(datasources.vpc.tags, datasources.subnet.tags, variables.customTags),
  merge_tags_reducer, object())}
${sort(datasources.instances.items, compare_instance_size)}
${sort(datasources.region.availabilityZones, compare_strings_alphabetically)}
${sort(datasources.resources.items, compare_priority_desc)}
${flatmap(values.hosts, split_g(","))}
${flatmap(values.cacheClusterConfig.hosts, split_g(","))}
${map(datasources.network.subnets, pipe(getattr("id"), to_upper))}
${map(datasources.network.subnets, compose(getattr("id"), getattr("definition")))}
${map(datasources.network.subnets, compose(getattr("id"), getelem(0)))}
${link(resources.orderApi, resources.createOrderFunction)}
${link(orderApi, listOrdersFunction)}
${link("orderApi", "deleteOrderFunction")}
${and(resources.orderApi.spec.isProd, eq(variables.environment, "prod"))}
${and(isDev, eq(variables.region, "us-west-2"))}
${or(resources.orderApi.spec.isDev, eq(variables.environment, "dev"))}
${not(eq(variables.environment, "prod"))}
${eq(variables.environment, "prod")}
${gt(len(datasources.network.subnets), 10)}
${ge(len(datasources.network.subnets), 10)}
${lt(len(datasources.network.subnets), 10)}
${le(len(datasources.network.subnets), 10)}
${if(eq(variables.environment, "production"), "us-east-1", "us-west-2")}
${if(eq(variables.environment, "production"), "large", if(eq(variables.environment, "staging"),
  "medium", "small"))}
${if(eq(variables.environment, "production"), object(size="large", replicas=3,
  region="us-east-1"), object(size="small", replicas=1, region="us-west-2"))}
${and(eq(variables.environment, "production"), eq(variables.region, "us-east-1"))}
${eq(variables.environment, "staging")}
${object(size="large", replicas=3, region="us-east-1", backupEnabled=true,
  monitoringLevel="detailed")}
${object(size="medium", replicas=2, region="us-west-2", backupEnabled=true,
  monitoringLevel="standard")}
${object(size="small", replicas=1, region="us-west-1", backupEnabled=false,
  monitoringLevel="basic")}
${if(values.isProduction, values.productionConfig, if(values.isStaging, values.stagingConfig,
  values.developmentConfig))}
${if(customCondition, "custom", "default")}
${if(eq(variables.env, "prod"), true, none)}
${coalesce(variables.timeoutOverride, if(eq(variables.env, "prod"), 60, 30))}
${first(variables.customHost, variables.defaultHost, "localhost")}
${first(datasources.primaryVpc.vpcId, datasources.fallbackVpc.vpcId, "vpc-default")}
${first(variables.databaseHost, if(eq(variables.environment, "production"),
  "prod-db.example.com", "dev-db.example.com"))}
${first(variables.logLevel, "info")}
${first(none, "", [], "value")}
${first(none, [], "", "value")}
${first(none, none, none)}
${first(lookup(datasources.config.overrides, "apiEndpoint"), variables.customEndpoint,
  "https://api.default.com")}
${first(lookup(datasources.remoteConfig.settings, "timeout"), lookup(variables.localConfig,
  "timeout"), 30)}
${coalesce(lookup(config, "timeout"), 30)}
${coalesce(variables.customEndpoint, "https://api.default.com")}
${coalesce(lookup(config, "description"), "No description")}
${first(lookup(config, "description"), "No description")}
${coalesce(lookup(datasources.secrets.prod, "apiKey"), lookup(variables.overrides, "apiKey"),
  "default-api-key")}
${coalesce(lookup(object(production="large", staging="medium", development="small"),
  variables.environment), "small")}
${first(lookup(datasources.secrets.prod, "apiKey"), lookup(variables.overrides, "apiKey"),
  "default-api-key")}
${coalesce(lookup(datasources.config.settings, "timeout"), 30)}
${coalesce(lookup(datasources.config.settings, "memory"), 512)}
${lookup(datasources.config.metadata, "description")}
${base64encode(file("certificates/server.pem"))}
${base64encode(http_resource("https://example.com/app.zip"))}
${base64encode("#!/bin/bash\necho 'Hello World'")}
${base64decode("SGVsbG8gV29ybGQ=")}
${jsondecode(utf8(base64decode(variables.encodedConfig)))}
${min(10, 5, 8, 3)}
${min(variables.maxInstances, 10)}
${max(10, 5, 8, 3)}
${max(variables.minInstances, 2)}
${abs(-5)}
${abs(3)}
${cidrsubnet("192.168.0.0/16", 8, 1)}
${cidrsubnet("10.0.0.0/8", 4, 2)}
${cidrsubnet(variables.vpcCidr, 4, variables.subnetIndex)}
${file("certificates/server.pem")}
${file("dist/function.zip")}
${file("images/app.tar")}
${file("s3://my-bucket/certificates/server.pem")}
${file("gs://my-bucket/dist/function.zip")}
${http_resource("https://raw.githubusercontent.com/example/config/main/app.json")}
${http_resource("https://github.com/example/app/releases/download/v1.0.0/app.zip")}
${http_resource("https://example.com/docs/api-schema.json")}
${base64encode(http_resource("https://raw.githubusercontent.com/example/scripts/main/init.sh"))}
${jsondecode(utf8(file("config.json")))}
${replace(utf8(http_resource("https://example.com/template.txt")), "{{name}}", variables.appName)}
${sha256(utf8(file("data.txt")))}
${file("scripts/init.sh")}
${http_resource("https://example.com/config.json")}
${sha256("Hello World")}
${sha256(base64decode(datasources.certificate.certificateBody))}
${sha256(variables.environment)}
${md5("Hello World")}
${md5(file("config.json"))}
${sha1("Hello World")}
${sha1(values.configData)}
${uuid()}
${datetime("tag")}
${none}
${domain}
${coalesce(domain, "localhost")}
${if(includeOptional, "optional-item", none)}
${if(condition, "value", none)}
${coalesce(variables.customMemory, 512)}
${first(lookup(config, "customUrl"), variables.overrideUrl, "https://api.default.com")}
${map(values.cacheClusterConfig.hosts, trimprefix_g("http://"))}
${map(datasources.network.subnets, getattr("id"))}
"""


@pytest.mark.parametrize("text", SPECIFIED.strip().replace("\n  ", " ").splitlines())
def test_examples_of_the_specifications(text: str) -> None:
    (substitution,) = language().split(text)
    assert not isinstance(substitution, str)
    assert canonical(canonical(text)) == canonical(text)
    assert parse(show(parse(text[2:-1]))) == parse(text[2:-1])


# --- where a substitution stands ----------------------------------------------------------------


def rendered(*spec: str) -> Run:
    """A blueprint with one resource that has this spec."""
    lines = ["version: 2023-04-20", "resources:", "  a:", "    type: x/y", "    spec:", *spec, ""]
    text = "\n".join(lines)
    return render(Source("blueprint.yaml", text, "yaml"), files=MemoryFiles({}))


def told(run: Run) -> list[tuple[str, str]]:
    """The codes and places of what a run has to say."""
    return [(item.code, str(item.span).partition(":")[2]) for item in run.diagnostics]


def test_a_function_where_one_is_expected() -> None:
    """A name without a root is a function for a parameter that takes one, otherwise a resource."""
    scope = {"resources": {"trim": {"spec": {"a": 1}}}}
    assert evaluate('${map(list(" a "), trim)}', scope).value == ["a"]
    assert evaluate("${trim.spec.a}", scope).value == 1
    assert evaluate("${list(trim)}", scope).residual == "${list(resources.trim)}"


@pytest.mark.parametrize("name", ["elem", "i"])
def test_the_element_needs_an_each(name: str) -> None:
    (found,) = evaluate(f"${{{name}}}", {}).diagnostics
    assert found.code == "elem_outside_each"
    assert told(rendered(f"      a: ${{{name}}}")) == [("elem_outside_each", "6:12")]


def test_keys_hold_no_substitution() -> None:
    assert told(rendered('      "${i}": 1')) == [("substitution_not_allowed", "6:7")]


def test_a_block_scalar_with_one_substitution_is_one() -> None:
    run = rendered(
        "      a: |",
        "        ${list(1)}",
        "      b: >-",
        "",
        "        ${true}",
        "      c: |",
        "        ${1}",
        "        x",
    )
    assert run.ok, told(run)
    spec = json.loads(run.text("json"))["resources"]["a"]["spec"]
    assert spec == {"a": [1], "b": True, "c": "1\nx\n"}


# --- printing and reading again -----------------------------------------------------------------

WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*\Z")
HARD = ('"', "\\", "${", "$", "}", "'", "\n", "\r", "\t", "[", "]", '\\"', '["a"]', "\0", "é", "𝄞",
        "a", " ", "(", ")", ",")  # fmt: skip

names = st.one_of(
    st.sampled_from((*ROOTS, *WORDS, "a", "_", "a-b", "n9", "-".join("xyz"))),
    st.from_regex(r"[A-Za-z_][A-Za-z0-9_-]{0,5}", fullmatch=True),
)
odd_names = st.one_of(
    names, st.text("AZaz09_.-", min_size=1, max_size=5), st.sampled_from(("0", ".", "a.b", "-"))
)
hard_texts = st.one_of(st.lists(st.sampled_from(HARD), max_size=6).map("".join), st.text())
indexes = st.one_of(st.integers(0, 20), st.integers(0, 2**63 - 1))
path_items: st.SearchStrategy[str | int] = st.one_of(odd_names, indexes)
paths = st.lists(path_items, max_size=4).map(tuple)
numbers = st.one_of(
    st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False, allow_infinity=False)
)
scalars = st.one_of(st.just(NONE), st.booleans(), numbers, hard_texts)


def _reference(root: str, *parts: st.SearchStrategy[Any]) -> st.SearchStrategy[Expression]:
    def build(drawn: tuple[Any, ...]) -> Expression:
        path: list[str | int] = []
        for part in drawn:
            path.extend(part if isinstance(part, tuple) else (part,))
        return Reference(root, tuple(path))

    return st.tuples(*parts).map(build)


references = st.one_of(
    _reference("variables", odd_names),
    _reference("values", odd_names, paths),
    _reference("datasources", odd_names, odd_names, st.lists(indexes, max_size=1).map(tuple)),
    _reference("children", odd_names, odd_names, paths),
    _reference("resources", odd_names, paths),
    _reference("elem", paths),
    st.just(Reference("i")),
    st.tuples(names.filter(lambda name: name not in (*ROOTS, *WORDS)), paths).map(
        lambda pair: Reference("resources", (pair[0], *pair[1]), True)
    ),
)


def _grown(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    arguments = st.builds(Argument, inner, st.one_of(st.none(), names))
    calls = st.builds(Call, names, st.lists(arguments, max_size=3).map(tuple))
    return st.one_of(calls, st.builds(Access, calls, paths.filter(bool)))


def trees(literals: st.SearchStrategy[Any]) -> st.SearchStrategy[Expression]:
    """Expressions as the grammar makes them."""
    return st.recursive(st.one_of(references, literals.map(Literal)), _grown, max_leaves=6)


said = scalars.filter(lambda value: not (isinstance(value, str) and value.endswith("\\")))


@settings(patient, max_examples=300)
@given(trees(said))
def test_what_is_printed_reads_the_same(tree: Expression) -> None:
    text = show(tree)
    assert parse(text) == tree
    assert show(parse(text)) == text


@settings(patient, max_examples=150)
@given(st.lists(st.one_of(trees(said), hard_texts), max_size=4))
def test_what_is_printed_is_found_in_a_string(parts: list[Expression | str]) -> None:
    """Text and substitutions side by side: each is found where it was printed."""
    spoken = language()
    text = "".join(
        spoken.protect(part) if isinstance(part, str) else "${" + show(part) + "}" for part in parts
    )
    found: list[Expression | str] = []
    for segment in spoken.split(text):
        found.append(segment if isinstance(segment, str) else spoken.exact(segment))
    opener = Literal("${")
    assert _joined(found, opener) == _joined(parts, opener)


def _joined(parts: list[Expression | str], opener: Literal) -> list[Expression | str]:
    """Texts beside each other as one; the literal that stands for the opener is text."""
    joined: list[Expression | str] = []
    for part in parts:
        piece: Expression | str = "${" if part == opener else part
        if isinstance(piece, str) and joined and isinstance(joined[-1], str):
            joined[-1] += piece
        else:
            joined.append(piece)
    return [part for part in joined if part != ""]


data_keys = st.one_of(names, hard_texts)
data = st.recursive(
    st.one_of(st.booleans(), numbers, hard_texts),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(data_keys, inner, max_size=3)
    ),
    max_leaves=8,
)


@settings(patient, max_examples=250)
@given(data)
def test_a_printed_value_is_worth_itself(value: Any) -> None:
    result = evaluate("${" + show(Literal(value)) + "}")
    assert result.diagnostics == ()
    assert repr(result.value) == repr(value)


def test_deep_and_big_values_are_printed_as_json() -> None:
    """What is printed must be readable again, so neither depth nor size may add up."""
    deep: Any = 1
    for _ in range(30):
        deep = [deep]
    big = {f"key{n}": "x" * 50 for n in range(2_000)}
    for value in (deep, big, [big, deep], {"a b": 1}):
        text = "${list(" + show(Literal(value), 1) + ")}"
        assert evaluate(text).value == [value]
        assert evaluate(text).diagnostics == ()
    assert show(Literal({"a b": 1})) == r'jsondecode("{\"a b\": 1}")'
    assert show(Literal([[1], {"a": 2.0}])) == "list(list(1), object(a=2.0))"


def test_binary_is_printed_as_a_call() -> None:
    assert show(Literal(b"\xff")) == 'base64decode("/w==")'
    assert show(Literal({"a b": b"text"})) == r'jsondecode("{\"a b\": \"text\"}")'


# --- a second opinion on the grammar ------------------------------------------------------------

SPACES = " \t\n\f\r"
QUOTED = re.compile(r"[A-Za-z0-9_.-]+\Z")


def _tokens(text: str) -> list[tuple[str, str]] | None:
    """The tokens of a text, longest first, as (kind, text); None when something is no token."""
    found: list[tuple[str, str]] = []
    rest = text
    while rest := rest.lstrip(SPACES):
        size = 1
        if rest[0] == '"':
            while size < len(rest) and rest[size] != '"':
                size += 2 if rest.startswith('\\"', size) else 1
            if size >= len(rest):
                return None
            found.append(("string", rest[1:size]))
            size += 1
        elif rest[0] == "'":
            size = rest.find("'", 1) + 1
            if size == 0:
                return None
            found.append(("quoted", rest[1 : size - 1]))
        elif match := re.match(r"[A-Za-z_][A-Za-z0-9_-]*", rest):
            size = match.end()
            found.append(("name", match.group()))
        elif match := re.match(r"-?[0-9]+(\.[0-9]+)?", rest):
            size = match.end()
            found.append(("float" if match.group(1) else "int", match.group()))
        elif rest[0] in "()[].,=":
            found.append((rest[0], rest[0]))
        else:
            return None
        rest = rest[size:]
    return found


Ends = Iterator[int]


@attrs.frozen
class Recogniser:
    """The grammar of the specification, corrected, rule by rule: where may each rule end?

    Unlike the grammar under test it tries every way to read a text, so nothing here depends on the
    order of choices.
    """

    tokens: list[tuple[str, str]]

    def kind(self, at: int) -> str:
        return self.tokens[at][0] if at < len(self.tokens) else ""

    def take(self, at: int, *kinds: str) -> Ends:
        if self.kind(at) in kinds:
            yield at + 1

    def word(self, at: int, *words: str) -> Ends:
        if self.kind(at) == "name" and self.tokens[at][1] in words:
            yield at + 1

    def chain(self, at: int, *rules: Callable[[int], Ends]) -> Ends:
        """One rule after the other."""
        if not rules:
            yield at
            return
        for end in set(rules[0](at)):
            yield from self.chain(end, *rules[1:])

    def many(self, at: int, rule: Callable[[int], Ends]) -> Ends:
        """A rule any number of times."""
        yield at
        for end in set(rule(at)):
            yield from self.many(end, rule)

    def maybe(self, at: int, rule: Callable[[int], Ends]) -> Ends:
        yield at
        yield from rule(at)

    def substitution(self, at: int) -> Ends:
        for rule in (self.call, self.reference, self.resource, self.literal, self.array):
            yield from rule(at)

    def call(self, at: int) -> Ends:
        yield from self.chain(at, self.name, self.open, self.arguments, self.close, self.accessors)

    def arguments(self, at: int) -> Ends:
        yield at
        yield from self.chain(at, self.argument, lambda i: self.many(i, self.further_argument))

    def further_argument(self, at: int) -> Ends:
        yield from self.chain(at, self.comma, self.argument)

    def argument(self, at: int) -> Ends:
        yield from self.substitution(at)
        yield from self.chain(at, self.name, lambda i: self.take(i, "="), self.substitution)

    def array(self, at: int) -> Ends:
        inside = self.chain(
            at,
            lambda i: self.take(i, "["),
            self.substitution,
            lambda i: self.many(i, lambda j: self.chain(j, self.comma, self.substitution)),
            lambda i: self.take(i, "]"),
        )
        yield from inside
        yield from self.chain(at, lambda i: self.take(i, "["), lambda i: self.take(i, "]"))

    def reference(self, at: int) -> Ends:
        one, path = self.name_accessor, self.accessors
        for root, *rules in (
            ("variables", one),
            ("values", one, path),
            ("datasources", one, one, lambda i: self.maybe(i, self.index_accessor)),
            ("children", one, one, path),
            ("elem", path),
            ("i",),
        ):
            yield from self.chain(at, self.rooted(root), *rules)

    def rooted(self, root: str) -> Callable[[int], Ends]:
        return lambda at: self.word(at, root)

    def resource(self, at: int) -> Ends:
        yield from self.chain(
            at, lambda i: self.word(i, "resources"), self.name_accessor, self.accessors
        )
        if self.kind(at) == "name" and self.tokens[at][1] not in (*ROOTS, *WORDS):
            yield from self.accessors(at + 1)

    def literal(self, at: int) -> Ends:
        yield from self.take(at, "string", "int", "float")
        yield from self.word(at, "true", "false", "none")

    def accessors(self, at: int) -> Ends:
        yield from self.many(at, self.accessor)

    def accessor(self, at: int) -> Ends:
        yield from self.name_accessor(at)
        yield from self.index_accessor(at)

    def name_accessor(self, at: int) -> Ends:
        yield from self.chain(at, lambda i: self.take(i, "."), self.name)
        if [self.kind(at), self.kind(at + 2)] == ["[", "]"]:
            kind, content = self.tokens[at + 1]
            if kind in ("string", "quoted") and QUOTED.match(content):
                yield at + 3

    def index_accessor(self, at: int) -> Ends:
        if [self.kind(at), self.kind(at + 1)] == ["[", "]"]:
            yield at + 2
        indexed = [self.kind(at), self.kind(at + 1), self.kind(at + 2)] == ["[", "int", "]"]
        if indexed and self.tokens[at + 1][1].isdigit():
            yield at + 3

    def name(self, at: int) -> Ends:
        yield from self.take(at, "name")

    def open(self, at: int) -> Ends:
        yield from self.take(at, "(")

    def close(self, at: int) -> Ends:
        yield from self.take(at, ")")

    def comma(self, at: int) -> Ends:
        yield from self.take(at, ",")


def recognised(text: str) -> bool:
    """True when the grammar of the specification derives a text."""
    tokens = _tokens(text)
    return tokens is not None and len(tokens) in set(Recogniser(tokens).substitution(0))


def parsed(text: str) -> bool:
    """True when the grammar under test accepts a text."""
    try:
        parse(text)
    except LanguageError:
        return False
    return True


@st.composite
def token_lists(draw: st.DrawFn, depth: int = 3) -> list[str]:
    """The tokens of an expression."""
    name = draw(names)
    quoted = draw(st.sampled_from(('"{}"', "'{}'"))).format(draw(odd_names))
    named = draw(st.sampled_from(([".", name], ["[", quoted, "]"])))
    index = ["[", *draw(st.sampled_from(([], ["0"], ["17"], ["007"]))), "]"]
    path = draw(st.lists(st.sampled_from((named, index)), max_size=3))
    after = [token for accessor in path for token in accessor]
    inner = token_lists(depth - 1)
    kind = draw(st.sampled_from(("literal", "reference", "call", "array")[: 4 if depth else 2]))
    if kind == "literal":
        text = '"' + draw(st.sampled_from(("", "a", "}", r"\"", "a.b", "(", "'", ", "))) + '"'
        return [draw(st.sampled_from((text, "1", "-20", "0.5", "-1.0", "true", "false", "none")))]
    if kind == "reference":
        root = draw(st.sampled_from((*ROOTS, "some-thing", "r")))
        shortest = {"variables": named, "datasources": [*named, ".", "f"], "i": []}
        if root in shortest:
            return [root, *shortest[root]]
        return [root, *([] if root in ("elem", "r") else named), *named, *after]
    elements: list[str] = []
    for n in range(draw(st.integers(0, 3))):
        naming = [name, "="] if kind == "call" and draw(st.booleans()) else []
        elements += [*([","] if n else []), *naming, *draw(inner)]
    if kind == "array":
        return ["[", *elements, "]"]
    return [name, "(", *elements, ")", *after]


spaces = st.sampled_from(("", "", "", " ", "\n", "\t", "\r\n", "\f ", "  "))


@st.composite
def texts(draw: st.DrawFn) -> str:
    """The text of an expression, with white space between its tokens."""
    tokens = draw(token_lists())
    return draw(spaces) + "".join(token + draw(spaces) for token in tokens)


ALPHABET = "".join(("aeix_9-", "()[].,=", "\"'\\", " \n", "$}{:", "\v\u00a0é"))


@st.composite
def damaged_texts(draw: st.DrawFn) -> str:
    """The text of an expression in which a few characters were changed."""
    text = draw(texts())
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, max(len(text) - 1, 0)))
        how = draw(st.sampled_from(("delete", "insert", "replace", "swap", "double")))
        new = draw(st.sampled_from(ALPHABET))
        if how == "delete":
            text = text[:at] + text[at + 1 :]
        elif how == "insert":
            text = text[:at] + new + text[at:]
        elif how == "replace":
            text = text[:at] + new + text[at + 1 :]
        elif how == "swap":
            text = text[:at] + text[at + 1 : at + 2] + text[at : at + 1] + text[at + 2 :]
        else:
            text = text[:at] + text[at : at + 4] + text[at:]
    return text


@settings(patient, max_examples=300)
@given(texts())
def test_texts_of_the_grammar_are_accepted(text: str) -> None:
    assert recognised(text)
    tree = parse(text)
    assert parse(show(tree)) == tree
    assert show(parse(show(tree))) == show(tree)


@pytest.mark.slow
@settings(patient, max_examples=1200)
@given(damaged_texts())
def test_two_grammars_accept_the_same(text: str) -> None:
    assert parsed(text) == recognised(text)


@settings(patient, max_examples=400)
@given(damaged_texts(), st.sampled_from(("", "a ", "é\n")))
def test_a_mistake_has_a_place_and_a_sentence_of_its_own(text: str, before: str) -> None:
    string = before + "${" + text + "}"
    try:
        language().split(string)
    except LanguageError as error:
        assert len(before) <= error.start < error.end <= len(string)
        assert "cannot be read" not in error.summary


# --- shapes -------------------------------------------------------------------------------------


def filled(node: Expression, literals: tuple[str, ...]) -> Expression:
    """A shape with its literals."""
    match node:
        case Hole(index=index):
            return Literal(literals[index])
        case Call(function=function, arguments=arguments):
            return Call(
                function, tuple(Argument(filled(a.value, literals), a.name) for a in arguments)
            )
        case Access(target=target, path=path):
            return Access(filled(target, literals), path)
    return node


@settings(patient, max_examples=200)
@given(texts())
def test_a_shape_with_its_literals_is_the_expression(text: str) -> None:
    (found,) = language().split("${" + text + "}")
    assert not isinstance(found, str)
    assert filled(found.shape.expression, found.literals) == parse(text)


def test_texts_that_differ_in_literals_share_a_parse() -> None:
    spoken = language()
    shapes = set()
    for n in range(100):
        text = f'${{join(list("a{n}", values.a, "{"x" * n}"), "\\"{n}")}}'
        (found,) = spoken.split(text)
        assert not isinstance(found, str)
        assert found.literals == (f"a{n}", "x" * n, f'"{n}')
        assert show(spoken.exact(found)) == text[2:-1]
        shapes.add(id(found.shape))
    assert len(shapes) == 1
    assert spoken.parses + spoken.ready == 1


def test_equal_texts_are_read_once() -> None:
    ready = Patterns({"values._": ("values", 0)}, frozenset(["values"]))
    spoken = Language(SYNTAX.evolve(known=ready.find), Limits())
    assert spoken.split("a ${values.b}") is spoken.split("a ${values.b}")
    spoken.split("c ${values.b}")
    spoken.split("d ${f(g(values.b, 1.5), h())}")
    spoken.split("e ${f(g(values.b, 1.5), h())}")
    assert (spoken.parses, spoken.ready) == (1, 1)


def test_a_hole_character_is_text() -> None:
    """The character that marks the holes of a shape may occur in a text."""
    (found,) = language().split('${f("\0", "a\0")}')
    assert not isinstance(found, str)
    assert found.literals == ("\0", "a\0")
    assert canonical('${f("\0", "a\0")}') == '${f("\0", "a\0")}'
    assert evaluate('${join(list("\0"), "")}').value == "\0"


@pytest.mark.parametrize(
    "marked",
    [
        '${join(list("a", "b", "c", substr("d", «7»)), "-")}',
        '${join(list("", "\\"\\"", "ccc", substr("dddd", «7»)), "--")}',
        'text ${join(list("${", "}", "é𝄞", substr("e", «7»)), "")} text',
        '${join(list("a\nb", "c", "d", substr("e", «7»)), "")}',
    ],
)
def test_a_place_in_a_shared_shape_is_exact(marked: str) -> None:
    text, start, end = unmarked(marked)
    first = '${join(list("first", "second", "third", substr("text", 7)), "!")}'
    (found,) = evaluate(first + text).diagnostics
    assert found.span is not None and found.span.start == first.index("7")
    first = first.replace('"text"', '"long text"')
    (found,) = evaluate(first + text).diagnostics
    shift = len(first)
    assert found.span is not None
    assert (found.span.start, found.span.end) == (start + shift, end + shift)


def test_a_place_in_a_document_is_exact() -> None:
    run = rendered(
        '      a: ${join(list("a", "b", substr("c", 0)), "-")}',
        '      b: ${join(list("aaaa", "", substr("c", 5)), "-")}',
        '      c: "${join(list(\\"a\\", \\"\\u00e9\\", substr(\\"c\\", 5)), \\"-\\")}"',
    )
    assert told(run) == [("invalid_argument", "7:46"), ("invalid_argument", "8:56")]


# --- limits -------------------------------------------------------------------------------------

NESTED = {
    "calls": lambda depth: "trim(" * depth + '"x"' + ")" * depth,
    "arrays": lambda depth: "[" * depth + "1" + "]" * depth,
    "waiting": lambda depth: "list(" * depth + "resources.a.state.b" + ")" * depth,
    "named": lambda depth: "object(a=" * depth + "1" + ")" * depth,
    "chained": lambda depth: "list(" * depth + "1" + ")[0]" * depth,
}


@pytest.mark.parametrize("kind", NESTED)
def test_nesting_has_a_limit(kind: str) -> None:
    limit = Limits().max_expression_depth
    assert not evaluate("${" + NESTED[kind](limit) + "}").diagnostics
    text = "a ${" + NESTED[kind](limit + 1) + "}"
    (found,) = evaluate(text).diagnostics
    assert found.code == "limit_exceeded"
    assert found.summary == f"expressions may be nested {limit} deep (`max_expression_depth`)"
    assert found.span is not None
    assert found.span.start == [match.start() for match in re.finditer(r"[(\[]", text)][limit]
    assert found.span.end == found.span.start + 1


@pytest.mark.parametrize("kind", NESTED)
@pytest.mark.parametrize("frames", [0, 500])
def test_depth_costs_no_more_than_a_small_stack(kind: str, frames: int) -> None:
    """The deepest expression that is allowed, in a thread with little room."""
    limit = Limits().max_expression_depth
    answers: list[Any] = []

    def deeper(more: int) -> None:
        if more > 1:
            deeper(more - 1)
            return
        for depth in (limit, limit + 1):
            answers.append(evaluate("${" + NESTED[kind](depth) + "}").diagnostics)

    before = threading.stack_size(256 * 1024)
    try:
        thread = threading.Thread(target=deeper, args=(frames,))
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    assert [[item.code for item in found] for found in answers] == [[], ["limit_exceeded"]]


def test_a_limit_that_is_too_high_is_told() -> None:
    text = "${" + NESTED["calls"](2_000) + "}"
    error = refusal(text, max_expression_depth=5_000)
    assert (error.code, error.start, error.end) == ("limit_exceeded", 2, len(text) - 1)
    assert "max_expression_depth" in error.summary


def test_brackets_in_strings_do_not_nest() -> None:
    assert evaluate('${trim("' + "([" * 100 + '")}').value == "([" * 100
    path = '["b"]' * 100
    nested: Any = 1
    for _ in range(100):
        nested = {"b": nested}
    assert evaluate('${values["a"]' + path + "}", {"values": {"a": nested}}).value == 1


def test_length_has_a_limit_that_strings_do_not_count_for() -> None:
    limit = Limits().max_expression_chars
    text = "list(" + ", ".join(["true"] * (limit // 6 + 1)) + ")"
    error = refusal("${" + text + "}")
    assert (error.code, error.start, error.end) == ("limit_exceeded", 2, len(text) + 2)
    assert "max_expression_chars" in error.summary
    assert evaluate('${trim("' + "x" * 2 * limit + '")}').value == "x" * 2 * limit


def test_a_limit_does_not_depend_on_what_was_read_before() -> None:
    spoken = language()
    spoken.split('${trim(trim(trim("x")))}')
    strict = Language(SYNTAX, Limits(max_expression_depth=2), spoken.shapes)
    with pytest.raises(LanguageError, match="max_expression_depth"):
        strict.split('${trim(trim(trim("y")))}')


def test_a_string_holds_so_many_substitutions() -> None:
    error = refusal("${i}" * 4, max_substitutions=3)
    assert (error.code, error.start, error.end) == ("limit_exceeded", 0, 16)
    assert len(language(max_substitutions=3).split("${i}a${i}")) == 3


def test_limits_are_settings() -> None:
    found = evaluate("${[[1]]}", settings=Settings(limits=Limits(max_expression_depth=1)))
    assert [item.code for item in found.diagnostics] == ["limit_exceeded"]


# --- trees --------------------------------------------------------------------------------------


def test_places_of_nodes() -> None:
    """Every node knows where it is written, from the start of the string."""
    text = 'a ${ join(list(values.a , b.c), "-")[0] }'
    (_, found) = language().split(text)
    assert not isinstance(found, str)
    written = [text[node.start : node.end] for node in walk(language().exact(found))]
    assert written == [
        'join(list(values.a , b.c), "-")[0]',
        'join(list(values.a , b.c), "-")',
        "list(values.a , b.c)",
        "values.a",
        "b.c",
        '"-"',
    ]
    assert text[found.start : found.end] == text[2:]


def test_places_of_path_items() -> None:
    text = "values.a[ 'b.c' ] [ 12 ][].d"
    reference = parse(text, 100)
    assert isinstance(reference, Reference)
    assert reference.path == ("a", "b.c", 12, 0, "d")
    assert [mark - 100 for mark in reference.marks] == [7, 11, 20, 25, 27]


def test_trees_are_equal_when_they_mean_the_same() -> None:
    assert parse("f( 1,a = [2] )") == parse("f(1, a=list(2))")
    assert parse("1") != parse("1.0")
    assert parse("true") != parse("1")
    assert parse("a.b") != parse("resources.a.b")


@cache
def _check_text() -> str:
    return "version: 2023-04-20\nresources:\n  a:\n    type: x/y\n    spec:\n"


def test_all_mistakes_of_a_document_are_told_at_once() -> None:
    lines = [f"      k{n}: ${{{text}}}" for n, text in enumerate(("", "a b", "f(", "'x'", "1.2.3"))]
    source = Source("blueprint.yaml", _check_text() + "\n".join(lines) + "\n", "yaml")
    found = check(source, files=MemoryFiles({}))
    places = [(item.code, item.span.line) for item in found if item.span is not None]
    assert places == [
        ("empty_substitution", 6),
        ("invalid_substitution", 7),
        ("invalid_substitution", 8),
        ("invalid_substitution", 9),
        ("invalid_substitution", 10),
    ]
