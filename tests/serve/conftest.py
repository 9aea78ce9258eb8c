# Copyright 2026 The nnburst authors
# SPDX-License-Identifier: Apache-2.0
"""What the tests of nnburst-serve share: a model repository, servers, and clients of both protocols.

The environment has the programs, as tests/serve/CMakeLists.txt sets it.
"""

import contextlib
import http.client
import importlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

grpc = pytest.importorskip("grpc", reason="without python3-grpcio")

SERVE = os.environ["NNBURST_SERVE"]
PROTO = Path(os.environ["NNBURST_PROTO"])
MODELS = os.environ["NNBURST_SERVE_MODELS"]

# Longer than anything here takes: so that a fault cannot hang the tests.
WAIT = 60


@pytest.fixture(scope="session")
def stubs(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The modules that protoc makes of the protocol: messages `pb` and stubs `rpc`."""
    folder = tmp_path_factory.mktemp("stubs")
    subprocess.run(
        [
            "protoc",
            f"--proto_path={PROTO.parent}",
            f"--python_out={folder}",
            f"--grpc_out={folder}",
            f"--plugin=protoc-gen-grpc={shutil.which('grpc_python_plugin')}",
            PROTO.name,
        ],
        check=True,
    )
    sys.path.insert(0, str(folder))
    names = {"pb": "open_inference_pb2", "rpc": "open_inference_pb2_grpc"}
    return type("Stubs", (), {key: importlib.import_module(name) for key, name in names.items()})


@pytest.fixture(scope="session")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("repository")
    subprocess.run([MODELS, str(folder)], check=True)
    return folder


class Server:
    """A server, and what it has printed until it was ready."""

    def __init__(
        self,
        folder: Path,
        *arguments: str,
        grpc: str = "127.0.0.1:0",
        http: str = "127.0.0.1:0",
        environment: dict[str, str] | None = None,
        prefix: tuple[str, ...] = (),
    ) -> None:
        self.process = subprocess.Popen(
            [*prefix, SERVE, str(folder), "--grpc", grpc, "--http", http, *arguments],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.grpc = self.http = ""
        self.lines = []
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line.strip())
            if line.startswith("gRPC on "):
                self.grpc = line.split()[-1]
            if line.startswith("REST on "):
                self.http = line.split()[-1]
            if line == "ready\n":
                break

    def __enter__(self) -> "Server":
        assert "ready" in self.lines, self.process.communicate(timeout=WAIT)
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate(timeout=WAIT)

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=WAIT)

    def drivers(self) -> list[int]:
        """The processes that it has started, but those that have ended."""
        found = []
        for path in Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):
                state, parent = path.read_text().rpartition(")")[2].split()[:2]
                if int(parent) == self.process.pid and state != "Z":
                    found.append(int(path.parent.name))
        return found

    def rest(self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> Any:
        """Status, headers and body of an answer; the body is parsed if it is JSON."""
        connection = http.client.HTTPConnection(self.http, timeout=WAIT)
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
        connection.request(method, path, body, {"Connection": "close", **(headers or {})})
        response = connection.getresponse()
        contents: Any = response.read()
        connection.close()
        if contents and response.getheader("Content-Type", "").startswith("application/json"):
            contents = json.loads(contents)
        return response.status, response.headers, contents

    def client(self, stubs: Any) -> Any:
        return stubs.rpc.GRPCInferenceServiceStub(grpc_channel(self.grpc))


def grpc_channel(address: str) -> Any:
    # A channel of its own for each client, so that tests do not share connections.
    return grpc.insecure_channel(address, options=[("grpc.use_local_subchannel_pool", 1)])


@pytest.fixture(scope="session")
def server(repository: Path) -> Any:
    with Server(repository, "--device", "local", "--max-request-bytes", "2000000") as running:
        yield running


@pytest.fixture
def client(server: Server, stubs: Any) -> Any:
    return server.client(stubs)


def infer_request(stubs: Any, model: str, *inputs: tuple[str, str, list[int], bytes], **fields: Any) -> Any:
    """A request with raw contents."""
    request = stubs.pb.ModelInferRequest(model_name=model, **fields)
    for name, datatype, shape, contents in inputs:
        request.inputs.add(name=name, datatype=datatype, shape=shape)
        request.raw_input_contents.append(contents)
    return request


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until(condition: Any) -> None:
    end = time.monotonic() + WAIT
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)
