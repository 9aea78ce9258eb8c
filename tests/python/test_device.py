# Copyright 2026 The nnburst authors
# SPDX-License-Identifier: Apache-2.0
"""Devices, models and errors."""

import os
import signal
import time
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
