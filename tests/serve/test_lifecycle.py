# Copyright 2026 The nnburst authors
# SPDX-License-Identifier: Apache-2.0
"""Servers that start, load models, lose their driver, are overloaded, and end."""

import contextlib
import http.client
import os
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grpc
import pytest
from conftest import MODELS, SERVE, WAIT, Server, free_port, grpc_channel, infer_request, wait_until

ONES = struct.pack("<4f", 1, 1, 1, 1)
TLS = ["--tls-cert", "/dev/null", "--tls-key", "/dev/null"]  # files that are not read


def add(stubs: Any) -> Any:
    return infer_request(stubs, "add", ("x", "FP32", [4], ONES))


def metric(server: Server, name: str) -> float:
    """The sum of the values of a metric over its labels."""
    lines = server.rest("GET", "/metrics")[2].decode().splitlines()
    return sum(float(line.split()[-1]) for line in lines if line.startswith(name))


def fails(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([SERVE, *arguments], capture_output=True, text=True, errors="replace", timeout=WAIT)


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["--grpc", "0.0.0.0:0"], 2, "must have --tls-cert"),
        (["--http", "[::]:0"], 2, "must have --tls-cert"),
        (["--grpc", "example.org:1"], 2, "must have --tls-cert"),
        (["--grpc", "none", "--http", "none"], 2, "one must be an address"),
        (["--grpc", "127.0.0.1"], 2, "must be HOST:PORT"),
        (["--grpc", "127.0.0.1:65536"], 2, "must be HOST:PORT"),
        (["--grpc", "::1:80"], 2, "must be HOST:PORT"),
        (["--tls-key", "/dev/null"], 2, "--tls-key"),
        ([*TLS, "--tls-client-ca", __file__, "--grpc", "none"], 2, f"--tls-client-ca {__file__}: must have"),
        ([*TLS, "--tls-client-ca", "/dev/null", "--http", "none"], 2, "--tls-client-ca /dev/null: must have"),
        (["--load-model", "add"], 2, "--model-control explicit"),
        (["--threads", "0"], 2, "0 threads: must be 1 to 64, or auto"),
        (["--threads", "2", "--device", "/no/such/socket"], 2, "must be used with --device spawn or local"),
        (["--threads", "auto", "--device", "/no/such/socket"], 2, "must be used with --device spawn or local"),
        (["--model-control", "explicit", "--load-model", "missing", "--device", "local"], 1, "no such folder"),
        (["--threads", "auto", "--model-control", "explicit", "--load-model", "missing"], 1, "no such folder"),
        (["--device", "/no/such/socket"], 1, "/no/such/socket"),
    ],
)
def test_refuses_to_start(repository: Path, arguments: list[str], status: int, message: str) -> None:
    result = fails(str(repository), *arguments)
    assert result.returncode == status and message in result.stdout + result.stderr


def test_refuses_to_start_with_a_broken_model_or_without_a_folder(tmp_path: Path) -> None:
    assert fails(str(tmp_path / "missing"), "--device", "local").returncode == 1
    (tmp_path / "broken" / "1").mkdir(parents=True)
    (tmp_path / "broken" / "1" / "model.tflite").write_bytes(b"not a model")
    result = fails(str(tmp_path), "--device", "local")
    assert result.returncode == 1 and "model.tflite" in result.stderr


def test_leaves_out_folders_without_a_model(repository: Path, stubs: Any, tmp_path: Path) -> None:
    shutil.copytree(repository / "add", tmp_path / "add")
    shutil.copytree(repository / "add", tmp_path / "lost+found")  # of whatever contents
    (tmp_path / "empty").mkdir()
    with Server(tmp_path, "--device", "local") as server:
        client = server.client(stubs)
        assert client.ModelInfer(add(stubs), timeout=WAIT).model_version == "10"
        index = client.RepositoryIndex(stubs.pb.RepositoryIndexRequest(), timeout=WAIT).models
        assert {model.name for model in index} == {"add"}
        assert server.stop() == 0
        errors = server.process.communicate(timeout=WAIT)[1]
        for folder in ["empty", "lost+found"]:
            assert f"{tmp_path / folder}: left out" in errors


@pytest.mark.parametrize("change", ["file", "version", "model", "misplaced", "no number"])
def test_refuses_to_start_without_a_model_that_should_be_there(
    repository: Path, tmp_path: Path, change: str
) -> None:
    shutil.copytree(repository / "add", tmp_path / "add")
    place = {"file": "add/11/model.tflite", "version": "add/11", "model": "other"}.get(change)
    if place:  # a file system that is not mounted
        (tmp_path / place).parent.mkdir(exist_ok=True)
        (tmp_path / place).symlink_to(tmp_path / "nowhere")
    else:
        place = {"misplaced": "other/model.tflite", "no number": "other/v1/model.tflite"}[change]
        (tmp_path / place).parent.mkdir(parents=True)
        shutil.copy(tmp_path / "add" / "1" / "model.tflite", tmp_path / place)
    result = fails(str(tmp_path), "--device", "local")
    assert result.returncode == 1 and f"{tmp_path}/{place.split('/')[0]}" in result.stderr


@pytest.mark.parametrize("kind", ["pipe", "link to a device", "folder"])
def test_refuses_to_start_with_a_model_that_is_no_regular_file(tmp_path: Path, kind: str) -> None:
    file = tmp_path / "add" / "1" / "model.tflite"
    file.parent.mkdir(parents=True)
    if kind == "pipe":
        os.mkfifo(file)
    elif kind == "folder":
        file.mkdir()
    else:
        file.symlink_to("/dev/zero")
    result = fails(str(tmp_path), "--device", "local")
    assert result.returncode == 1 and f"{file} must be a regular file" in result.stderr


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("setpriv"), reason="not root, or without setpriv")
@pytest.mark.parametrize("place", [".", "add", "add/10"])
def test_refuses_to_start_with_a_folder_that_it_may_not_read(place: str) -> None:
    # Above the folders of pytest only root may read.
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run([MODELS, name], check=True)
        folder.chmod(0o755)
        (folder / place).chmod(0o311 if place == "." else 0o700)
        command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", SERVE]
        if subprocess.run([*command, "--version"], capture_output=True, timeout=WAIT).returncode != 0:
            pytest.skip("another user may not reach the server's program")
        command += [name, "--device", "local"]
        result = subprocess.run(command, capture_output=True, text=True, timeout=WAIT)
        assert result.returncode == 1 and str(folder / place) in result.stderr


def test_a_folder_without_a_model_is_not_found(repository: Path, tmp_path: Path) -> None:
    shutil.copytree(repository / "add", tmp_path / "add")
    (tmp_path / "notes").mkdir()
    shutil.copytree(repository / "add", tmp_path / "lost+found")
    arguments = ["--device", "local", "--model-control", "explicit", "--load-model", "add"]
    with Server(tmp_path, *arguments) as server:
        for name in ["notes", "lost+found"]:
            assert server.rest("GET", f"/v2/models/{name}")[0] == 404
            assert server.rest("POST", f"/v2/repository/models/{name}/load")[0] == 404
        assert server.rest("GET", "/v2/health/ready")[0] == 200


def test_refuses_a_model_whose_name_is_not_utf_8(repository: Path, tmp_path: Path) -> None:
    shutil.copytree(repository / "add", os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9"))
    result = fails(str(tmp_path), "--device", "local")
    assert result.returncode == 1 and "the name must be UTF-8" in result.stderr
    arguments = ["--device", "local", "--model-control", "explicit"]
    with Server(tmp_path, *arguments) as server:
        assert server.rest("POST", "/v2/repository/models/caf%E9/load")[0] == 400
        assert server.rest("POST", "/v2/repository/index")[2] == []


def test_refuses_a_port_that_is_taken(server: Server, repository: Path) -> None:
    for option, address in [("--grpc", server.grpc), ("--http", server.http)]:
        other = {"--grpc": "--http", "--http": "--grpc"}[option]
        result = fails(str(repository), "--device", "local", option, address, other, "none")
        assert result.returncode == 1 and address in result.stderr
        assert option == "--grpc" or f"{address}: Address already in use" in result.stderr


def test_listens_on_unix_sockets(repository: Path, stubs: Any, tmp_path: Path) -> None:
    paths = [tmp_path / "grpc.sock", tmp_path / "http.sock"]
    arguments = {"grpc": f"unix:{paths[0]}", "http": f"unix:{paths[1]}"}
    with Server(repository, "--device", "local", **arguments) as server:
        assert server.client(stubs).ModelInfer(add(stubs), timeout=WAIT).model_version == "10"
        curl = shutil.which("curl")
        if curl:
            command = [curl, "--silent", "--fail", "--unix-socket", str(paths[1]), "http://a/v2/health/ready"]
            assert subprocess.run(command, capture_output=True, timeout=WAIT).stdout == b'{"ready":true}'
        assert server.stop() == 0
    assert not paths[1].exists()


OPTIONS = [("--grpc", "--http"), ("--http", "--grpc")]


def status_over_unix(path: Path) -> int:
    """The status with which a server at `path` says that it is live."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(WAIT)
        connection.connect(str(path))
        connection.sendall(b"GET /v2/health/live HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        return int(connection.recv(1 << 16).split()[1])


def test_refuses_a_unix_socket_that_is_served(repository: Path, stubs: Any, tmp_path: Path) -> None:
    paths = {"--grpc": tmp_path / "grpc.sock", "--http": tmp_path / "http.sock"}
    addresses = {option: f"unix:{path}" for option, path in paths.items()}
    arguments = {"grpc": addresses["--grpc"], "http": addresses["--http"]}
    with Server(repository, "--device", "local", **arguments) as server:
        for option, other in OPTIONS:
            result = fails(str(repository), "--device", "local", option, addresses[option], other, "none")
            assert result.returncode == 1 and "another process listens there" in result.stderr
        assert server.client(stubs).ServerLive(stubs.pb.ServerLiveRequest(), timeout=WAIT).live
        assert status_over_unix(paths["--http"]) == 200


def test_leaves_a_file_that_is_no_socket(repository: Path, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("kept")
    for option, other in OPTIONS:
        result = fails(str(repository), "--device", "local", option, f"unix:{path}", other, "none")
        assert result.returncode == 1 and "a file that is no socket is there" in result.stderr
        assert path.read_text() == "kept"


def test_replaces_the_socket_of_a_dead_server(repository: Path, tmp_path: Path) -> None:
    path = tmp_path / "http.sock"
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))
    with Server(repository, "--device", "local", grpc="none", http=f"unix:{path}"):
        assert status_over_unix(path) == 200


def test_leaves_the_socket_of_its_successor(repository: Path, tmp_path: Path) -> None:
    path = tmp_path / "http.sock"
    with (
        Server(repository, "--device", "local", grpc="none", http=f"unix:{path}") as server,
        socket.socket(socket.AF_UNIX) as successor,
    ):
        path.unlink()
        successor.bind(str(path))
        assert server.stop() == 0
        assert path.is_socket()


def test_refuses_to_start_with_too_few_threads(repository: Path) -> None:
    # 10,000 stacks take more than 4 GiB of addresses.
    limits = ["prlimit", "--as=4294967296", "--stack=8388608"]
    addresses = ["--grpc", "none", "--http", "127.0.0.1:0", "--http-connections", "10000"]
    command = [*limits, SERVE, str(repository), "--device", "local", *addresses]
    result = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=WAIT)
    assert result.returncode == 1 and "use fewer --http-connections" in result.stderr


def certificates(folder: Path) -> None:
    """An authority, and a server and a client that it has signed."""

    def openssl(*arguments: str) -> None:
        subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True, timeout=WAIT)

    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    openssl("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=authority", "-days", "2")
    (folder / "names").write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
    for name in ["server", "client"]:
        openssl("req", *key, "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={name}")
        openssl(
            *["x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial"],
            *["-out", f"{name}.pem", "-days", "2", "-extfile", "names"],
        )


@pytest.mark.skipif(not shutil.which("openssl"), reason="without openssl")
def test_tls_wants_certificates_of_clients(repository: Path, stubs: Any, tmp_path: Path) -> None:
    certificates(tmp_path)

    def text(name: str) -> bytes:
        return (tmp_path / name).read_bytes()

    files = ["--tls-cert", "server.pem", "--tls-key", "server.key", "--tls-client-ca", "ca.pem"]
    arguments = [part if part.startswith("-") else str(tmp_path / part) for part in files]
    with Server(repository, "--device", "local", *arguments, grpc="0.0.0.0:0", http="0.0.0.0:0") as server:
        address = server.grpc.replace("0.0.0.0", "localhost")
        good = grpc.ssl_channel_credentials(text("ca.pem"), text("client.key"), text("client.pem"))
        rpc = stubs.rpc.GRPCInferenceServiceStub(grpc.secure_channel(address, good))
        assert rpc.ModelInfer(add(stubs), timeout=WAIT).model_version == "10"
        # Memory of this machine is not for those who may be on another one.
        assert "system_shared_memory" not in rpc.ServerMetadata(stubs.pb.ServerMetadataRequest()).extensions
        unknown = grpc.secure_channel(address, grpc.ssl_channel_credentials(text("ca.pem")))
        with pytest.raises(grpc.RpcError) as caught:
            stubs.rpc.GRPCInferenceServiceStub(unknown).ModelInfer(add(stubs), timeout=WAIT)
        assert caught.value.code() == grpc.StatusCode.UNAVAILABLE

        port = int(server.http.split(":")[-1])
        context = ssl.create_default_context(cafile=str(tmp_path / "ca.pem"))
        context.load_cert_chain(tmp_path / "client.pem", tmp_path / "client.key")
        connection = http.client.HTTPSConnection("localhost", port, timeout=WAIT, context=context)
        connection.request("GET", "/v2/health/ready", headers={"Connection": "close"})
        assert connection.getresponse().status == 200
        connection.close()
        session: ssl.SSLSession | None = None
        for is_resumed in (False, True):
            with (
                socket.create_connection(("localhost", port), timeout=WAIT) as plain,
                context.wrap_socket(plain, server_hostname="localhost", session=session) as secure,
            ):
                secure.sendall(b"GET /v2/health/ready HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                assert b" 200 " in secure.recv(1 << 16)
                assert secure.session_reused == is_resumed
                session = secure.session
        stranger = ssl.create_default_context(cafile=str(tmp_path / "ca.pem"))
        connection = http.client.HTTPSConnection("localhost", port, timeout=WAIT, context=stranger)
        with pytest.raises((ssl.SSLError, OSError, http.client.HTTPException)):
            connection.request("GET", "/v2/health/ready")
            connection.getresponse()


@contextlib.contextmanager
def stopped_driver(server: Server) -> Iterator[None]:
    """Requests do not end meanwhile. After some seconds the server takes another driver instead."""
    (driver,) = server.drivers()
    os.kill(driver, signal.SIGSTOP)
    try:
        yield
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(driver, signal.SIGCONT)


def waiting(server: Server) -> float:
    return metric(server, "nnburst_serve_waiting_requests")


INFERENCES = "nnburst_serve_inferences_total"
FAILURES = f'{INFERENCES}{{model="add",version="10",result="failure"}}'


def test_requests_beyond_the_queue_are_refused(repository: Path, stubs: Any) -> None:
    arguments = ["--instances", "1", "--max-waiting", "1", "--driver-wait", "30000"]
    with Server(repository, *arguments) as server:
        client = server.client(stubs)
        with stopped_driver(server):
            calls = [client.ModelInfer.future(add(stubs), timeout=WAIT) for _ in range(8)]
            wait_until(lambda: sum(call.done() for call in calls) >= 6)
        codes = [call.code() for call in calls]
        assert codes.count(grpc.StatusCode.RESOURCE_EXHAUSTED) == 6
        assert codes.count(grpc.StatusCode.OK) == 2
        # The queue is free again.
        assert client.ModelInfer(add(stubs), timeout=WAIT).model_version == "10"


def test_a_request_leaves_the_queue_at_its_deadline(repository: Path, stubs: Any) -> None:
    with Server(repository, "--instances", "1", "--driver-wait", "30000") as server:
        client = server.client(stubs)
        with stopped_driver(server):
            running = [client.ModelInfer.future(add(stubs), timeout=WAIT) for _ in range(3)]
            wait_until(lambda: waiting(server) == 2)
            late = add(stubs)
            late.parameters["timeout"].int64_param = 1000
            with pytest.raises(grpc.RpcError) as caught:
                client.ModelInfer(late, timeout=WAIT)
            assert caught.value.code() == grpc.StatusCode.DEADLINE_EXCEEDED
            assert waiting(server) == 2
        assert [call.code() for call in running] == [grpc.StatusCode.OK] * 3


def test_a_request_leaves_the_queue_when_its_client_has_gone(repository: Path, stubs: Any) -> None:
    with Server(repository, "--instances", "1", "--driver-wait", "30000") as server:
        client = server.client(stubs)
        with stopped_driver(server):
            calls = [client.ModelInfer.future(add(stubs), timeout=WAIT) for _ in range(3)]
            wait_until(lambda: waiting(server) == 2)
            for call in calls:
                call.cancel()
            wait_until(lambda: waiting(server) == 0)
        # Those that waited did not run on the next driver.
        wait_until(lambda: metric(server, INFERENCES) == 3)
        assert metric(server, FAILURES) >= 2


@pytest.mark.parametrize("is_reset", [True, False])
def test_a_request_over_rest_leaves_the_queue_when_its_client_has_gone(repository: Path, is_reset: bool) -> None:
    body = b'{"inputs":[{"name":"x","shape":[4],"datatype":"FP32","data":[1,2,3,4]}]}'
    head = b"POST /v2/models/add/infer HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % len(body)
    with Server(repository, "--instances", "1", "--driver-wait", "30000", grpc="none") as server:
        host, port = server.http.split(":")
        with stopped_driver(server):
            connections = [socket.create_connection((host, int(port)), timeout=WAIT) for _ in range(8)]
            for connection in connections:
                connection.sendall(head + body)
            wait_until(lambda: waiting(server) == 7)
            for connection in connections:
                if is_reset:
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                connection.close()
            wait_until(lambda: waiting(server) == 0)
        # Those that waited did not run on the next driver.
        wait_until(lambda: metric(server, INFERENCES) == 8)
        assert metric(server, FAILURES) >= 7


def test_sigterm_lets_requests_end(repository: Path, stubs: Any) -> None:
    arguments = ["--instances", "1", "--drain-time", "60", "--driver-wait", "30000"]
    with Server(repository, *arguments) as server:
        client = server.client(stubs)
        with stopped_driver(server):
            calls = [client.ModelInfer.future(add(stubs), timeout=WAIT) for _ in range(4)]
            wait_until(lambda: waiting(server) == 3)
            server.process.send_signal(signal.SIGTERM)
            # From now on it is not ready.
            wait_until(lambda: server.rest("GET", "/v2/health/ready")[0] == 503)
        assert server.process.wait(timeout=WAIT) == 0
        assert [call.code() for call in calls] == [grpc.StatusCode.OK] * 4


def infer_over_rest(server: Server, pool: ThreadPoolExecutor, count: int) -> list[Any]:
    """Requests of which one runs and the others wait."""
    tensor = {"name": "x", "shape": [4], "datatype": "FP32", "data": [1, 2, 3, 4]}
    body = {"inputs": [tensor]}
    calls = [pool.submit(server.rest, "POST", "/v2/models/add/infer", body) for _ in range(count)]
    wait_until(lambda: waiting(server) == count - 1)
    return calls


def test_sigterm_lets_requests_over_rest_end(repository: Path) -> None:
    arguments = ["--instances", "1", "--drain-time", "60", "--driver-wait", "30000"]
    with Server(repository, *arguments, grpc="none") as server, ThreadPoolExecutor(4) as pool:
        with stopped_driver(server):
            calls = infer_over_rest(server, pool, 4)
            server.process.send_signal(signal.SIGTERM)
            time.sleep(0.5)
        assert [call.result(timeout=WAIT)[0] for call in calls] == [200] * 4
        assert server.process.wait(timeout=WAIT) == 0


def test_requests_over_rest_leave_the_queue_when_the_drain_time_is_over(repository: Path) -> None:
    arguments = ["--instances", "1", "--drain-time", "1", "--driver-wait", "30000"]
    with Server(repository, *arguments) as server, ThreadPoolExecutor(4) as pool, stopped_driver(server):
        calls = infer_over_rest(server, pool, 4)
        server.process.send_signal(signal.SIGTERM)
        # Their connections are ended, or they are answered before.
        wait_until(lambda: sum(call.done() for call in calls) >= 3)
    for call in calls:
        if call.exception(timeout=WAIT) is None:
            assert call.result()[0] in (200, 503)


def test_sigterm_ends_streams_that_wait_for_their_clients(repository: Path, stubs: Any) -> None:
    ended = threading.Event()

    def requests(count: int) -> Iterator[Any]:
        for _ in range(count):
            yield add(stubs)
        ended.wait(WAIT)

    with Server(repository, "--device", "local", "--drain-time", "3600") as server:
        client = server.client(stubs)
        streams = [client.ModelStreamInfer(requests(count)) for count in [0, 1]]
        try:
            assert next(streams[1]).infer_response.model_version == "10"
            assert server.stop() == 0
        finally:
            ended.set()
        codes = {stream.code() for stream in streams}
        assert codes <= {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED}


def test_sigterm_ends_a_server_that_waits_for_its_driver(repository: Path, tmp_path: Path) -> None:
    path = tmp_path / "driver.sock"
    with socket.socket(socket.AF_UNIX) as driver:
        driver.bind(str(path))
        driver.listen()
        driver.settimeout(WAIT)
        command = [SERVE, str(repository), "--device", str(path), "--grpc", "none", "--http", "127.0.0.1:0"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            with driver.accept()[0]:  # and does not answer
                process.send_signal(signal.SIGTERM)
                output, errors = process.communicate(timeout=WAIT)
        finally:
            process.kill()
            process.wait(timeout=WAIT)
    assert process.returncode == 0 and output == "", errors


def load(client: Any, stubs: Any, name: str) -> None:
    client.RepositoryModelLoad(stubs.pb.RepositoryModelLoadRequest(model_name=name), timeout=WAIT)


def unload(client: Any, stubs: Any, name: str) -> None:
    client.RepositoryModelUnload(stubs.pb.RepositoryModelUnloadRequest(model_name=name), timeout=WAIT)


def test_clients_load_and_unload_models(repository: Path, stubs: Any) -> None:
    arguments = ["--device", "local", "--model-control", "explicit", "--load-model", "not"]
    with Server(repository, *arguments) as server:
        client = server.client(stubs)
        index = client.RepositoryIndex(stubs.pb.RepositoryIndexRequest(), timeout=WAIT).models
        assert {model.name: model.state for model in index}["add"] == "UNAVAILABLE"
        ready = client.RepositoryIndex(stubs.pb.RepositoryIndexRequest(ready=True), timeout=WAIT).models
        assert [model.name for model in ready] == ["not"]

        with pytest.raises(grpc.RpcError) as caught:
            client.ModelInfer(add(stubs), timeout=WAIT)
        assert caught.value.code() == grpc.StatusCode.UNAVAILABLE
        load(client, stubs, "add")
        assert client.ModelInfer(add(stubs), timeout=WAIT).model_version == "10"
        assert server.rest("POST", "/v2/repository/models/add/unload")[0] == 200
        assert server.rest("POST", "/v2/models/add/infer", {"inputs": []})[0] == 503
        for name in ["missing", "../repository/add", "", "."]:
            with pytest.raises(grpc.RpcError) as caught:
                load(client, stubs, name)
            assert caught.value.code() == grpc.StatusCode.NOT_FOUND


def test_requests_to_each_version_may_wait(repository: Path, stubs: Any) -> None:
    # Threads are for the requests to all versions, also of models that are loaded later.
    arguments = ["--model-control", "explicit", "--instances", "1", "--max-waiting", "40", "--driver-wait", "30000"]
    with Server(repository, *arguments) as server:
        client = server.client(stubs)
        load(client, stubs, "add")
        load(client, stubs, "not")
        requests = [infer_request(stubs, "not", ("flags", "BOOL", [3], b"\1\0\1")), add(stubs), add(stubs)]
        requests[1].model_version = "1"
        with stopped_driver(server):
            calls = [client.ModelInfer.future(request, timeout=WAIT) for request in requests for _ in range(41)]
            wait_until(lambda: waiting(server) == 120 or any(call.done() for call in calls))
        assert {call.code() for call in calls} == {grpc.StatusCode.OK}


def test_requests_to_an_unloaded_model_keep_their_threads(repository: Path, stubs: Any) -> None:
    arguments = ["--model-control", "explicit", "--instances", "1", "--max-waiting", "40", "--driver-wait", "30000"]
    with Server(repository, *arguments) as server:
        client = server.client(stubs)
        load(client, stubs, "add")
        load(client, stubs, "not")
        old = add(stubs)
        old.model_version = "1"
        calls: list[Any] = []

        def send(*requests: Any) -> None:
            calls.extend(client.ModelInfer.future(request, timeout=WAIT) for request in requests for _ in range(41))
            wait_until(lambda: waiting(server) == 40 * len(requests) or any(call.done() for call in calls))

        with stopped_driver(server):
            send(old, add(stubs))
            unload(client, stubs, "add")
            # The metric has only the models that are loaded.
            send(infer_request(stubs, "not", ("flags", "BOOL", [3], b"\1\0\1")))
        assert {call.code() for call in calls} == {grpc.StatusCode.OK}


def test_a_model_is_not_loaded_with_parameters(repository: Path, stubs: Any) -> None:
    arguments = ["--device", "local", "--model-control", "explicit", "--load-model", "not"]
    with Server(repository, *arguments) as server:
        request = stubs.pb.RepositoryModelLoadRequest(model_name="add")
        request.parameters["config"].string_param = '{"max_batch_size": 8}'
        with pytest.raises(grpc.RpcError) as caught:
            server.client(stubs).RepositoryModelLoad(request, timeout=WAIT)
        assert caught.value.code() == grpc.StatusCode.UNIMPLEMENTED
        assert caught.value.details() == "load model 'add': parameter config is not supported"
        path = "/v2/repository/models/add/load"
        assert server.rest("POST", path, {"parameters": {"config": "{}"}})[0] == 501
        assert server.rest("POST", path, {"parameters": {}})[0] == 200


def test_a_new_version_that_is_broken_leaves_the_earlier_one(repository: Path, stubs: Any, tmp_path: Path) -> None:
    shutil.copytree(repository / "add", tmp_path / "add")
    arguments = ["--device", "local", "--model-control", "explicit", "--load-model", "add"]
    with Server(tmp_path, *arguments) as server:
        client = server.client(stubs)
        (tmp_path / "add" / "11").mkdir()
        (tmp_path / "add" / "11" / "model.tflite").write_bytes(b"not a model")
        with pytest.raises(grpc.RpcError) as caught:
            load(client, stubs, "add")
        assert caught.value.code() == grpc.StatusCode.INVALID_ARGUMENT
        assert client.ModelInfer(add(stubs), timeout=WAIT).model_version == "10"
        shutil.copy(tmp_path / "add" / "1" / "model.tflite", tmp_path / "add" / "11" / "model.tflite")
        load(client, stubs, "add")
        assert client.ModelInfer(add(stubs), timeout=WAIT).model_version == "11"


def test_no_request_is_lost_while_a_model_is_loaded_again(repository: Path, stubs: Any) -> None:
    arguments = ["--device", "local", "--model-control", "explicit", "--load-model", "add"]
    with Server(repository, *arguments) as server, ThreadPoolExecutor(2) as pool:
        client = server.client(stubs)

        def stream() -> None:
            for _ in range(100):
                client.ModelInfer(add(stubs), timeout=WAIT)

        streams = [pool.submit(stream) for _ in range(2)]
        for _ in range(10):
            load(client, stubs, "add")
        for running in streams:
            running.result(timeout=WAIT)


def test_no_request_is_lost_when_the_driver_is_killed(repository: Path, stubs: Any) -> None:
    with Server(repository, "--driver-wait", "30000") as server, ThreadPoolExecutor(4) as pool:
        client = server.client(stubs)

        def stream() -> None:
            for _ in range(100):
                response = client.ModelInfer(add(stubs), timeout=WAIT)
                assert struct.unpack("<4f", response.raw_output_contents[0]) == (11, 11, 11, 11)

        streams = [pool.submit(stream) for _ in range(4)]
        for losses in [1, 2]:
            wait_until(lambda: server.drivers() and metric(server, "nnburst_serve_driver_up") == 1)
            done = metric(server, "nnburst_serve_inferences_total")
            wait_until(lambda: metric(server, "nnburst_serve_inferences_total") > min(done + 10, 390))
            os.kill(server.drivers()[0], signal.SIGKILL)
            wait_until(lambda: metric(server, "nnburst_serve_driver_losses_total") == losses)
        for running in streams:
            running.result(timeout=WAIT)
        assert metric(server, 'nnburst_serve_inferences_total{model="add",version="10",result="success"}') == 400


@contextlib.contextmanager
def driver_at(path: Path) -> Iterator[None]:
    driver = subprocess.Popen([os.environ["NNBURST_DRIVER"], "--socket", str(path)], stderr=subprocess.DEVNULL)
    try:
        wait_until(path.exists)
        yield
    finally:
        driver.kill()
        driver.wait()


def test_runs_on_a_driver_that_others_share(repository: Path, stubs: Any, tmp_path: Path) -> None:
    path = tmp_path / "driver.sock"
    with driver_at(path), Server(repository, "--device", str(path)) as server:
        assert server.client(stubs).ModelInfer(add(stubs), timeout=WAIT).model_version == "10"


def test_is_ready_only_while_there_is_a_driver(repository: Path, stubs: Any, tmp_path: Path) -> None:
    path = tmp_path / "driver.sock"
    with contextlib.ExitStack() as stack:
        with driver_at(path):
            server = stack.enter_context(Server(repository, "--device", str(path)))
            client = server.client(stubs)
            check = grpc_channel(server.grpc).unary_unary("/grpc.health.v1.Health/Check")

            def answers() -> list[bool]:
                return [
                    server.rest("GET", "/v2/health/ready")[0] == 200,
                    server.rest("GET", "/v2/models/add/ready")[0] == 200,
                    client.ServerReady(stubs.pb.ServerReadyRequest(), timeout=WAIT).ready,
                    client.ModelReady(stubs.pb.ModelReadyRequest(name="add"), timeout=WAIT).ready,
                    check(b"", timeout=WAIT) == b"\x08\x01",  # SERVING
                    metric(server, "nnburst_serve_ready") == 1,
                ]

            assert all(answers())
        wait_until(lambda: not any(answers()))
        assert server.rest("GET", "/v2/health/ready")[0] == 503
        assert server.rest("GET", "/v2/health/live")[0] == 200
        with driver_at(path):
            wait_until(lambda: all(answers()))
            assert client.ModelInfer(add(stubs), timeout=WAIT).model_version == "10"


def test_port_zero_is_not_needed(repository: Path, stubs: Any) -> None:
    address = f"127.0.0.1:{free_port()}"
    with Server(repository, "--device", "local", grpc=address, http="none") as server:
        assert server.grpc == address and server.http == ""
        assert server.client(stubs).ServerLive(stubs.pb.ServerLiveRequest(), timeout=WAIT).live
