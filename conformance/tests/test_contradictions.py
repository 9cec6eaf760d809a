#!/usr/bin/python3
"""Puts contradictions into a made-up edition, one at a time, and sees whether ci/contradictions names each of them. Argument: BUILD."""
import tempfile

from judge_process import build, call, checks, write

PROSE = """# Kettles

| API | Verb | Path | Request | Response |
| --- | --- | --- | --- | --- |
| Inference | POST | v2/models/<model_name>[/versions/\\<model_version\\>]/infer | [$inference_request](#x) | [$inference_response](#y) |
| Ready | GET | v2/health/ready | | [$ready_response](#z) |

A path is `v2/models/my_model/infer`.

    $inference_request =
    {
      "id" : $string #optional,
      "inputs" : [ $inference_request_input, ... ]
    }

    $inference_request_input =
    {
      "name" : $string,
      "shape" : [ $number, ... ]
    }

    $inference_response =
    {
      "model_name" : $string
    }

    $ready_response =
    {
      "ready" : $bool
    }

    message Cup
    {
      // How many.
      message Leaf { string name = 1; }
      int32 size = 1;
    }

    POST /v2/models/mymodel/infer HTTP/1.1
    Content-Length: <xx>
    {
      "inputs" : [ { "name" : "a", "shape" : [ 2 ], "data" : [ 1, 2 ] } ]
    }
"""

PROTO = 'syntax = "proto3";\npackage kettles;\nmessage Cup { message Leaf { string name = 1; } int32 size = 1; }\n'

OPENAPI = """openapi: 3.0.0
paths:
  v2/models/{name}/infer:
    post: {responses: {'200': {content: {application/json: {schema: {$ref: '#/a/inference_response'}}}}, '400': {}}}
  v2/models/{name}/versions/{version}/infer:
    post: {responses: {'200': {content: {application/json: {schema: {$ref: '#/a/inference_response'}}}}, '400': {}}}
  v2/health/ready:
    get: {responses: {'200': {content: {application/json: {schema: {$ref: '#/a/ready_response'}}}}, '400': {}}}
components:
  schemas:
    inference_request: {required: [inputs], properties: {id: {type: string}, inputs: {type: array, items: {$ref: '#/a/request_input'}}}}
    request_input: {required: [name, shape], properties: {name: {type: string}, shape: {type: array, items: {type: integer}}}}
    inference_response: {required: [model_name], properties: {model_name: {type: string}}}
    ready_response: {required: [ready], properties: {ready: {type: boolean}}}
"""

# What is changed in which file, by what, and what must be said.
EDITS = [
    ("prose", "[ $inference_request_input, ... ]", "[ $request_input, ... ]", "`$request_input` is used (kettles.md:13) and defined nowhere; `$inference_request_input` is"),
    ("prose", '      "ready" : $bool\n', '      "model_name" : $string\n', "have the same members, `model_name`: is one a slip?"),
    ("prose", '"id" : $string #optional', '"id" : $string', "`inference_request.id`: kettles.yaml says *string*, the prose says *required string* (kettles.md:12)"),
    ("prose", '"shape" : [ $number, ... ]', '"shape" : [ $string, ... ]', "`request_input.shape`: kettles.yaml says *required [integer]*, the prose says *required [string]*"),
    ("prose", '      "model_name" : $string\n', '      "model_name" : $string,\n      "more" : $string\n', "`inference_response.more`: the prose has it (kettles.md:25), kettles.yaml has not"),
    ("openapi", "properties: {ready: {type: boolean}}", "properties: {ready: {type: boolean}, live: {type: boolean}}", "`ready_response.live`: kettles.yaml has it, as boolean; the prose has no such member of `$ready_response`"),
    ("prose", "v2/health/ready", "v2/health/readiness", "`GET v2/health/readiness`: the prose has it (kettles.md:6), kettles.yaml has not"),
    ("prose", "v2/health/ready", "v2/health/readiness", "`GET v2/health/ready`: kettles.yaml has it, the prose has not"),
    ("openapi", "  v2/health/ready:", "  /v2/health/ready/:", "`GET v2/health/ready`: kettles.yaml writes `/v2/health/ready/`, the prose `v2/health/ready`"),
    ("openapi", "{'200': {content: {application/json: {schema: {$ref: '#/a/ready_response'}}}}, '400': {}}", "{'200': {}, '400': {}}",
     "`GET v2/health/ready`: the prose answers `$ready_response` (kettles.md:6), kettles.yaml has no body"),
    ("openapi", "{$ref: '#/a/ready_response'}}}}, '400': {}}", "{$ref: '#/a/ready_response'}}}}}", "`GET v2/health/ready`: kettles.yaml has no other status than 200"),
    ("prose", "`v2/models/my_model/infer`", "`v2/model/my_model`", "`v2/model/my_model` (kettles.md:8) is the path of no operation"),
    ("proto", "int32 size = 1", "int64 size = 1", "`Cup.size`: kettles.proto says *int64 = 1*, kettles.md says *int32 = 1*"),
    ("proto", "int32 size = 1;", "int32 size = 1; bool lid = 2;", "`Cup.lid`: kettles.proto has it, as *bool = 2*; kettles.md has not"),
    ("prose", "      int32 size = 1;\n", "      int32 size = 1;\n      bool lid = 2;\n", "`Cup.lid`: kettles.md has it, as *bool = 2*; kettles.proto has not"),
    ("prose", '"shape" : [ 2 ], "data"', '"shape" : [ 2 ] "data"', "(kettles.md:41) is no JSON"),
    ("prose", '"data" : [ 1, 2 ]', '"data" : [ 1 ]', "`a` of shape [2] has 1 element"),
    ("prose", '      "inputs" : [ {', '      "in" : [ {', "has no `inputs`, which `$inference_request` requires (kettles.md:13)"),
]


def contradictions(folder, **files):
    texts = {"prose": ("kettles.md", PROSE), "proto": ("kettles.proto", PROTO), "openapi": ("kettles.yaml", OPENAPI)}
    for kind, (name, text) in texts.items():
        write(f"{folder}/{name}", files.get(kind, text))
    return call("ci/contradictions", build, folder)


with tempfile.TemporaryDirectory() as directory:
    checks.code(0, "an edition without contradictions", contradictions(directory), "0 contradictions.")
    for kind, find, put, told in EDITS:
        text = {"prose": PROSE, "proto": PROTO, "openapi": OPENAPI}[kind]
        assert text.count(find) == 1, (find, text.count(find))
        checks.code(1, f"'{find}' is '{put}'", contradictions(directory, **{kind: text.replace(find, put)}), told)
    checks.code(1, "a schema that cannot be read", contradictions(directory, openapi="openapi: ["), "kettles.yaml: line")
checks.end()
