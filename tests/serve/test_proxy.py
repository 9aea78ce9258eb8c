# Copyright 2026 The nnburst authors
# SPDX-License-Identifier: Apache-2.0
"""Two servers behind one address, with HAProxy and the configuration of examples/serve."""

import shutil
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from conftest import WAIT, Server, free_port, grpc_channel, infer_request, wait_until

HAPROXY = shutil.which("haproxy") or shutil.which("haproxy", path="/usr/sbin")
CONFIGURATION = Path(__file__).parents[2] / "examples" / "serve" / "haproxy.cfg"

pytestmark = pytest.mark.skipif(not HAPROXY, reason="without haproxy")


@pytest.fixture
def servers(repository: Path) -> Iterator[list[Server]]:
    with Server(repository, "--device", "local") as first, Server(repository, "--device", "local") as second:
        yield [first, second]


@pytest.fixture
def proxy(servers: list[Server], tmp_path: Path) -> Iterator[str]:
    """The address of a proxy in front of both servers."""
    address = f"127.0.0.1:{free_port()}"
    text = CONFIGURATION.read_text().replace("0.0.0.0:8001", address)
    for number, server in enumerate(servers):
        text = text.replace(f"server{number}:8001 port 8000", f"{server.grpc} port {server.http.split(':')[1]}")
    path = tmp_path / "haproxy.cfg"
    path.write_text(text)
    process = subprocess.Popen([str(HAPROXY), "-f", str(path), "-db"], stderr=subprocess.DEVNULL)
    try:
        yield address
    finally:
        process.kill()
        process.wait(timeout=WAIT)


def test_no_request_is_lost_beyond_its_retry_when_a_server_is_killed(
    servers: list[Server], proxy: str, stubs: Any
) -> None:
    client = stubs.rpc.GRPCInferenceServiceStub(grpc_channel(proxy))
    wait = stubs.pb.ServerLiveRequest()
    assert client.ServerLive(wait, timeout=WAIT, wait_for_ready=True).live

    def count(server: Server) -> int:
        (stats,) = server.rest("GET", "/v2/models/add/versions/10/stats")[2]["model_stats"]
        return int(stats["inference_count"])

    retries = 0
    for number in range(300):
        if number == 100:
            wait_until(lambda: count(servers[0]) > 0 and count(servers[1]) > 0)
            servers[0].process.kill()
        request = infer_request(stubs, "add", ("x", "FP32", [4], struct.pack("<4f", *[number] * 4)))
        for attempt in range(2):
            try:
                response = client.ModelInfer(request, timeout=WAIT)
            except grpc.RpcError as error:
                assert attempt == 0 and error.code() == grpc.StatusCode.UNAVAILABLE
                retries += 1
                continue
            assert struct.unpack("<4f", response.raw_output_contents[0]) == (number + 10,) * 4
            break
    assert retries <= 4
