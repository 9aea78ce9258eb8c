# Copyright 2026 The nnburst authors
# SPDX-License-Identifier: Apache-2.0
"""Clients that want to harm the server, or its other clients."""

import contextlib
import json
import os
import re
import signal
import socket
import struct
import threading
import time
from collections.abc import Iterable, Iterator
from multiprocessing import shared_memory
from pathlib import Path
from typing import Any

import grpc
import pytest
from conftest import WAIT, Server, infer_request, wait_until

MEBIBYTE = 1 << 20
INFER = b"POST /v2/models/add/infer HTTP/1.1\r\nHost: a\r\n"
LIVE = b"GET /v2/health/live HTTP/1.1\r\nHost: a\r\n"


@pytest.fixture(scope="module")
def small(repository: Path) -> Iterator[Server]:
    """A server for requests of at most 1 MiB."""
    with Server(repository, "--device", "local", "--max-request-bytes", str(MEBIBYTE)) as running:
        yield running


def connect(server: Server) -> socket.socket:
    host, port = server.http.split(":")
    return socket.create_connection((host, int(port)), timeout=WAIT)


def exchange(server: Server, parts: Iterable[bytes]) -> bytes:
    """All that the server answers until it closes the connection."""
    answer = b""
    with connect(server) as connection:
        with contextlib.suppress(ConnectionError):  # the server may close it before all is sent
            for part in parts:
                connection.sendall(part)
        with contextlib.suppress(ConnectionError):
            while part := connection.recv(1 << 16):
                answer += part
    return answer


def status(answer: bytes) -> int:
    """The status of the only answer there is."""
    assert answer.count(b"HTTP/1.1 ") == 1, answer[:1000]
    return int(answer.split()[1])


def peak(server: Server) -> int:
    """The most memory that the server has had, in bytes."""
    text = Path(f"/proc/{server.process.pid}/status").read_text()
    found = re.search(r"VmHWM:\s*(\d+) kB", text)
    assert found
    return int(found[1]) << 10


def chunks(count: int, size: int = 1 << 16) -> Iterator[bytes]:
    for _ in range(count):
        yield b"%x\r\n%s\r\n" % (size, b" " * size)
    yield b"0\r\n\r\n"


def test_bodies_in_chunks_have_the_limit(small: Server) -> None:
    before = peak(small)
    head = INFER + b"Transfer-Encoding: chunked\r\n\r\n"
    assert status(exchange(small, [head, *chunks(3 * 16)])) == 413
    assert status(exchange(small, [head, *chunks(4096)])) == 413
    # The sizes of chunks cost memory, too.
    assert status(exchange(small, [head, b"1;", *(b"x" * 65536 for _ in range(1024))])) == 400
    assert peak(small) - before < 48 * MEBIBYTE
    body = json.dumps({"inputs": []}).encode()
    answer = exchange(small, [head, b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)])
    assert status(answer) == 400 and b"'x' is missing" in answer


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (b"Transfer-Encoding: identity\r\n", 501),
        (b"Transfer-Encoding: gzip, chunked\r\n", 501),
        (b"Transfer-Encoding: %63hunked\r\n", 501),
        (b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", 400),
        (b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", 400),
        (b"Content-Length: 5\r\nContent-Length: 6\r\n", 400),
        (b"Content-Length: +5\r\n", 400),
        (b"Content-Length: 18446744073709551617\r\n", 400),
        (b"Content-Length: \r\n", 400),
        (b"Content-Length : 5\r\n", 400),
        (b"A: b\nContent-Length: 5\r\n", 400),
        (b"A: b\r\n Content-Length: 5\r\n", 400),
        (b"no field\r\n", 400),
    ],
    ids=range(13),
)
def test_refuses_heads_that_leave_the_end_of_a_body_open(small: Server, fields: bytes, expected: int) -> None:
    for method in [INFER, LIVE]:
        assert status(exchange(small, [method, fields, b"\r\n", LIVE, b"\r\n"])) == expected


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (LIVE, 200),
        (INFER + b"Content-Encoding: gzip\r\n", 415),
        (INFER + b"Content-Type: multipart/form-data; boundary=x\r\n", 415),
        (b"PUT /v2/health/live HTTP/1.1\r\nHost: a\r\n", 405),
        (b"DELETE /v2/health/live HTTP/1.1\r\nHost: a\r\n", 405),
        (b"GET /" + b"x" * 2000 + b" HTTP/1.1\r\nHost: a\r\n", 414),
        (b"GET /" + b"x" * 9000 + b" HTTP/1.1\r\nHost: a\r\n", 414),
        (b"POST /a b HTTP/1.1\r\nHost: a\r\n", 400),
    ],
    ids=range(8),
)
def test_no_body_is_read_as_the_next_request(small: Server, head: bytes, expected: int) -> None:
    inner = LIVE + b"\r\n"
    answer = exchange(small, [head, b"Content-Length: %d\r\n\r\n" % len(inner), inner])
    assert status(answer) == expected and b"Connection: close" in answer
    framed = b"%x\r\n%s\r\n0\r\n\r\n" % (len(inner), inner)
    answer = exchange(small, [head, b"Transfer-Encoding: chunked\r\n\r\n", framed])
    assert status(answer) == expected


def test_what_follows_a_wrong_chunk_is_not_read_as_the_next_request(small: Server) -> None:
    head = INFER + b"Transfer-Encoding: chunked\r\n\r\n"
    assert status(exchange(small, [head, b"2\r\n{}X\r\n", LIVE, b"\r\n"])) == 400


def test_a_connection_serves_one_request_after_the_other(small: Server) -> None:
    body = b'{"inputs":[]}'
    infer = INFER + b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
    answer = exchange(small, [LIVE, b"\r\n", infer, LIVE, b"\r\n", infer, LIVE, b"Connection: close\r\n\r\n"])
    assert [int(line.split()[1]) for line in re.findall(rb"HTTP/1.1 .*", answer)] == [200, 400, 200, 400, 200]


def test_ranges_multiply_no_response(small: Server) -> None:
    plain = exchange(small, [LIVE, b"Connection: close\r\n\r\n"])
    for ranges in [b"0-," * 2700 + b"0-", b"-," * 4090 + b"-", b"0-1"]:
        answer = exchange(small, [LIVE, b"Range: bytes=", ranges, b"\r\nConnection: close\r\n\r\n"])
        assert answer == plain


def test_heads_have_a_limit(small: Server) -> None:
    before = peak(small)
    assert status(exchange(small, [LIVE, b"A: ", *(b"x" * 65536 for _ in range(1024))])) == 431
    assert status(exchange(small, [LIVE, *(b"A: b\r\n" * 10000 for _ in range(1024))])) == 431
    assert peak(small) - before < 32 * MEBIBYTE


def test_json_has_limits_of_depth_and_memory(repository: Path) -> None:
    size = 60_000_000
    with Server(repository, "--device", "local") as server:
        for text, expected in [("[", 400), ('{"a":', 400), ("[1],", 503), ("{},", 503), ('"",', 503)]:
            body = "[" + text * (size // len(text))
            assert server.rest("POST", "/v2/models/add/infer", body)[0] == expected
            assert peak(server) < 512 * MEBIBYTE
        # The memory is free again.
        assert server.rest("POST", "/v2/repository/index", " " * size + "{}")[0] == 200


def test_web_pages_cannot_use_a_server_of_their_readers(small: Server) -> None:
    block = shared_memory.SharedMemory(create=True, size=4096)
    try:
        # What a page of another site may send without being asked for the server's consent.
        page = {"Origin": "http://site.example", "Content-Type": "text/plain"}
        region = "/v2/systemsharedmemory/region/page"
        body = {"key": block.name, "byte_size": 4096}
        assert small.rest("POST", region + "/register", body, page)[0] == 403
        assert small.rest("GET", region + "/status")[0] == 404
        assert small.rest("POST", region + "/register", body)[0] == 200
        tensor = {"name": "x", "shape": [4], "datatype": "FP32", "data": [1, 2, 3, 4]}
        place = {"shared_memory_region": "page", "shared_memory_byte_size": 16}
        infer = {"inputs": [tensor], "outputs": [{"name": "y", "parameters": place}]}
        assert small.rest("POST", "/v2/models/add/infer", infer, page)[0] == 403
        assert bytes(block.buf) == bytes(4096)
        assert small.rest("POST", region + "/unregister", None, page)[0] == 403
        assert small.rest("POST", region + "/unregister")[0] == 200
        assert small.rest("GET", "/v2", None, page)[0] == 403
    finally:
        block.close()
        block.unlink()


def test_responses_that_are_not_read_have_a_limit_of_memory(repository: Path) -> None:
    tensor = {"name": "x", "shape": [512, 512], "datatype": "FP32", "parameters": {"binary_data_size": 1 << 20}}
    text = json.dumps({"inputs": [tensor]}).encode()
    # Each response has 262,144 numbers of 22 letters, more than the kernel takes.
    body = text + struct.pack("<f", 1e-7) * (512 * 512)
    fields = b"Inference-Header-Content-Length: %d\r\nContent-Length: %d\r\n\r\n" % (len(text), len(body))
    request = b"POST /v2/models/slow/infer HTTP/1.1\r\nHost: a\r\n" + fields + body
    # All requests together have 96 MB; a response takes 17 MB.
    with (
        Server(repository, "--device", "local", "--max-request-bytes", "2000000", grpc="none") as server,
        contextlib.ExitStack() as stack,
    ):
        connections = []
        for _ in range(16):
            connections.append(stack.enter_context(socket.socket()))
            connections[-1].setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connections[-1].settimeout(WAIT)
            connections[-1].connect(("127.0.0.1", int(server.http.split(":")[1])))
            connections[-1].sendall(request)
        statuses = [int(connection.recv(12).split()[1]) for connection in connections]
        assert set(statuses) == {200, 503}
        stack.close()
        wait_until(lambda: exchange(server, [request.replace(b"Host: a", b"Connection: close")])[9:12] == b"200")


def test_a_response_that_is_always_too_large_is_refused_before_the_run(repository: Path) -> None:
    tensor = {"name": "x", "shape": [2048, 1], "datatype": "FP32", "data": [1] * 2048}
    with Server(repository, "--device", "local", "--max-request-bytes", "100000", grpc="none") as server:
        # As JSON it needs 128 MiB, and all requests together have 66.
        status, _, answer = server.rest("POST", "/v2/models/wide/infer", {"inputs": [tensor]})
        assert status == 400 and "ask for binary data" in answer["error"]
        _, _, answer = server.rest("GET", "/v2/models/wide/stats")
        assert answer["model_stats"][0]["execution_count"] == 0
        binary = {"inputs": [tensor], "parameters": {"binary_data_output": True}}
        assert server.rest("POST", "/v2/models/wide/infer", binary)[0] == 200


def frame(kind: int, flags: int, stream: int, contents: bytes) -> bytes:
    """A frame of HTTP/2."""
    return struct.pack(">I", len(contents))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + contents


def half_messages(connection: socket.socket, count: int, size: int) -> None:
    """Begins `count` calls of gRPC on a connection, each with a message of which `size` bytes come.

    Ends early if the server takes no more bytes.
    """
    data, headers, settings, window_update, is_last_header, is_answer = 0, 1, 4, 8, 4, 1

    def field(name: bytes, value: bytes) -> bytes:
        return b"\0" + bytes([len(name)]) + name + bytes([len(value)]) + value

    path = field(b":path", b"/inference.GRPCInferenceService/ModelInfer")
    others = field(b"content-type", b"application/grpc") + field(b"te", b"trailers") + field(b":authority", b"a")
    head = b"\x83\x86" + path + others  # POST and http
    received = connection.makefile("rb")
    connection.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(settings, 0, 0, b""))
    window = 65535
    for i in range(count):
        stream = 2 * i + 1
        connection.sendall(frame(headers, is_last_header, stream, head))
        for start in range(0, size, 10_000):
            while window < 10_000:
                length, kind, flags, number = struct.unpack(">IBBI", b"\0" + received.read(9))
                contents = received.read(length)
                if kind == settings and flags != is_answer:
                    connection.sendall(frame(settings, is_answer, 0, b""))
                elif kind == window_update and number == 0:
                    window += int.from_bytes(contents, "big")
            prefix = b"\0" + struct.pack(">I", MEBIBYTE - 1000) if start == 0 else b""
            contents = (prefix + bytes(10_000))[:10_000]
            connection.sendall(frame(data, 0, stream, contents))
            window -= len(contents)


def test_messages_that_have_not_come_whole_have_a_limit_of_memory(repository: Path, stubs: Any) -> None:
    arguments = ["--device", "local", "--max-request-bytes", str(MEBIBYTE)]
    with Server(repository, *arguments, http="none") as server:
        before = peak(server)
        host, port = server.grpc.split(":")
        with socket.create_connection((host, int(port)), timeout=WAIT / 6) as connection:
            with contextlib.suppress(ConnectionError, TimeoutError, struct.error):
                half_messages(connection, 8000, 60_000)
            # All messages together have 80 MiB, and what each call costs comes on top.
            assert peak(server) - before < 320 * MEBIBYTE
            request = infer_request(stubs, "add", ("x", "FP32", [4], bytes(16)))
            client = server.client(stubs)
            # A call may be ended instead of one of those; the next ones are answered.
            wait_until(lambda: client.ModelInfer.future(request, timeout=WAIT).code() == grpc.StatusCode.OK)


def test_grpc_refuses_compressed_messages(small: Server, stubs: Any) -> None:
    request = stubs.pb.ModelInferRequest(model_name="add", raw_input_contents=[bytes(128 * MEBIBYTE)])
    before = peak(small)
    with pytest.raises(grpc.RpcError) as caught:
        small.client(stubs).ModelInfer(request, compression=grpc.Compression.Gzip, timeout=WAIT)
    assert caught.value.code() == grpc.StatusCode.UNIMPLEMENTED
    assert peak(small) - before < 48 * MEBIBYTE


def test_streams_that_send_nothing_do_not_end_grpc(small: Server, stubs: Any) -> None:
    ended = threading.Event()

    def nothing() -> Iterator[Any]:
        ended.wait()
        yield from ()

    client = small.client(stubs)
    streams = [client.ModelStreamInfer(nothing()) for _ in range(250)]
    try:
        wait_until(lambda: sum(stream.done() for stream in streams) >= 218)
        request = infer_request(stubs, "add", ("x", "FP32", [4], bytes(16)))
        assert client.ModelInfer(request, timeout=WAIT).model_version == "10"
        refused = [stream.code() for stream in streams if stream.done()]
        assert refused == [grpc.StatusCode.RESOURCE_EXHAUSTED] * 218
    finally:
        ended.set()
    wait_until(lambda: all(stream.done() for stream in streams))
    # The places are free again.
    (response,) = client.ModelStreamInfer(iter([request]), timeout=WAIT)
    assert response.infer_response.model_version == "10"


@contextlib.contextmanager
def trickling(server: Server, count: int) -> Iterator[None]:
    """Clients that send a byte of a body from time to time."""
    with contextlib.ExitStack() as stack:
        connections = []
        for _ in range(count):
            connections.append(stack.enter_context(connect(server)))
            connections[-1].sendall(INFER + b"Content-Length: 1000000\r\n\r\n")
        ended = threading.Event()

        def trickle() -> None:
            while not ended.wait(0.2):
                for connection in connections:
                    with contextlib.suppress(OSError):
                        connection.send(b" ")

        thread = threading.Thread(target=trickle)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()


def test_slow_clients_do_not_keep_others_waiting(small: Server) -> None:
    with trickling(small, 64):
        start = time.monotonic()
        assert small.rest("GET", "/v2/health/ready")[0] == 200
        assert time.monotonic() - start < 30
    with contextlib.ExitStack() as stack:
        for _ in range(64):
            stack.enter_context(connect(small))
        assert small.rest("GET", "/v2/health/ready")[0] == 200


def test_a_slow_client_is_ended(small: Server) -> None:
    with connect(small) as connection:
        connection.sendall(LIVE)  # no more
        assert connection.recv(1) == b""


def test_slow_clients_do_not_keep_a_server_that_ends(repository: Path) -> None:
    with Server(repository, "--device", "local", "--drain-time", "1") as server, trickling(server, 4):
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(timeout=WAIT / 6) == 0


def test_goes_on_after_an_accept_that_fails(repository: Path) -> None:
    environment = {**os.environ, "LD_PRELOAD": os.environ["NNBURST_FAILING_ACCEPT"]}
    with Server(repository, "--device", "local", grpc="none", environment=environment) as server:
        assert server.rest("GET", "/v2/health/ready")[0] == 200
        server.process.send_signal(signal.SIGTERM)
        _, errors = server.process.communicate(timeout=WAIT)
        assert server.process.returncode == 0 and "cannot accept" in errors


def test_clients_take_nothing_by_connections_that_end(small: Server) -> None:
    def descriptors() -> int:
        return len(list(Path(f"/proc/{small.process.pid}/fd").iterdir()))

    assert small.rest("GET", "/v2/health/live")[0] == 200
    before = descriptors()
    for _ in range(300):
        connect(small).close()
    wait_until(lambda: descriptors() <= before + 2)
