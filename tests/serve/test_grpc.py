# Copyright 2026 The nnburst authors
# SPDX-License-Identifier: Apache-2.0
"""The Open Inference Protocol over gRPC, with a client made by protoc for Python."""

import struct
from typing import Any

import grpc
import pytest
from conftest import WAIT, infer_request

ONES = struct.pack("<4f", 1, 1, 1, 1)


def failure(call: Any, request: Any, **options: Any) -> Any:
    with pytest.raises(grpc.RpcError) as caught:
        call(request, timeout=options.get("timeout", WAIT))
    return caught.value


def floats(contents: bytes) -> list[float]:
    return list(struct.unpack(f"<{len(contents) // 4}f", contents))


def test_server_is_live_and_ready_and_names_its_extensions(client: Any, stubs: Any) -> None:
    assert client.ServerLive(stubs.pb.ServerLiveRequest(), timeout=WAIT).live
    assert client.ServerReady(stubs.pb.ServerReadyRequest(), timeout=WAIT).ready
    metadata = client.ServerMetadata(stubs.pb.ServerMetadataRequest(), timeout=WAIT)
    assert metadata.name == "nnburst-serve"
    assert {"model_repository", "system_shared_memory", "statistics"} <= set(metadata.extensions)


def test_model_is_ready_only_if_it_is_there(client: Any, stubs: Any) -> None:
    def ready(name: str, version: str = "") -> bool:
        return client.ModelReady(stubs.pb.ModelReadyRequest(name=name, version=version), timeout=WAIT).ready

    assert ready("add") and ready("add", "1")
    assert not ready("add", "2") and not ready("missing") and not ready("../add") and not ready("add", "01")


def test_metadata_has_names_types_shapes_and_versions(client: Any, stubs: Any) -> None:
    model = client.ModelMetadata(stubs.pb.ModelMetadataRequest(name="dequantize"), timeout=WAIT)
    assert list(model.versions) == ["1"]
    assert [(i.name, i.datatype, list(i.shape)) for i in model.inputs] == [("bytes", "UINT8", [2, 3])]
    assert [(o.name, o.datatype, list(o.shape)) for o in model.outputs] == [("values", "FP32", [2, 3])]
    versions = client.ModelMetadata(stubs.pb.ModelMetadataRequest(name="add"), timeout=WAIT).versions
    assert list(versions) == ["1", "10"]


def test_config_has_scales_and_zero_points(client: Any, stubs: Any) -> None:
    config = client.ModelConfig(stubs.pb.ModelConfigRequest(name="dequantize"), timeout=WAIT).config
    assert config.input[0].data_type == stubs.pb.TYPE_UINT8
    assert list(config.output[0].dims) == [2, 3]
    assert config.parameters["scale:bytes"].string_value == "0.5"
    assert config.parameters["zero_point:bytes"].string_value == "128"


def test_infers_with_raw_contents_on_the_latest_version(client: Any, stubs: Any) -> None:
    request = infer_request(stubs, "add", ("x", "FP32", [4], ONES), id="42")
    response = client.ModelInfer(request, timeout=WAIT)
    assert (response.model_name, response.model_version, response.id) == ("add", "10", "42")
    assert (response.outputs[0].name, list(response.outputs[0].shape)) == ("y", [4])
    assert floats(response.raw_output_contents[0]) == [11] * 4
    request.model_version = "1"
    assert floats(client.ModelInfer(request, timeout=WAIT).raw_output_contents[0]) == [2] * 4


def test_infers_with_typed_contents(client: Any, stubs: Any) -> None:
    request = stubs.pb.ModelInferRequest(model_name="dequantize")
    tensor = request.inputs.add(name="bytes", datatype="UINT8", shape=[2, 3])
    tensor.contents.uint_contents.extend([128, 129, 130, 0, 255, 127])
    response = client.ModelInfer(request, timeout=WAIT)
    assert floats(response.raw_output_contents[0]) == [0, 0.5, 1, -64, 63.5, -0.5]
    tensor.contents.uint_contents[0] = 256
    assert "256" in failure(client.ModelInfer, request).details()

    flags = stubs.pb.ModelInferRequest(model_name="not")
    flags.inputs.add(name="flags", datatype="BOOL", shape=[3]).contents.bool_contents.extend([True, False, True])
    assert client.ModelInfer(flags, timeout=WAIT).raw_output_contents[0] == b"\0\1\0"


def test_gives_only_the_outputs_that_are_asked_for(client: Any, stubs: Any) -> None:
    request = infer_request(stubs, "add", ("x", "FP32", [4], ONES))
    request.outputs.add(name="y")
    assert len(client.ModelInfer(request, timeout=WAIT).outputs) == 1
    request.outputs[0].name = "z"
    assert failure(client.ModelInfer, request).code() == grpc.StatusCode.INVALID_ARGUMENT


def test_names_that_are_alike_in_the_file_differ(client: Any, stubs: Any) -> None:
    model = client.ModelMetadata(stubs.pb.ModelMetadataRequest(name="alike"), timeout=WAIT)
    inputs, outputs = [i.name for i in model.inputs], [o.name for o in model.outputs]
    assert len(set(inputs)) == len(set(outputs)) == 2
    tens = struct.pack("<4f", 10, 10, 10, 10)
    request = infer_request(stubs, "alike", (inputs[0], "FP32", [4], ONES), (inputs[1], "FP32", [4], tens))
    response = client.ModelInfer(request, timeout=WAIT)
    assert [output.name for output in response.outputs] == outputs
    assert [floats(raw) for raw in response.raw_output_contents] == [[11] * 4, [21] * 4]
    request.outputs.add(name=outputs[1])
    assert floats(client.ModelInfer(request, timeout=WAIT).raw_output_contents[0]) == [21] * 4


def test_made_names_leave_the_names_of_the_file(client: Any, stubs: Any) -> None:
    request = infer_request(stubs, "numbered", ("x", "FP32", [4], ONES))
    response = client.ModelInfer(request, timeout=WAIT)
    assert [output.name for output in response.outputs] == ["a", "a:2", "a:1"]
    assert [floats(raw) for raw in response.raw_output_contents] == [[2] * 4, [3] * 4, [4] * 4]


@pytest.mark.parametrize("letter", ["a", "\u00e9", "\u7532"])
def test_long_names_do_not_change_the_code_of_a_failure(client: Any, stubs: Any, letter: str) -> None:
    request = infer_request(stubs, letter * 100_000, ("x", "FP32", [4], ONES))
    error = failure(client.ModelInfer, request)
    assert error.code() == grpc.StatusCode.NOT_FOUND and len(error.details().encode()) <= 1024
    assert error.details().startswith(f"model '{letter}") and "no such model" in error.details()
    request = infer_request(stubs, "add", ("x", letter * 100_000, [4], ONES))
    error = failure(client.ModelInfer, request)
    assert error.code() == grpc.StatusCode.INVALID_ARGUMENT and len(error.details().encode()) <= 1024


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (lambda r: r.inputs[0].ClearField("shape"), "shape []: must be [4]"),
        (lambda r: r.inputs[0].shape.__setitem__(0, -4), "shape [-4]"),
        (lambda r: setattr(r.inputs[0], "datatype", "FP16"), "must be FP32"),
        (lambda r: setattr(r.inputs[0], "name", "w"), "no such input"),
        (lambda r: r.ClearField("inputs"), "raw_input_contents has 1 entries"),
        (lambda r: (r.ClearField("inputs"), r.ClearField("raw_input_contents")), "'x' is missing"),
        (lambda r: r.raw_input_contents.__setitem__(0, ONES[1:]), "15 bytes: must be 16"),
        (lambda r: r.raw_input_contents.append(ONES), "raw_input_contents has 2 entries"),
        (lambda r: r.inputs[0].contents.fp32_contents.append(1), "must have none beside"),
        (lambda r: r.inputs.append(r.inputs[0]), "must have one for each input"),
        (
            lambda r: (r.inputs.append(r.inputs[0]), r.raw_input_contents.append(ONES)),
            "given twice",
        ),
    ],
)
def test_refuses_requests_that_do_not_fit_the_model(client: Any, stubs: Any, change: Any, rule: str) -> None:
    request = infer_request(stubs, "add", ("x", "FP32", [4], ONES))
    change(request)
    error = failure(client.ModelInfer, request)
    assert error.code() == grpc.StatusCode.INVALID_ARGUMENT
    assert rule in error.details()


def test_refuses_unknown_models_and_versions(client: Any, stubs: Any) -> None:
    for name, version in [("missing", ""), ("add", "2"), ("add", "x"), ("..", ""), ("", "")]:
        request = infer_request(stubs, name, ("x", "FP32", [4], ONES), model_version=version)
        assert failure(client.ModelInfer, request).code() == grpc.StatusCode.NOT_FOUND


@pytest.mark.parametrize(
    ("field", "value", "nothing"),
    [
        ("int64_param", 7, 0),
        ("uint64_param", 5, 0),
        ("string_param", "seven", ""),
        ("bool_param", True, None),
        ("bool_param", False, None),
        ("double_param", 0.5, None),
    ],
)
def test_refuses_sequences(client: Any, stubs: Any, field: str, value: Any, nothing: Any) -> None:
    request = infer_request(stubs, "add", ("x", "FP32", [4], ONES))
    setattr(request.parameters["sequence_id"], field, value)
    assert failure(client.ModelInfer, request).code() == grpc.StatusCode.UNIMPLEMENTED
    if nothing is not None:
        setattr(request.parameters["sequence_id"], field, nothing)
        assert client.ModelInfer(request, timeout=WAIT).model_version == "10"


def test_refuses_classification(client: Any, stubs: Any) -> None:
    request = infer_request(stubs, "add", ("x", "FP32", [4], ONES))
    classification = request.outputs.add(name="y").parameters["classification"]
    for field in ["int64_param", "uint64_param"]:
        setattr(classification, field, 2)
        assert failure(client.ModelInfer, request).code() == grpc.StatusCode.UNIMPLEMENTED
        setattr(classification, field, 0)
        assert client.ModelInfer(request, timeout=WAIT).model_version == "10"
    classification.string_param = "2"
    error = failure(client.ModelInfer, request)
    assert error.code() == grpc.StatusCode.INVALID_ARGUMENT and "classification" in error.details()


def test_refuses_regions_of_shared_memory_that_are_no_strings(client: Any, stubs: Any) -> None:
    request = stubs.pb.ModelInferRequest(model_name="add")
    tensor = request.inputs.add(name="x", datatype="FP32", shape=[4])
    tensor.parameters["shared_memory_byte_size"].int64_param = 16
    tensor.parameters["shared_memory_region"].int64_param = 1
    error = failure(client.ModelInfer, request)
    assert error.code() == grpc.StatusCode.INVALID_ARGUMENT
    assert error.details() == "parameter shared_memory_region: must be a string"


def test_refuses_requests_above_the_limit(client: Any, stubs: Any) -> None:
    request = infer_request(stubs, "add", ("x", "FP32", [4], bytes(2_100_000)))
    assert failure(client.ModelInfer, request).code() == grpc.StatusCode.RESOURCE_EXHAUSTED


def test_states_of_a_model_begin_at_zero_in_each_request(client: Any, stubs: Any) -> None:
    request = infer_request(stubs, "recurrent", ("x", "FP32", [1, 3], struct.pack("<3f", 1, 1, 1)))
    for _ in range(5):
        assert floats(client.ModelInfer(request, timeout=WAIT).raw_output_contents[0]) == [4, 4]


def test_deadlines_end_an_inference(client: Any, stubs: Any) -> None:
    matrix = bytes(512 * 512 * 4)
    request = infer_request(stubs, "slow", ("x", "FP32", [512, 512], matrix))
    assert failure(client.ModelInfer, request, timeout=0.005).code() == grpc.StatusCode.DEADLINE_EXCEEDED
    request.parameters["timeout"].int64_param = 1000  # microseconds
    error = failure(client.ModelInfer, request)
    assert error.code() == grpc.StatusCode.DEADLINE_EXCEEDED
    request.parameters["timeout"].int64_param = -1
    assert failure(client.ModelInfer, request).code() == grpc.StatusCode.INVALID_ARGUMENT
    del request.parameters["timeout"]
    assert client.ModelInfer(request, timeout=WAIT).raw_output_contents[0] == matrix


def test_streams_answer_each_request_in_order_and_go_on_after_an_error(client: Any, stubs: Any) -> None:
    def requests() -> Any:
        for number in range(5):
            model = "missing" if number == 2 else "add"
            contents = struct.pack("<4f", *[number] * 4)
            yield infer_request(stubs, model, ("x", "FP32", [4], contents), id=str(number))

    responses = list(client.ModelStreamInfer(requests(), timeout=WAIT))
    assert [response.infer_response.id for response in responses] == list("01234")
    assert "missing" in responses[2].error_message
    assert floats(responses[4].infer_response.raw_output_contents[0]) == [14] * 4


def test_statistics_count_inferences(client: Any, stubs: Any) -> None:
    def count(field: str) -> int:
        request = stubs.pb.ModelStatisticsRequest(name="not", version="1")
        (stats,) = client.ModelStatistics(request, timeout=WAIT).model_stats
        return getattr(stats.inference_stats, field).count

    good, bad = count("success"), count("fail")
    request = infer_request(stubs, "not", ("flags", "BOOL", [3], b"\1\0\1"))
    client.ModelInfer(request, timeout=WAIT)
    request.inputs[0].name = "other"
    failure(client.ModelInfer, request)
    assert (count("success"), count("fail"), count("compute_infer")) == (good + 1, bad + 1, good + 1)
    every = client.ModelStatistics(stubs.pb.ModelStatisticsRequest(), timeout=WAIT).model_stats
    assert {(s.name, s.version) for s in every} >= {("add", "1"), ("add", "10"), ("not", "1")}


def test_health_checks_of_grpc_are_answered(server: Any) -> None:
    from conftest import grpc_channel

    check = grpc_channel(server.grpc).unary_unary("/grpc.health.v1.Health/Check")
    assert check(b"", timeout=WAIT) == b"\x08\x01"  # SERVING
