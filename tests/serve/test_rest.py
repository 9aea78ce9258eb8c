# Copyright 2026 The nnburst authors
# SPDX-License-Identifier: Apache-2.0
"""The Open Inference Protocol over REST, with bodies in the form of the specification's examples."""

import json
import math
import socket
import struct
from typing import Any

import pytest
from conftest import WAIT

# The specification's example of a request, for models of one input each.
SPECIFIED = {
    "id": "42",
    "inputs": [{"name": "flags", "shape": [3], "datatype": "BOOL", "data": [True, False, True]}],
    "outputs": [{"name": "neither"}],
}


def add_request(**fields: Any) -> dict[str, Any]:
    return {"inputs": [{"name": "x", "shape": [4], "datatype": "FP32", "data": [1, 2, 3, 4], **fields}]}


def test_health_and_metadata_of_the_server(server: Any) -> None:
    assert server.rest("GET", "/v2/health/live")[::2] == (200, {"live": True})
    assert server.rest("GET", "/v2/health/ready")[::2] == (200, {"ready": True})
    status, _, body = server.rest("GET", "/v2")
    assert status == 200 and body["name"] == "nnburst-serve" and "binary_tensor_data" in body["extensions"]


def test_metadata_and_readiness_of_models(server: Any) -> None:
    assert server.rest("GET", "/v2/models/dequantize")[2] == {
        "name": "dequantize",
        "versions": ["1"],
        "platform": "nnburst_tflite",
        "inputs": [{"name": "bytes", "datatype": "UINT8", "shape": [2, 3]}],
        "outputs": [{"name": "values", "datatype": "FP32", "shape": [2, 3]}],
    }
    assert server.rest("GET", "/v2/models/add/versions/10/ready")[::2] == (200, {"name": "add", "ready": True})
    assert server.rest("GET", "/v2/models/add/config")[2]["input"][0]["data_type"] == "TYPE_FP32"
    for path in ["/v2/models/missing", "/v2/models/add/versions/3", "/v2/models/..%2fadd", "/v2/model/add", "/x"]:
        status, _, body = server.rest("GET", path)
        assert status == 404 and body["error"]


def test_answers_the_example_of_the_specification(server: Any) -> None:
    status, headers, body = server.rest("POST", "/v2/models/not/infer", SPECIFIED)
    assert status == 200 and headers["Content-Type"] == "application/json"
    assert body == {
        "model_name": "not",
        "model_version": "1",
        "id": "42",
        "outputs": [{"name": "neither", "shape": [3], "datatype": "BOOL", "data": [False, True, False]}],
    }


def test_takes_nested_data_and_versions(server: Any) -> None:
    body = {
        "inputs": [
            {"name": "bytes", "shape": [2, 3], "datatype": "UINT8", "data": [[128, 129, 130], [0, 255, 127]]}
        ]
    }
    status, _, answer = server.rest("POST", "/v2/models/dequantize/infer", body)
    assert status == 200 and answer["outputs"][0]["data"] == [0, 0.5, 1, -64, 63.5, -0.5]
    answer = server.rest("POST", "/v2/models/add/versions/1/infer", add_request())[2]
    assert answer["model_version"] == "1" and answer["outputs"][0]["data"] == [2, 3, 4, 5]


def binary(message: dict[str, Any], raw: bytes) -> tuple[bytes, dict[str, str]]:
    text = json.dumps(message).encode()
    headers = {"Inference-Header-Content-Length": str(len(text)), "Content-Type": "application/octet-stream"}
    return text + raw, headers


def test_tensors_travel_as_binary_data(server: Any) -> None:
    raw = struct.pack("<4f", 1, 2, 3, 4)
    message = {
        "inputs": [{"name": "x", "shape": [4], "datatype": "FP32", "parameters": {"binary_data_size": 16}}],
        "outputs": [{"name": "y", "parameters": {"binary_data": True}}],
    }
    for outputs in [message["outputs"], None]:
        if outputs is None:
            del message["outputs"]
            message["parameters"] = {"binary_data_output": True}
        body, headers = binary(message, raw)
        status, answer, contents = server.rest("POST", "/v2/models/add/infer", body, headers)
        assert status == 200 and answer["Content-Type"] == "application/octet-stream"
        length = int(answer["Inference-Header-Content-Length"])
        output = json.loads(contents[:length])["outputs"][0]
        assert output["parameters"] == {"binary_data_size": 16} and "data" not in output
        assert struct.unpack("<4f", contents[length:]) == (11, 12, 13, 14)


@pytest.mark.parametrize(
    ("body", "rule"),
    [
        ("{", "JSON object"),
        ("[]", "JSON object"),
        ("[" * 100_000, "JSON object"),
        ({}, "must have inputs"),
        ({"inputs": [1]}, "array of JSON objects"),
        ({"inputs": [{"name": 5}]}, "name: must be"),
        (add_request(shape=[-4]), "array of sizes"),
        (add_request(shape=[1 << 63]), "array of sizes"),
        (add_request(shape=[5]), "must be [4]"),
        (add_request(datatype="FP64"), "no model here has"),
        (add_request(datatype="INT32"), "must be FP32"),
        (add_request(data=[1, 2, 3]), "12 bytes: must be 16"),
        (add_request(data=["1", 2, 3, 4]), "elements of type FP32"),
        (add_request(data=[1, 2, 3, 1e39]), "the element 1e+39: its data type FP32 does not hold it"),
        (add_request(data=[1, 2, 3, -(10**39)]), "its data type FP32 does not hold it"),
        (add_request(data=[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]), "elements of type"),
        (add_request(parameters={"binary_data_size": 16}), "must have data, or"),
        (add_request(parameters=[]), "must be a JSON object"),
        ({**add_request(), "parameters": {"timeout": -1}}, "timeout"),
        ({**add_request(), "outputs": [{"name": "z"}]}, "no such output"),
        ({**add_request(), "outputs": [{"name": "y"}, {"name": "y"}]}, "named twice"),
    ],
)
def test_refuses_bodies_that_are_wrong(server: Any, body: Any, rule: str) -> None:
    status, _, answer = server.rest("POST", "/v2/models/add/infer", body)
    assert status == 400 and rule in answer["error"]


def test_refuses_integers_that_their_type_does_not_hold(server: Any) -> None:
    for value in [256, -1, 1.5, True, None, 1 << 70]:
        body = {"inputs": [{"name": "bytes", "shape": [2, 3], "datatype": "UINT8", "data": [value] * 6}]}
        assert server.rest("POST", "/v2/models/dequantize/infer", body)[0] == 400


def test_takes_negative_zeros_as_integers(server: Any) -> None:
    body = '{"inputs":[{"name":"bytes","shape":[2,3],"datatype":"UINT8","data":[-0,1,2,3,4,5]}]}'
    status, _, answer = server.rest("POST", "/v2/models/dequantize/infer", body)
    assert status == 200 and answer["outputs"][0]["data"][0] == -64
    body = '{"inputs":[{"name":"flags","shape":[3],"datatype":"BOOL","data":[-0,1,0]}]}'
    assert server.rest("POST", "/v2/models/not/infer", body)[2]["outputs"][0]["data"] == [True, False, True]


def test_names_that_are_alike_in_the_file_differ(server: Any) -> None:
    model = server.rest("GET", "/v2/models/alike")[2]
    assert len({tensor["name"] for tensor in model["inputs"]}) == 2
    data = [[1, 2, 3, 4], [10, 10, 10, 10]]
    body = {"inputs": [{**tensor, "data": values} for tensor, values in zip(model["inputs"], data, strict=True)]}
    outputs = server.rest("POST", "/v2/models/alike/infer", body)[2]["outputs"]
    assert [output["name"] for output in outputs] == [output["name"] for output in model["outputs"]]
    assert [output["data"] for output in outputs] == [[11, 12, 13, 14], [21, 22, 23, 24]]


def test_takes_the_largest_floats(server: Any) -> None:
    largest = 3.4028235e38  # rounded up, as programs print it
    body = add_request(data=[largest, -largest, 1e-50, 1])
    status, _, answer = server.rest("POST", "/v2/models/add/infer", body)
    exact = float((1 << 128) - (1 << 104))
    assert status == 200 and answer["outputs"][0]["data"] == [exact, -exact, 10, 11]


def test_nan_and_infinity_are_null_in_json(server: Any) -> None:
    message = {"inputs": [{"name": "x", "shape": [4], "datatype": "FP32", "parameters": {"binary_data_size": 16}}]}
    body, headers = binary(message, struct.pack("<4f", math.nan, math.inf, -math.inf, 1))
    status, _, answer = server.rest("POST", "/v2/models/add/infer", body, headers)
    assert status == 200 and answer["outputs"][0]["data"] == [None, None, None, 11]


def test_refuses_lengths_of_binary_data_that_are_wrong(server: Any) -> None:
    message = {"inputs": [{"name": "x", "shape": [4], "datatype": "FP32", "parameters": {"binary_data_size": 16}}]}
    for raw in [bytes(15), bytes(17)]:
        body, headers = binary(message, raw)
        assert server.rest("POST", "/v2/models/add/infer", body, headers)[0] == 400
    body, headers = binary(message, bytes(16))
    for length in ["1000000", "-1", "x", ""]:
        headers["Inference-Header-Content-Length"] = length
        assert server.rest("POST", "/v2/models/add/infer", body, headers)[0] == 400


def test_refuses_bodies_above_the_limit_and_compressed_ones(server: Any) -> None:
    assert server.rest("POST", "/v2/models/add/infer", b" " * 2_100_000)[0] == 413
    assert server.rest("POST", "/v2/models/add/infer", b"x", {"Content-Encoding": "gzip"})[0] == 415
    assert server.rest("GET", "/" + "x" * 2000)[0] == 414
    assert server.rest("DELETE", "/v2/models/add")[0] == 405


@pytest.mark.parametrize("path", ["/v2", "/v2/health/live", "/v2/models/add", "/metrics"])
def test_answers_head_as_get_without_a_body(server: Any, path: str) -> None:
    status, headers, body = server.rest("GET", path)
    answer = server.rest("HEAD", path)
    assert answer[0] == status == 200
    assert body and answer[2] == b""
    assert answer[1]["Content-Type"] == headers["Content-Type"]


@pytest.mark.parametrize(
    ("method", "path", "allow"),
    [
        ("PUT", "/v2", "GET, HEAD"),
        ("POST", "/v2/health/live", "GET, HEAD"),
        ("POST", "/v2/models/add/ready", "GET, HEAD"),
        ("POST", "/metrics", "GET, HEAD"),
        ("GET", "/v2/models/add/infer", "POST"),
        ("GET", "/v2/repository/index", "POST"),
        ("DELETE", "/v2/repository/models/add/load", "POST"),
        ("POST", "/v2/systemsharedmemory/status", "GET, HEAD"),
        ("GET", "/v2/systemsharedmemory/region/a/register", "POST"),
    ],
)
def test_says_which_methods_a_path_has(server: Any, method: str, path: str, allow: str) -> None:
    status, headers, body = server.rest(method, path)
    assert (status, headers["Allow"]) == (405, allow) and allow in body["error"]


def test_takes_long_bodies_as_curl_sends_them(server: Any) -> None:
    body = json.dumps(add_request()) + " " * 10_000
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    assert server.rest("POST", "/v2/models/add/infer", body, headers)[0] == 200
    headers = {"Content-Type": "multipart/form-data; boundary=x"}
    assert server.rest("POST", "/v2/models/add/infer", body, headers)[0] == 415


def test_timeout_of_a_request_ends_it(server: Any) -> None:
    message = {
        "parameters": {"timeout": 1000},
        "inputs": [
            {
                "name": "x",
                "shape": [512, 512],
                "datatype": "FP32",
                "parameters": {"binary_data_size": 512 * 512 * 4},
            }
        ],
    }
    body, headers = binary(message, bytes(512 * 512 * 4))
    assert server.rest("POST", "/v2/models/slow/infer", body, headers)[0] == 504


def test_answers_a_post_without_a_body(server: Any) -> None:
    host, port = server.http.split(":")
    with socket.create_connection((host, int(port)), timeout=WAIT) as connection:
        connection.sendall(b"POST /v2/repository/index HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        answer = b""
        while part := connection.recv(4096):
            answer += part
    assert answer.startswith(b"HTTP/1.1 200 ") and b'"name":"add"' in answer


def test_index_names_models_and_states(server: Any) -> None:
    status, _, body = server.rest("POST", "/v2/repository/index", {"ready": True})
    assert status == 200
    assert {"name": "add", "version": "10", "state": "READY", "reason": ""} in body


def test_loading_models_is_refused_unless_the_server_allows_it(server: Any) -> None:
    assert server.rest("POST", "/v2/repository/models/add/load")[0] == 403
    assert server.rest("POST", "/v2/repository/models/add/unload")[0] == 403


def test_statistics_and_metrics_count_inferences(server: Any) -> None:
    server.rest("POST", "/v2/models/not/infer", SPECIFIED)
    (stats,) = server.rest("GET", "/v2/models/not/stats")[2]["model_stats"]
    count = stats["inference_stats"]["success"]["count"]
    assert count >= 1 and stats["inference_count"] == count
    assert len(server.rest("GET", "/v2/models/stats")[2]["model_stats"]) >= 5
    status, headers, text = server.rest("GET", "/metrics")
    assert status == 200 and headers["Content-Type"].startswith("text/plain")
    line = f'nnburst_serve_inferences_total{{model="not",version="1",result="success"}} {count}'
    assert line in text.decode().splitlines()
