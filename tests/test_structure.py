"""The structure of blueprints: a row is a blueprint and the mistakes to be found in it."""

from __future__ import annotations

import pytest
from bpp.pipeline import check
from bpp.pipeline.dialects.bluelink.structure.inspection import read_literal
from bpp.pipeline.values.source import Source

# fmt: off
# what the structural checks report; other checks see the same blueprints and say more
CODES = {
    "data_source_missing_exports", "data_source_missing_filter",
    "data_source_missing_filter_field", "data_source_missing_filter_operator",
    "data_source_missing_filter_search", "duplicate_transform", "empty_export_field",
    "include_empty_path", "include_path_type", "include_variable_type_mismatch",
    "invalid_annotation", "invalid_boolean", "invalid_data_source_field_type",
    "invalid_data_source_filter_operator", "invalid_data_source_type", "invalid_export_field",
    "invalid_export_type", "invalid_label", "invalid_list", "invalid_map", "invalid_name",
    "invalid_removal_policy", "invalid_resource_condition", "invalid_resource_type",
    "invalid_scalar", "invalid_string", "invalid_transform_type", "invalid_value_type",
    "invalid_variable_type", "invalid_version", "missing_field", "missing_path",
    "missing_resources", "missing_spec", "missing_type", "missing_value", "missing_version",
    "needs_newer_version", "resource_each_invalid_type", "substitution_not_allowed",
    "unknown_field", "value_type_mismatch", "variable_invalid_allowed_value",
    "variable_invalid_allowed_values", "variable_invalid_allowed_values_not_supported",
    "variable_invalid_default_value", "variable_invalid_secret_value",
    "variable_value_not_allowed",
}

OLDER = "version: 2023-04-20\n"
NEWER = "version: 2025-11-02\n"

# whole documents: text, mistakes as "code line:column"
DOCUMENTS = [
    ("", ["invalid_map 1:1"]),
    ("version: 2023-04-20\nresources: {}\n", []),
    ("version: 2025-11-02\nresources: {}\n", []),
    ('version: "2023-04-20"\ninclude: {}\n', []),
    ("resources: {}\n", ["missing_version 1:1"]),
    ("# a comment\n\nresources: {}\n", ["missing_version 3:1"]),
    ("version: 2023-04-21\nresources: {}\n", ["invalid_version 1:10"]),
    ('version: ""\nresources: {}\n', ["invalid_version 1:10"]),
    ("version: 2023\nresources: {}\n", ["invalid_version 1:10"]),
    ("version: [2023-04-20]\nresources: {}\n", ["invalid_version 1:10"]),
    ("version: v${variables.v}\nresources: {}\n", ["substitution_not_allowed 1:11"]),
    ("version: 2023-04-20\n", ["missing_resources 1:1"]),
    ("version: 2023-04-20\nvariables: {}\n", ["missing_resources 1:1"]),
    ("version: 2023-04-20\nresource: {}\n", ["unknown_field 2:1"]),
    ("version: 2023-04-20\nresources: []\n", ["invalid_map 2:12"]),
    ("version: 2021-01-01\nresources:\n  r: {type: a/b, spec: {}, dependsOn: x}\n",
     ["invalid_version 1:10"]),
    ('{"version": "2023-04-20", "resources": {}, "outputs": {}}\n', ["unknown_field 1:44"]),
]

# the body of a blueprint of the older version, whose first line is line 2
ROWS = [
    # sections
    ("dataSources: {}", ["unknown_field 2:1"]),
    ("variables: text", ["invalid_map 2:12"]),
    ("values: [a]", ["invalid_map 2:9"]),
    ("datasources: 1", ["invalid_map 2:14"]),
    ("include: [a]", ["invalid_map 2:10"]),
    ("exports: true", ["invalid_map 2:10"]),
    ("metadata: [a]", ["invalid_map 2:11"]),
    ("children: [a]", ["invalid_map 2:11"]),
    ("metadata:\n  function.builder: ${variables.b}\n  minify: false\n  args:\n"
     "    - --build-arg\n    - NODE_ENV=${variables.n}",
     []),
    # transform
    ("transforms:\n  - ${variables.transform1}\n  - ${variables.transform2}",
     ["unknown_field 2:1", "substitution_not_allowed 3:5", "substitution_not_allowed 4:5"]),
    ("transform:\n  - ${variables.transform1}\n  - x-${variables.transform2}",
     ["substitution_not_allowed 3:5", "substitution_not_allowed 4:7"]),
    ("transform: ${variables.t}", ["substitution_not_allowed 2:12"]),
    ("transform: 5", ["invalid_transform_type 2:12"]),
    ("transform: {name: x}", ["invalid_transform_type 2:12"]),
    ('transform: ""', ["invalid_transform_type 2:12"]),
    ("transform: [a, 1, [b]]", ["invalid_transform_type 2:16", "invalid_transform_type 2:19"]),
    ("transform: [a, b, a]", ["duplicate_transform 2:19"]),
    ("transform: []", []),
    # names and keys
    ("variables:\n  a b: {type: string}\n  ok-1.x_y: {type: string}", ["invalid_name 3:3"]),
    ("values:\n  'ä': {type: string, value: x}", ["invalid_name 3:3"]),
    ("resources:\n  a/b: {type: a/b, spec: {}}", ["invalid_name 3:3"]),
    ("exports:\n  'a[0]': {type: string, field: values.a}", ["invalid_name 3:3"]),
    ("resources:\n  ${variables.getOrderFunctionName}:\n    type: aws/ec2/instance\n"
     "    spec: {}",
     ["substitution_not_allowed 3:3"]),
    ("resources:\n  f:\n    type: aws/lambda/function\n    spec:\n      ${variables.k}: 3000",
     ["substitution_not_allowed 6:7"]),
    ("resources:\n  f:\n    type: a/b\n    spec:\n      a: [{'x-${i}': 1}]\n    ${a}: b",
     ["substitution_not_allowed 6:12", "substitution_not_allowed 7:5"]),
    ("metadata:\n  a:\n    - b:\n        c${d}: 1", ["substitution_not_allowed 5:9"]),
    ("include:\n  c:\n    path: p\n    variables: {'${v}': 1}", ["substitution_not_allowed 5:17"]),
    ("resources:\n  r:\n    type: a/b\n    spec: {}\n    metadata: {annotations: {'${a}': 1}}",
     ["substitution_not_allowed 6:30"]),
    # variables
    ("variables:\n  a: {type: string}\n  b: {type: integer, default: 1}\n"
     "  c: {type: float, default: 1}\n  d: {type: boolean, default: true, secret: false}\n"
     "  e: {type: aws/region, default: eu-west-1}\n"
     "  f: {type: aws/ec2/instanceSize, allowedValues: [a, b], default: b}\n"
     "  g: {type: string, default: ''}",
     []),
    ("variables:\n  a: text", ["invalid_map 3:6"]),
    ("variables:\n  a: {description: x}", ["missing_type 3:3"]),
    ("variables:\n  a: {typ: string}", ["unknown_field 3:7"]),
    ("variables:\n  a: {type: string, descrpition: x}", ["unknown_field 3:21"]),
    ("variables:\n  a: {type: bool}", ["invalid_variable_type 3:13"]),
    ("variables:\n  a: {type: array}", ["invalid_variable_type 3:13"]),
    ("variables:\n  a: {type: a/b/c/d}", ["invalid_variable_type 3:13"]),
    ("variables:\n  a: {type: ''}", ["invalid_variable_type 3:13"]),
    ("variables:\n  a: {type: [string]}", ["invalid_variable_type 3:13"]),
    ("variables:\n  a: {type: string, description: 5}", ["invalid_string 3:34"]),
    ("variables:\n  dynamoDBTable:\n    type: string\n"
     "    description: ${datasources.databases.description}\n  ordersTopicName:\n"
     "    type: string\n    description: ${datasources.topics.description}",
     ["substitution_not_allowed 5:18", "substitution_not_allowed 8:18"]),
    ("variables:\n  a:\n    type: ${x}\n    default: a ${variables.b} c ${variables.d}\n"
     "    allowedValues: ['${y}']\n    secret: ${z}",
     ["substitution_not_allowed 4:11", "substitution_not_allowed 5:16",
      "substitution_not_allowed 5:33", "substitution_not_allowed 6:22",
      "substitution_not_allowed 7:13"]),
    ("variables:\n  a: {type: string, default: 5}", ["variable_invalid_default_value 3:30"]),
    ("variables:\n  a: {type: integer, default: '5'}", ["variable_invalid_default_value 3:31"]),
    ("variables:\n  a: {type: integer, default: 1.5}", ["variable_invalid_default_value 3:31"]),
    ("variables:\n  a: {type: integer, default: true}", ["variable_invalid_default_value 3:31"]),
    ("variables:\n  a: {type: boolean, default: 'true'}", ["variable_invalid_default_value 3:31"]),
    ("variables:\n  a: {type: aws/region, default: 5}", ["variable_invalid_default_value 3:34"]),
    ("variables:\n  a: {type: string, default: null}", ["variable_invalid_default_value 3:30"]),
    ("variables:\n  a: {type: string, default: {b: 1}}", ["variable_invalid_default_value 3:30"]),
    ("variables:\n  a: {default: [1]}",
     ["missing_type 3:3", "variable_invalid_default_value 3:16"]),
    ("variables:\n  a: {type: integer, allowedValues: [1, two, null, 2.5, [3]]}",
     ["variable_invalid_allowed_value 3:41", "variable_invalid_allowed_value 3:46",
      "variable_invalid_allowed_value 3:52", "variable_invalid_allowed_value 3:57"]),
    ("variables:\n  a: {type: float, allowedValues: [1, 2.5], default: 1.0}", []),
    ("variables:\n  a: {type: boolean, allowedValues: [true]}",
     ["variable_invalid_allowed_values_not_supported 3:22"]),
    ("variables:\n  a: {type: string, allowedValues: x}", ["variable_invalid_allowed_values 3:36"]),
    ("variables:\n  a: {type: string, allowedValues: []}",
     ["variable_invalid_allowed_values 3:36"]),
    ("variables:\n  a: {type: string, allowedValues: [x, y], default: z}",
     ["variable_value_not_allowed 3:53"]),
    ("variables:\n  a: {type: string, secret: 'yes'}", ["variable_invalid_secret_value 3:29"]),
    ("variables:\n  a: {type: string, secret: 1}", ["variable_invalid_secret_value 3:29"]),
    # values
    ("values:\n  a: {type: integer, value: '5'}\n  b: {type: integer, value: 5}\n"
     "  c: {type: float, value: 5}\n  d: {type: boolean, value: 'true'}\n"
     "  e: {type: array, value: [1, '${x}']}\n  f: {type: object, value: {a: '${x}'}}\n"
     "  g: {type: array, value: '${list(1)}'}\n  h: {type: integer, value: '1${x}'}\n"
     "  i: {type: string, value: a, secret: true, description: 'the ${x}'}",
     []),
    ("values:\n  a:\n    type: array\n    value: |\n      ${list(\n        1\n      )}", []),
    ("values:\n  s3BucketName:\n    type: ${variables.bucketType}\n    value: x",
     ["substitution_not_allowed 4:11"]),
    ("values:\n  s3BucketName:\n    type: ${variables.bucketType}",
     ["missing_value 3:3", "substitution_not_allowed 4:11"]),
    ("values:\n  s3BucketName:\n    type: string\n"
     "    value: ${resources.s3Bucket.state.name}\n"
     "    description: The name of the ${variables.environment} s3 bucket.",
     []),
    ("values:\n  a: {value: x}", ["missing_type 3:3"]),
    ("values:\n  a: {type: list, value: x}", ["invalid_value_type 3:13"]),
    ("values:\n  a: {type: 5, value: x}", ["invalid_value_type 3:13"]),
    ("values:\n  a: {type: string, value: x, default: y}", ["unknown_field 3:31"]),
    ("values:\n  a: {type: string, value: x, secret: 'no'}", ["invalid_boolean 3:39"]),
    ("values:\n  a: {type: string, value: x, secret: '${b}'}", ["substitution_not_allowed 3:40"]),
    ("values:\n  a: {type: integer, value: abc}", ["value_type_mismatch 3:29"]),
    ("values:\n  a: {type: integer, value: '1.5'}", ["value_type_mismatch 3:29"]),
    ("values:\n  a: {type: integer, value: true}", ["value_type_mismatch 3:29"]),
    ("values:\n  a: {type: boolean, value: 'yes'}", ["value_type_mismatch 3:29"]),
    ("values:\n  a: {type: string, value: 5}", ["value_type_mismatch 3:28"]),
    ("values:\n  a: {type: string, value: null}", ["value_type_mismatch 3:28"]),
    ("values:\n  a: {type: array, value: '[1]'}", ["value_type_mismatch 3:27"]),
    ("values:\n  a: {type: object, value: [1]}", ["value_type_mismatch 3:28"]),
    ("values:\n  a: {type: array, value: 'x ${y}'}", ["value_type_mismatch 3:27"]),
    # data sources
    ("datasources:\n  network:\n    type: ${variables.networkDataSourceType}\n"
     "    filter: {field: a, operator: '=', search: b}\n    exports: {vpc: {type: string}}",
     ["substitution_not_allowed 4:11"]),
    ("datasources:\n  network:\n    type: aws/vpc\n"
     "    description: The network to deploy the ${variables.orderApiName} to.\n    filter:\n"
     "      field: subnets[].availabilityZone\n      operator: in\n      search:\n"
     "        - ${variables.availabilityZone1}\n        - eu-west-1b\n    exports:\n"
     "      vpc:\n        type: string\n        aliasFor: vpcId\n    metadata:\n"
     "      displayName: ${variables.name}\n      annotations:\n"
     "        a.b: ${variables.role}\n      custom:\n        tag: ${variables.tag}",
     []),
    ("datasources:\n  network:\n    type: aws/vpc\n    filter:\n"
     "      field: subnets[].${variables.availabilityZoneField}\n"
     "      operator: ${variables.networkFilterOperator}\n      search: [a]\n    exports:\n"
     "      vpc:\n        type: string\n        aliasFor: ${variables.vpcAliasFor}\n"
     "        description: the ${x}",
     ["substitution_not_allowed 6:24", "substitution_not_allowed 7:17",
      "substitution_not_allowed 12:19", "substitution_not_allowed 13:26"]),
    ("datasources:\n  n: {}",
     ["missing_type 3:3", "data_source_missing_filter 3:3", "data_source_missing_exports 3:3"]),
    ("datasources:\n  n:\n    type: ''\n    filter: {}\n    exports: {}",
     ["invalid_data_source_type 4:11", "data_source_missing_filter 5:13",
      "data_source_missing_exports 6:14"]),
    ("datasources:\n  n:\n    type: [a]\n    filter: {fields: a}\n    exports: [a]",
     ["invalid_data_source_type 4:11", "data_source_missing_filter_operator 5:5",
      "data_source_missing_filter_search 5:5", "unknown_field 5:14", "invalid_map 6:14"]),
    ("datasources:\n  n:\n    type: a/b\n    filter: text\n    exports: {a: {type: string}}",
     ["invalid_map 5:13"]),
    ("datasources:\n  n:\n    type: a/b\n    filter: {field: '', operator: is, search: null}\n"
     "    exports: {a: {type: string}}",
     ["data_source_missing_filter_field 5:21", "invalid_data_source_filter_operator 5:35",
      "data_source_missing_filter_search 5:47"]),
    ("datasources:\n  n:\n    type: a/b\n"
     "    filter: {field: 5, operator: 6, search: [a, [b]]}\n    exports: {a: {type: string}}",
     ["invalid_string 5:21", "invalid_data_source_filter_operator 5:34", "invalid_scalar 5:49"]),
    ("datasources:\n  n:\n    type: a/b\n    filter: {operator: '='}\n"
     "    exports: {a: {type: string}}",
     ["data_source_missing_filter_field 5:5", "data_source_missing_filter_search 5:5"]),
    ("datasources:\n  n:\n    type: a/b\n    filter: {field: a, operator: '>=', search: 1}\n"
     "    exports: {a: {type: string}}",
     ["needs_newer_version 5:34"]),
    ("datasources:\n  n:\n    type: a/b\n    filter: [{field: a, operator: '=', search: 1}]\n"
     "    exports: '*'",
     ["needs_newer_version 5:5", "needs_newer_version 6:14"]),
    ("datasources:\n  n:\n    type: a/b\n    filter: {field: a, operator: '=', search: 1}\n"
     "    exports: {a: {type: object}, b: {type: str}, c: {}, 'd.e': {type: array}, f: x,\n"
     "      g: {type: string, aliasFor: ''}, 'h i': {type: string, alias: x}}",
     ["invalid_data_source_field_type 6:25", "invalid_data_source_field_type 6:44",
      "missing_type 6:50", "invalid_map 6:82", "invalid_string 7:35", "invalid_name 7:40",
      "unknown_field 7:62"]),
    ("datasources:\n  n:\n    type: a/b\n    filter: {field: a, operator: '=', search: 1}\n"
     "    exports: {a: {type: string}}\n    metadata: {labels: {a: b}, displayName: [a],\n"
     "      annotations: {a: {b: c}, d: null}, custom: 5}",
     ["unknown_field 7:16", "invalid_string 7:45", "invalid_annotation 8:24",
      "invalid_annotation 8:35", "invalid_map 8:50"]),
    # resources
    ("resources:\n  getOrderFunction:\n    type: ${variables.functionType}\n    spec: {}",
     ["substitution_not_allowed 4:11"]),
    ("resources:\n  getOrderFunction:\n    type: aws/lambda/function\n    condition:\n"
     "      and:\n        - ${variables.getOrderFunctionCondition}\n"
     "        - ${variables.getOrdersActionCondition}\n    spec:\n"
     "      functionName: Prod-getOrderFunction-v1\n      timeout: 3000",
     []),
    ("resources:\n  getOrderFunction:\n    type: aws/s3/bucket\n"
     "    each: ${jsondecode(variables.buckets)}\n    spec:\n      bucketName: ${elem}",
     []),
    ("resources:\n  f:\n    type: aws/api-gateway/rest-api\n"
     "    description: The function that ${variables.getOrdersAction} in the system.\n"
     "    spec:\n      functionName: ${variables.environment}-${variables.name}\n"
     "      n: null\n      timeout: ${variables.timeout}",
     []),
    ("resources:\n  f:\n    type: a/b\n    spec: {}\n    metadata:\n"
     "      displayName: ${variables.name}\n"
     "      annotations: {a.b: '${variables.role}', c: 1}\n      labels: {app: orderApi}\n"
     "      custom: {tag: '${variables.tag}', list: [1]}",
     []),
    ("resources:\n  f:\n    type: a/b\n    spec: {}\n    metadata:\n"
     "      displayName: Get Orders\n      labels:\n"
     "        app: ${variables.getOrderFunctionApp}",
     ["substitution_not_allowed 9:14"]),
    ("resources:\n  f:\n    type: a/b\n    spec: {}\n    linkSelector:\n      byLabel:\n"
     "        app: my-${variables.ordersApp}",
     ["substitution_not_allowed 8:17"]),
    ("resources:\n  r: {}", ["missing_type 3:3", "missing_spec 3:3"]),
    ("resources:\n  r: null", ["invalid_map 3:6"]),
    ("resources:\n  r: {type: function, spec: {}}", ["invalid_resource_type 3:13"]),
    ("resources:\n  r: {type: a/b/c/d, spec: {}}", ["invalid_resource_type 3:13"]),
    ("resources:\n  r: {type: a//b, spec: {}}", ["invalid_resource_type 3:13"]),
    ("resources:\n  r: {type: '', spec: {}}", ["invalid_resource_type 3:13"]),
    ("resources:\n  r: {type: [a/b], spec: {}}", ["invalid_resource_type 3:13"]),
    ("resources:\n  r: {type: a/b, spec: null}", ["invalid_map 3:24"]),
    ("resources:\n  r: {type: a/b, spec: '${values.s}'}", ["invalid_map 3:24"]),
    ("resources:\n  r: {type: a/b, spec: {}, properties: {}}", ["unknown_field 3:28"]),
    ("resources:\n  r: {type: a/b, sepc: {}}", ["unknown_field 3:18"]),
    ("resources:\n  r: {type: a/b, spec: {}, description: [a]}", ["invalid_string 3:41"]),
    ("resources:\n  r: {type: a/b, spec: {}, metadata: text}", ["invalid_map 3:38"]),
    ("resources:\n  r:\n    type: a/b\n    spec: {}\n"
     "    metadata: {label: {}, displayName: 5,\n"
     "      annotations: [a], labels: {a: 1, b: [c], d: null}, custom: [a]}",
     ["unknown_field 6:16", "invalid_string 6:40", "invalid_map 7:20", "invalid_label 7:37",
      "invalid_label 7:43", "invalid_label 7:51", "invalid_map 7:66"]),
    ("resources:\n  r: {type: a/b, spec: {}, linkSelector: {byLabels: {a: b}}}",
     ["unknown_field 3:43"]),
    ("resources:\n  r: {type: a/b, spec: {}, linkSelector: {byLabel: {a: true}}}",
     ["invalid_label 3:56"]),
    ("resources:\n  r: {type: a/b, spec: {}, linkSelector: {byLabel: [a], exclude: [b]}}",
     ["invalid_map 3:52", "needs_newer_version 3:57"]),
    ("resources:\n  r: {type: a/b, spec: {}, dependsOn: s, removalPolicy: retain}",
     ["needs_newer_version 3:28", "needs_newer_version 3:42"]),
    # conditions
    ("resources:\n  r:\n    type: a/b\n    spec: {}\n    condition:\n      or:\n"
     "        - not: ${x}\n        - and: ['${y}', true, {or: ['${z}']}]",
     []),
    ("resources:\n  r: {type: a/b, spec: {}, condition: false}", []),
    ("resources:\n  r:\n    type: a/b\n    spec: {}\n    condition: |\n      ${x}\n", []),
    ("resources:\n  r: {type: a/b, spec: {}, condition: yes please}",
     ["invalid_resource_condition 3:39"]),
    ("resources:\n  r: {type: a/b, spec: {}, condition: '${a}${b}'}",
     ["invalid_resource_condition 3:39"]),
    ("resources:\n  r: {type: a/b, spec: {}, condition: 'is ${a}'}",
     ["invalid_resource_condition 3:39"]),
    ("resources:\n  r: {type: a/b, spec: {}, condition: 1}", ["invalid_resource_condition 3:39"]),
    ("resources:\n  r: {type: a/b, spec: {}, condition: ['${a}']}",
     ["invalid_resource_condition 3:39"]),
    ("resources:\n  r: {type: a/b, spec: {}, condition: {}}", ["invalid_resource_condition 3:39"]),
    ("resources:\n  r: {type: a/b, spec: {}, condition: {and: ['${a}'], not: '${b}'}}",
     ["invalid_resource_condition 3:55"]),
    ("resources:\n  r: {type: a/b, spec: {}, condition: {xor: ['${a}']}}", ["unknown_field 3:40"]),
    ("resources:\n  r: {type: a/b, spec: {}, condition: {and: [], or: '${a}'}}",
     ["invalid_resource_condition 3:45", "invalid_resource_condition 3:49",
      "invalid_resource_condition 3:53"]),
    ("resources:\n  r: {type: a/b, spec: {}, condition: {not: ['${a}']}}",
     ["invalid_resource_condition 3:45"]),
    ("resources:\n  r: {type: a/b, spec: {}, condition: {and: [a, {or: [1]}]}}",
     ["invalid_resource_condition 3:46", "invalid_resource_condition 3:55"]),
    # each
    ("resources:\n  r: {type: a/b, spec: {}, each: [1, 2]}", ["resource_each_invalid_type 3:34"]),
    ("resources:\n  r: {type: a/b, spec: {}, each: {a: 1}}", ["resource_each_invalid_type 3:34"]),
    ("resources:\n  r: {type: a/b, spec: {}, each: values.a}", ["resource_each_invalid_type 3:34"]),
    ("resources:\n  r: {type: a/b, spec: {}, each: 3}", ["resource_each_invalid_type 3:34"]),
    ("resources:\n  r: {type: a/b, spec: {}, each: null}", ["resource_each_invalid_type 3:34"]),
    ("resources:\n  r: {type: a/b, spec: {}, each: 'a ${b}'}", ["resource_each_invalid_type 3:34"]),
    # include
    ("include:\n  coreInfrastructure:\n"
     "    path: core-infra-${variables.coreInfraVersion}.yaml\n"
     "    variables: {environment: '${variables.environment}', n: 1, b: true}\n    metadata:\n"
     "      sourceType: aws/s3\n      bucket: ${variables.blueprintsBucket}\n"
     "      tags: [a, '${b}']\n    description: the ${x}",
     []),
    ("include:\n  c: {}", ["missing_path 3:3"]),
    ("include:\n  c: child.yaml", ["invalid_map 3:6"]),
    ("include:\n  c: {path: ''}", ["include_empty_path 3:13"]),
    ("include:\n  c: {path: '  '}", ["include_empty_path 3:13"]),
    ("include:\n  c: {path: [a]}", ["include_path_type 3:13"]),
    ("include:\n  c: {path: a, variables: {a: [1], b: {c: 1}, d: null}, metadata: x, pth: b}",
     ["include_variable_type_mismatch 3:31", "include_variable_type_mismatch 3:39",
      "include_variable_type_mismatch 3:50", "invalid_map 3:67", "unknown_field 3:70"]),
    ("include:\n  c: {path: a, variables: [a], description: 1}",
     ["invalid_map 3:27", "invalid_string 3:45"]),
    # exports
    ("exports:\n  saveOrdersFunctionArn:\n    type: ${variables.saveOrdersFunctionArnType}\n"
     "    description: The ARN.\n"
     "    field: resources.saveOrdersFunction.${variables.functionArnFieldPath}",
     ["substitution_not_allowed 4:11", "substitution_not_allowed 6:41"]),
    ("exports:\n  saveOrdersFunctionArn:\n    type: string\n"
     "    description: The ARN of the function used to ${variables.saveOrdersAction}.\n"
     "    field: resources.saveOrdersFunction.state.functionArn",
     []),
    ("exports:\n  a: {type: object, value: {b: 1}}\n"
     "  b: {type: array, field: values.b, value: []}",
     []),
    ("exports:\n  a: {}", ["missing_type 3:3", "missing_field 3:3"]),
    ("exports:\n  a: {type: str, field: ''}",
     ["invalid_export_type 3:13", "empty_export_field 3:25"]),
    ("exports:\n  a: {type: aws/region, field: null}",
     ["invalid_export_type 3:13", "empty_export_field 3:32"]),
    ("exports:\n  a: {type: string, field: [values.a]}", ["invalid_export_field 3:28"]),
    ("exports:\n  a: {type: string, field: values.a, fields: b, description: 1}",
     ["unknown_field 3:38", "invalid_string 3:62"]),
    # children of a materialised blueprint
    ("include: {c: {path: c.yaml}}\nchildren:\n  c: {version: 2023-04-20, resources: {}}", []),
    ("children:\n  c: {}", ["missing_version 3:3", "missing_resources 3:3"]),
    ("children:\n  a b: {version: 2023-04-20, resources: {r: {type: a}}}",
     ["invalid_name 3:3", "missing_spec 3:42", "invalid_resource_type 3:52"]),
    ("children:\n  c:\n    version: 2025-11-02\n    resources:\n"
     "      r: {type: a/b, dependsOn: s, spec: {'${x}': 1}}\n      s: {type: a/b, spec: {}}",
     ["substitution_not_allowed 6:43"]),
    ("children:\n  c: null", ["invalid_map 3:6"]),
]

# the same for the newer version
NEWER_ROWS = [
    ("datasources:\n  n:\n    type: a/b\n    filter:\n"
     "      - {field: a, operator: '>', search: 1}\n"
     "      - {field: b, operator: '<=', search: 2}\n    exports: '*'",
     []),
    ("datasources:\n  n:\n    type: a/b\n    filter: []\n    exports: all",
     ["data_source_missing_filter 5:13", "invalid_map 6:14"]),
    ("datasources:\n  n:\n    type: a/b\n    filter:\n      - {field: a, operator: '>'}\n"
     "      - text\n      - {}\n    exports: '*'",
     ["data_source_missing_filter_search 6:10", "invalid_map 7:9",
      "data_source_missing_filter 8:9"]),
    ("resources:\n  r: {type: a/b, spec: {}, dependsOn: s, removalPolicy: retain}\n"
     "  s: {type: a/b, spec: {}, dependsOn: [t], linkSelector: {byLabel: {a: b}, exclude:"
     " [r]}}\n"
     "  t: {type: a/b, spec: {}}",
     []),
    ("resources:\n  r: {type: a/b, spec: {}, removalPolicy: keep}",
     ["invalid_removal_policy 3:43"]),
    ("resources:\n  r: {type: a/b, spec: {}, removalPolicy: '${x}', dependsOn: ['${y}']}",
     ["substitution_not_allowed 3:44", "substitution_not_allowed 3:64"]),
    ("resources:\n  r: {type: a/b, spec: {}, dependsOn: {a: b}}", ["invalid_string 3:39"]),
    ("resources:\n  r: {type: a/b, spec: {}, dependsOn: ['', 5]}",
     ["invalid_string 3:40", "invalid_string 3:44"]),
    ("resources:\n  r: {type: a/b, spec: {}, linkSelector: {exclude: s}}", ["invalid_list 3:52"]),
    ("resources:\n  r: {type: a/b, spec: {}, linkSelector: {exclude: ['${s}', 1]}}",
     ["substitution_not_allowed 3:54", "invalid_string 3:61"]),
]

# fmt: on
# a part of a blueprint, and the near name or remedy that the hint must hold
HINTS = [
    ("transforms: a", "`transform`"),
    ("dataSources: {}", "`datasources`"),
    ("variables:\n  a: {type: bool}", "`boolean`"),
    ("variables:\n  a: {type: int}", "`integer`"),
    ("variables:\n  a: {type: map}", "`jsondecode`"),
    ("variables:\n  a: {type: string, allowedValues: [blue], default: bleu}", "`blue`"),
    ("values:\n  a: {type: dict, value: x}", "`object`"),
    ("exports:\n  a: {type: number, field: values.a}", "`float`"),
    ("resources:\n  r: {type: a/b, spec: {}, each: {a: 1}}", "vals("),
    ("resources:\n  r: {type: a/b, spec: {}, conditon: true}", "`condition`"),
    ("resources:\n  r: {type: a/b, spec: {}, removalPolicy: retain}", "2025-11-02"),
    (
        "datasources:\n  n: {type: a/b, filter: {field: a, operator: has keys, search: b},\n"
        "    exports: {a: {type: string}}}",
        "`has key`",
    ),
]

LITERALS = [
    ("integer", "5", 5),
    ("integer", " -7\n", -7),
    ("integer", "5.0", None),
    ("integer", "five", None),
    ("integer", "", None),
    ("integer", "9" * 5000, None),
    ("float", "5", 5.0),
    ("float", "1e3", 1000.0),
    ("float", "-.5", -0.5),
    ("float", "1e999", None),
    ("float", "nan", None),
    ("boolean", "true", True),
    ("boolean", "false\n", False),
    ("boolean", "yes", None),
    ("string", " as is ", " as is "),
    ("array", "[1]", None),
]


def blueprint(version: str, body: str) -> str:
    """A whole blueprint: a row need not have the sections that are required."""
    lines = body.splitlines()
    has_resources = any(line.startswith(("resources:", "include:")) for line in lines)
    return version + body.rstrip("\n") + ("\n" if has_resources else "\nresources: {}\n")


def mistakes(text: str) -> list[str]:
    """The structural mistakes of a document in the order of their places."""
    found = []
    for item in check(Source("test.yaml", text, "yaml")):
        if item.code in CODES and item.span is not None:
            found.append((item.span.line, item.span.column, item.code))
    return [f"{code} {line}:{column}" for line, column, code in sorted(found)]


def in_order(expected: list[str]) -> list[str]:
    """Mistakes sorted by place, so that a row may list them as they come."""
    parts = [item.replace(":", " ").split() for item in expected]
    found = sorted((int(line), int(column), code) for code, line, column in parts)
    return [f"{code} {line}:{column}" for line, column, code in found]


@pytest.mark.parametrize(("text", "expected"), DOCUMENTS)
def test_documents(text: str, expected: list[str]) -> None:
    assert mistakes(text) == in_order(expected)


@pytest.mark.parametrize(("body", "expected"), ROWS)
def test_sections(body: str, expected: list[str]) -> None:
    assert mistakes(blueprint(OLDER, body)) == in_order(expected)


@pytest.mark.parametrize(("body", "expected"), NEWER_ROWS)
def test_newer_version(body: str, expected: list[str]) -> None:
    assert mistakes(blueprint(NEWER, body)) == in_order(expected)


@pytest.mark.parametrize(("body", "hint"), HINTS)
def test_hints(body: str, hint: str) -> None:
    hints = [item.hint or "" for item in check(Source("test.yaml", blueprint(OLDER, body), "yaml"))]
    assert any(hint in text for text in hints), hints


@pytest.mark.parametrize(("type_name", "text", "value"), LITERALS)
def test_literals(type_name: str, text: str, value: object) -> None:
    found = read_literal(text, type_name)
    assert found == value
    assert found.__class__ is value.__class__


@pytest.mark.parametrize("secret", ["true", "'yes'"])
def test_secrets_are_never_printed(secret: str) -> None:
    body = (
        f"variables:\n  a: {{type: integer, default: hunter2, secret: {secret}}}\n"
        f"  b: {{type: string, allowedValues: [hunter3, 4], default: hunter2, secret: {secret}}}\n"
        f"values:\n  c: {{type: integer, value: hunter2, secret: {secret}}}"
    )
    found = list(check(Source("test.yaml", blueprint(OLDER, body), "yaml")))
    assert {item.code for item in found} >= {
        "variable_invalid_default_value",
        "variable_value_not_allowed",
        "value_type_mismatch",
    }
    for item in found:
        assert "hunter" not in f"{item.summary} {item.hint} {item.notes}"


def test_summaries_are_plain_sentences() -> None:
    for body, _ in ROWS:
        for item in check(Source("test.yaml", blueprint(OLDER, body), "yaml")):
            assert item.summary[0] == "`" or item.summary[0].islower(), item.summary
            assert not item.summary.endswith("."), item.summary


def test_every_code_has_a_row() -> None:
    rows = [*DOCUMENTS, *ROWS, *NEWER_ROWS]
    assert {item.split()[0] for _, expected in rows for item in expected} == CODES
