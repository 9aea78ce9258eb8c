# Copyright 2026 The nnburst authors
# SPDX-License-Identifier: Apache-2.0
"""System shared memory: clients of the same machine whose tensors do not go through the connection."""

import os
import struct
from collections.abc import Iterator
from multiprocessing import shared_memory
from typing import Any

import grpc
import pytest
from conftest import WAIT, Server


@pytest.fixture
def memory() -> Iterator[shared_memory.SharedMemory]:
    block = shared_memory.SharedMemory(create=True, size=4096)
    yield block
    block.close()
    block.unlink()


def shared_request(stubs: Any, region: str, offset: int = 0, output: int = 1024) -> Any:
    request = stubs.pb.ModelInferRequest(model_name="add")
    tensor = request.inputs.add(name="x", datatype="FP32", shape=[4])
    result = request.outputs.add(name="y")
    for parameters, start in [(tensor.parameters, offset), (result.parameters, output)]:
        parameters["shared_memory_region"].string_param = region
        parameters["shared_memory_offset"].int64_param = start
        parameters["shared_memory_byte_size"].int64_param = 16
    return request


def register(client: Any, stubs: Any, name: str, key: str, size: int = 4096, offset: int = 0) -> None:
    client.SystemSharedMemoryRegister(
        stubs.pb.SystemSharedMemoryRegisterRequest(name=name, key=key, byte_size=size, offset=offset), timeout=WAIT
    )


def code_of(call: Any, *arguments: Any, **options: Any) -> Any:
    with pytest.raises(grpc.RpcError) as caught:
        call(*arguments, **options)
    return caught.value.code()


@pytest.fixture(autouse=True)
def unregistered(client: Any, stubs: Any) -> Iterator[None]:
    yield
    client.SystemSharedMemoryUnregister(stubs.pb.SystemSharedMemoryUnregisterRequest(), timeout=WAIT)


def test_inputs_and_outputs_lie_in_shared_memory(client: Any, stubs: Any, memory: Any) -> None:
    register(client, stubs, "region", memory.name, size=3000, offset=96)
    memory.buf[96 + 32 : 96 + 48] = struct.pack("<4f", 1, 2, 3, 4)
    response = client.ModelInfer(shared_request(stubs, "region", offset=32), timeout=WAIT)
    assert response.raw_output_contents[0] == b""
    assert response.outputs[0].parameters["shared_memory_byte_size"].int64_param == 16
    assert struct.unpack_from("<4f", memory.buf, 96 + 1024) == (11, 12, 13, 14)
    regions = client.SystemSharedMemoryStatus(stubs.pb.SystemSharedMemoryStatusRequest(), timeout=WAIT).regions
    assert (regions["region"].key, regions["region"].offset) == (memory.name, 96)


def test_rest_has_the_same_regions(server: Any, client: Any, stubs: Any, memory: Any) -> None:
    path = "/v2/systemsharedmemory/region/rest"
    assert server.rest("POST", path + "/register", {"key": memory.name, "byte_size": 4096})[0] == 200
    assert server.rest("POST", path + "/register", {"key": memory.name, "byte_size": 4096})[0] == 409
    expected = [{"name": "rest", "key": memory.name, "offset": 0, "byte_size": 4096}]
    assert server.rest("GET", "/v2/systemsharedmemory/status")[2] == expected
    assert server.rest("GET", path + "/status")[2] == expected
    memory.buf[:16] = struct.pack("<4f", 1, 2, 3, 4)
    parameters = {"shared_memory_region": "rest", "shared_memory_byte_size": 16}
    body = {
        "inputs": [{"name": "x", "shape": [4], "datatype": "FP32", "parameters": parameters}],
        "outputs": [{"name": "y", "parameters": {**parameters, "shared_memory_offset": 1024}}],
    }
    status, _, answer = server.rest("POST", "/v2/models/add/infer", body)
    assert status == 200 and "data" not in answer["outputs"][0]
    assert struct.unpack_from("<4f", memory.buf, 1024) == (11, 12, 13, 14)
    assert server.rest("POST", path + "/unregister")[0] == 200
    assert server.rest("GET", path + "/status")[0] == 404
    assert server.rest("POST", "/v2/models/add/infer", body)[0] == 404


def test_refuses_ranges_beyond_a_region(client: Any, stubs: Any, memory: Any) -> None:
    register(client, stubs, "small", memory.name, size=64)
    invalid = grpc.StatusCode.INVALID_ARGUMENT
    for request in [
        shared_request(stubs, "small", offset=49, output=0),
        shared_request(stubs, "small", offset=-1, output=0),
        shared_request(stubs, "small", offset=(1 << 63) - 1, output=0),
        shared_request(stubs, "small", offset=0, output=49),
    ]:
        assert code_of(client.ModelInfer, request, timeout=WAIT) == invalid
    for options in [{"size": 0}, {"size": 8192}, {"size": 1, "offset": 4096}, {"size": 1, "offset": (1 << 64) - 1}]:
        assert code_of(register, client, stubs, "wrong", memory.name, **options) == invalid
    assert code_of(register, client, stubs, "n" * 257, memory.name) == invalid
    for key in ["/no-such-memory", "", "/", "../tmp/x", "a/b", "//x", ".."]:
        assert code_of(register, client, stubs, "wrong", key) == invalid


def test_refuses_outputs_that_cannot_lie_in_their_shared_memory(
    server: Any, client: Any, stubs: Any, memory: Any
) -> None:
    def runs() -> int:
        request = stubs.pb.ModelStatisticsRequest(name="add", version="10")
        (stats,) = client.ModelStatistics(request, timeout=WAIT).model_stats
        return int(stats.inference_stats.compute_infer.count)

    register(client, stubs, "region", memory.name)
    before = runs()
    tensor = {"name": "x", "shape": [4], "datatype": "FP32", "data": [1, 2, 3, 4]}
    for parameters, rule in [
        ({"shared_memory_byte_size": 16, "shared_memory_offset": 64}, "shared_memory_region is missing"),
        ({"shared_memory_offset": 64}, "shared_memory_region is missing"),
        ({"shared_memory_region": "region", "shared_memory_byte_size": 15}, "must fit into 15 bytes"),
    ]:
        body = {"inputs": [tensor], "outputs": [{"name": "y", "parameters": parameters}]}
        status, _, answer = server.rest("POST", "/v2/models/add/infer", body)
        assert status == 400 and rule in answer["error"]
    assert runs() == before


def test_memory_that_is_cut_gives_an_error_and_the_server_goes_on(
    server: Any, client: Any, stubs: Any, memory: Any
) -> None:
    register(client, stubs, "cut", memory.name)
    os.truncate(f"/dev/shm/{memory.name.lstrip('/')}", 8)
    code = code_of(client.ModelInfer, shared_request(stubs, "cut"), timeout=WAIT)
    assert code == grpc.StatusCode.INVALID_ARGUMENT
    assert server.rest("GET", "/v2/health/ready")[0] == 200
    os.truncate(f"/dev/shm/{memory.name.lstrip('/')}", 4096)


def test_regions_leave_descriptors_for_others(repository: Any, stubs: Any, memory: Any) -> None:
    # The soft limit is raised to the hard one, and regions take a quarter of it.
    prefix = ("prlimit", "--nofile=128:256")
    with Server(repository, "--device", "local", prefix=prefix) as server:
        client = server.client(stubs)
        for i in range(64):
            register(client, stubs, str(i), memory.name)
        assert code_of(register, client, stubs, "64", memory.name) == grpc.StatusCode.RESOURCE_EXHAUSTED
        assert server.rest("GET", "/v2/health/ready")[0] == 200


def test_is_refused_where_the_server_does_not_allow_it(repository: Any, stubs: Any, memory: Any) -> None:
    with Server(repository, "--device", "local", "--shared-memory", "off") as server:
        client = server.client(stubs)
        assert code_of(register, client, stubs, "region", memory.name) == grpc.StatusCode.PERMISSION_DENIED
        metadata = client.ServerMetadata(stubs.pb.ServerMetadataRequest(), timeout=WAIT)
        assert "system_shared_memory" not in metadata.extensions
