# Copyright 2026 The nnburst authors
# SPDX-License-Identifier: Apache-2.0
"""Devices, models and errors."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nnburst
from nnburst import OperandType, OperationType


def read_if_there(path: Path) -> str:
    try:
        return path.read_text()
    except (FileNotFoundError, ProcessLookupError):  # the process or thread has ended
        return ""


def drivers_of_this_process() -> list[int]:
    children = "".join(map(read_if_there, Path("/proc/self/task").glob("*/children"))).split()
    return [
        int(child)
        for child in children
        if read_if_there(Path("/proc") / child / "comm").startswith("nnburst-driver")
    ]


def driver_of_this_process() -> int:
    for _ in range(1000):
        drivers = drivers_of_this_process()
        if len(drivers) == 1:
            break
        time.sleep(0.01)  # the driver of an earlier test is still ending
    (driver,) = drivers
    return driver


def test_a_device_says_what_it_is(device: nnburst.Device, add_one: nnburst.Model) -> None:
    assert device.hal_version == "1.3"
    assert device.version
    assert device.status == nnburst.DeviceStatus.AVAILABLE
    assert device.supported_operations(add_one) == [True]
    prepared = device.prepare(add_one, priority=nnburst.Priority.LOW)
    assert [operand.name for operand in prepared.inputs] == ["x"]
    assert prepared.outputs[0].shape == (4,) and prepared.outputs[0].dtype == np.float32


def test_a_lost_driver_is_an_error_of_its_own(add_one: nnburst.Model) -> None:
    device = nnburst.spawn_driver()
    session = nnburst.open(device, add_one)
    os.kill(driver_of_this_process(), signal.SIGKILL)
    with pytest.raises(nnburst.DeviceUnavailableError) as caught:
        for _ in range(1000):
            session.run()
            time.sleep(0.01)
    assert caught.value.status == nnburst.ErrorStatus.DEVICE_UNAVAILABLE
    assert str(caught.value) == "DEVICE_UNAVAILABLE: " + caught.value.message
    assert device.status == nnburst.DeviceStatus.OFFLINE


@pytest.mark.parametrize("wait_at_most", [30.0, None])
def test_a_supervised_driver_comes_back(wait_at_most: float | None, add_one: nnburst.Model) -> None:
    device = nnburst.supervise_driver(wait_at_most=wait_at_most)
    session = nnburst.open(device, add_one)
    session.input()[...] = 1
    session.run()
    driver = driver_of_this_process()
    os.kill(driver, signal.SIGKILL)
    for _ in range(3000):
        if not Path(f"/proc/{driver}").exists():
            break
        time.sleep(0.01)
    # The run that finds the driver lost may fail; then a driver is waited for.
    session.output()[...] = 0
    for _ in range(100):
        try:
            session.run()
            break
        except nnburst.DeviceUnavailableError:
            continue
    assert session.output()[0] == 2


HANGS_WHEN_IT_IS_STARTED_AGAIN = """#!/bin/sh
if mkdir first 2> /dev/null; then
    exec "$NNBURST_DRIVER" "$@"
fi
touch started
until [ -e released ]; do
    sleep 0.05
done
exit 1
"""


def test_other_threads_run_while_a_device_waits_for_its_end(
    tmp_path: Path, add_one: nnburst.Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    program = tmp_path / "driver"
    program.write_text(HANGS_WHEN_IT_IS_STARTED_AGAIN)
    program.chmod(0o755)
    others = set(drivers_of_this_process())
    device = nnburst.supervise_driver(str(program))
    (driver,) = set(drivers_of_this_process()) - others
    os.kill(driver, signal.SIGKILL)
    for _ in range(3000):
        if (tmp_path / "started").exists():
            break
        time.sleep(0.01)
    assert (tmp_path / "started").exists()
    device_ends = threading.Event()
    has_run = threading.Event()

    def release() -> None:
        device_ends.wait()
        has_run.set()
        (tmp_path / "released").touch()

    thread = threading.Thread(target=release)
    thread.start()
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000)  # from here on the thread runs only if this one releases the interpreter's lock
    try:
        device_ends.set()
        del device  # waits for the driver that is being started
        has_run_meanwhile = has_run.is_set()
    finally:
        sys.setswitchinterval(interval)
    thread.join()
    assert has_run_meanwhile


def test_errors_say_what_is_wrong(tmp_path: Path) -> None:
    with pytest.raises(nnburst.DeviceUnavailableError, match="/nowhere"):
        nnburst.connect("/nowhere")
    with pytest.raises(nnburst.Error, match=str(tmp_path)):
        nnburst.load_tflite(tmp_path / "none.tflite")
    with pytest.raises(nnburst.InvalidArgumentError):
        nnburst.import_tflite(b"no model")
    with pytest.raises(TypeError, match="no option 'thread'"):
        nnburst.local_device(thread=2)
    threads: Any = "two"
    with pytest.raises(TypeError, match="the option 'threads' of a driver cannot be 'two'"):
        nnburst.local_device(threads=threads)
    with pytest.raises(ValueError, match="adaptive, spin and block"):
        nnburst.Session(nnburst.local_device().prepare(nnburst.mobilenet_v1()), wait="loop")
    with pytest.raises(nnburst.Error):
        nnburst.spawn_driver("/nowhere/nnburst-driver")


@pytest.mark.parametrize(
    "call", [nnburst.load_tflite, nnburst.connect, nnburst.spawn_driver, nnburst.supervise_driver]
)
def test_paths_are_taken_in_each_form(call: Callable[[object], object], tmp_path: Path) -> None:
    missing = os.fsencode(tmp_path) + b"/\xff"
    for path in (missing, os.fsdecode(missing), Path(os.fsdecode(missing))):
        with pytest.raises(nnburst.Error, match=os.fsdecode(missing)):
            call(path)
    with pytest.raises(ValueError, match="must not have a NUL"):
        call(f"{tmp_path}\0")
    with pytest.raises(TypeError):
        call(5)


@pytest.mark.parametrize(
    ("value", "error"),
    [("1", TypeError), (None, TypeError), (1 << 31, OverflowError), (-1 << 80, OverflowError), (1e300, OverflowError)],
)
def test_a_scalar_that_has_no_type_or_does_not_fit_is_refused(value: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        nnburst.ModelBuilder().add_scalar(value)


def test_scalars_are_taken_to_their_limits() -> None:
    builder = nnburst.ModelBuilder()
    limits = np.finfo(np.float32)
    builder.add_scalar(np.int64(1))
    for integer in (-1 << 31, (1 << 31) - 1):
        builder.add_scalar(integer)
    for real in (float(limits.min), float(limits.max), 3.4028235e38, -3.4028235e38, float("inf"), float("nan")):
        builder.add_scalar(real)


def test_a_model_that_breaks_a_rule_is_refused() -> None:
    builder = nnburst.ModelBuilder()
    x = builder.add_tensor(OperandType.TENSOR_FLOAT32, [4])
    y = builder.add_tensor(OperandType.TENSOR_INT32, [4])
    builder.add_operation(OperationType.ADD, [x, x, builder.add_scalar(0)], [y])
    with pytest.raises(nnburst.InvalidArgumentError):
        nnburst.local_device().prepare(builder.build([x], [y]))
    with pytest.raises(nnburst.InvalidArgumentError, match="takes an array of float32, not of float64"):
        builder.add_constant(OperandType.TENSOR_FLOAT32, np.ones(4))
    with pytest.raises(MemoryError):
        builder.add_constant(OperandType.TENSOR_FLOAT32, np.broadcast_to(np.float32(0), (1 << 24, 1 << 24)))
    with pytest.raises(nnburst.InvalidArgumentError, match="2 names for 1 inputs"):
        nnburst.mobilenet_v1().with_signature(inputs=["a", "b"])


def test_two_processes_share_a_driver(tmp_path: Path, add_one: nnburst.Model) -> None:
    import subprocess

    socket = tmp_path / "driver.sock"
    with subprocess.Popen([os.environ["NNBURST_DRIVER"], "--socket", str(socket)]) as driver:
        try:
            for _ in range(3000):
                if socket.exists():
                    break
                time.sleep(0.01)
            first, second = nnburst.connect(socket), nnburst.connect(str(socket))
            for device in (first, second):
                session = nnburst.open(device, add_one)
                session.input()[...] = 3
                session.run()
                assert session.output()[0] == 4
        finally:
            driver.terminate()
