# Copyright 2026 The nnburst authors
# SPDX-License-Identifier: Apache-2.0
"""Sessions: arrays, runs, states, threads, asyncio."""

import asyncio
import gc
import os
import signal
import struct
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nnburst
import nnburst.session as session_module
from nnburst import OperandType, OperationType
from test_device import drivers_of_this_process


def test_a_run_computes_on_the_arrays_in_place(device: nnburst.Device, add_one: nnburst.Model) -> None:
    session = nnburst.open(device, add_one)
    x, y = session.inputs["x"], session.outputs["y"]
    for value in range(3):
        x[...] = value
        session.run()
        assert (y == value + 1).all()


def test_arrays_keep_their_session(device: nnburst.Device, add_one: nnburst.Model) -> None:
    session = nnburst.open(device, add_one)
    x = session.input()
    del session, device
    gc.collect()
    x[...] = 2
    assert x.sum() == 8


def test_other_libraries_see_the_same_memory(device: nnburst.Device, add_one: nnburst.Model) -> None:
    session = nnburst.open(device, add_one)
    by_buffer = np.frombuffer(session.input("x"), np.float32)
    by_buffer[...] = 4
    by_dlpack = np.from_dlpack(session.output("y"))
    session.run()
    assert by_dlpack.tolist() == [5, 5, 5, 5]
    # And the other way: what gives DLPack is written into an input.
    session.input("x")[...] = np.from_dlpack(np.arange(4, dtype=np.float32))
    session.run()
    assert by_dlpack.tolist() == [1, 2, 3, 4]


def test_inputs_and_outputs_are_found_by_name_and_number(device: nnburst.Device, add_one: nnburst.Model) -> None:
    session = nnburst.open(device, add_one)
    assert list(session.inputs) == ["x"] and list(session.outputs) == ["y"] and len(session.inputs) == 1
    assert session.input(0).ctypes.data == session.input("x").ctypes.data
    with pytest.raises(KeyError, match="no input 'z'; there are 'x'"):
        session.input("z")
    with pytest.raises(IndexError, match="no output 1; there are 1"):
        session.output(1)
    for index in (-1, 1 << 80):
        with pytest.raises(IndexError):
            session.output(index)
    wrong: Any = 1.0
    with pytest.raises(TypeError):
        session.input(wrong)
    assert "x" in session.inputs and "z" not in session.inputs and wrong not in session.inputs


@pytest.mark.parametrize(
    ("type", "dtype"),
    [
        (OperandType.TENSOR_FLOAT16, "f2"),
        (OperandType.TENSOR_QUANT8_ASYMM, "u1"),
        (OperandType.TENSOR_QUANT8_ASYMM_SIGNED, "i1"),
    ],
)
def test_each_type_has_its_elements(type: OperandType, dtype: str) -> None:
    builder = nnburst.ModelBuilder()
    scale = 0.5 if "QUANT" in type.name else 0.0
    x = builder.add_tensor(type, [2, 3], scale=scale)
    y = builder.add_tensor(type, [3, 2], scale=scale)
    shape = builder.add_constant(OperandType.TENSOR_INT32, np.array([3, 2], np.int32))
    builder.add_operation(OperationType.RESHAPE, [x, shape], [y])
    session = nnburst.open(nnburst.local_device(), builder.build([x], [y]))
    assert session.input().dtype == np.dtype(dtype) and session.input().shape == (2, 3)
    session.input()[...] = [[1, 2, 3], [4, 5, 6]]
    session.run()
    assert session.output().tolist() == [[1, 2], [3, 4], [5, 6]]


def test_an_output_of_open_size_is_a_copy_of_the_last_run() -> None:
    builder = nnburst.ModelBuilder()
    x = builder.add_tensor(OperandType.TENSOR_FLOAT32, [2])
    n = builder.add_tensor(OperandType.TENSOR_INT32, [1])
    y = builder.add_tensor(OperandType.TENSOR_FLOAT32, [0])
    builder.add_operation(OperationType.TILE, [x, n], [y])
    session = nnburst.open(nnburst.local_device(), builder.build([x, n], [y]))
    session.input(0)[...] = [1, 2]
    session.input(1)[...] = 1
    session.run()
    first = session.output()
    session.input(1)[...] = 100_000  # more than the output had room for
    session.run()
    assert first.tolist() == [1, 2]
    assert session.output().shape == (200_000,) and session.output()[-1] == 2


def test_an_output_of_open_rank_has_an_array_after_a_run() -> None:
    builder = nnburst.ModelBuilder()
    x = builder.add_tensor(OperandType.TENSOR_FLOAT32, [2])
    n = builder.add_tensor(OperandType.TENSOR_INT32, [1])
    y = builder.add_tensor(OperandType.TENSOR_FLOAT32, [])
    builder.add_operation(OperationType.TILE, [x, n], [y])
    session = nnburst.open(nnburst.local_device(), builder.build([x, n], [y]))
    with pytest.raises(nnburst.GeneralFailureError, match="before a run"):
        session.output()
    session.input(1)[...] = 2
    session.run()
    assert session.output().shape == (4,)


def test_states_go_from_run_to_run(device: nnburst.Device) -> None:
    model = nnburst.streaming_lstm(features=4, cells=8).with_signature(states=[(1, 1), (2, 2)])
    session = nnburst.open(device, model)
    assert len(session.inputs) == 1 and len(session.outputs) == 1
    session.input()[...] = 0.5
    session.run()
    first = session.output().copy()
    session.run()
    assert not np.array_equal(first, session.output())
    session.reset_states()
    session.run()
    assert np.array_equal(first, session.output())


def test_a_submitted_run_is_waited_for(device: nnburst.Device, add_one: nnburst.Model) -> None:
    session = nnburst.open(device, add_one)
    session.input()[...] = 1
    session.submit()
    assert session.is_running
    with pytest.raises(nnburst.ResourceExhaustedError):
        session.submit()
    assert session.wait()
    assert not session.is_running and session.output()[0] == 2
    with pytest.raises(nnburst.InvalidArgumentError):
        session.wait()


def test_a_run_ends_with_its_timeout(device: nnburst.Device, endless: Callable[[], nnburst.Model]) -> None:
    session = nnburst.open(device, endless())
    with pytest.raises(nnburst.MissedDeadlineError) as caught:
        session.run(timeout=0.0)
    assert caught.value.status in (
        nnburst.ErrorStatus.MISSED_DEADLINE_TRANSIENT,
        nnburst.ErrorStatus.MISSED_DEADLINE_PERSISTENT,
    )
    session.run(timeout=float("inf"))
    with pytest.raises(ValueError, match="not a number"):
        session.run(timeout=float("nan"))


def test_other_threads_run_while_one_waits(endless: Callable[[], nnburst.Model]) -> None:
    session = nnburst.open(nnburst.spawn_driver(), endless())
    begun = threading.Event()
    errors: list[nnburst.Error] = []

    def run() -> None:
        begun.set()
        session.run()

    thread = threading.Thread(target=run)
    thread.start()
    begun.wait(10)
    turns = 0
    while thread.is_alive():
        turns += 1
        try:
            session.is_done()
        except nnburst.GeneralFailureError as error:
            errors.append(error)
        time.sleep(0)
    thread.join()
    assert turns > 1
    assert errors and "another thread is using this session" in errors[0].message


def test_tasks_go_on_while_a_run_lasts(endless: Callable[[], nnburst.Model]) -> None:
    device = nnburst.spawn_driver()
    slow, fast = nnburst.open(device, endless()), nnburst.open(device, endless())

    async def main() -> int:
        turns = 0
        run = asyncio.gather(slow.run_async(), fast.run_async(timeout=60.0))
        while not run.done():
            turns += 1
            await asyncio.sleep(0.001)
        await run
        with pytest.raises(nnburst.MissedDeadlineError):
            await slow.run_async(timeout=0.0)
        return turns

    assert asyncio.run(main()) > 1


def test_a_cancelled_task_leaves_no_run_behind(endless: Callable[[], nnburst.Model]) -> None:
    session = nnburst.open(nnburst.spawn_driver(), endless())

    async def main() -> None:
        task = asyncio.ensure_future(session.run_async())
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not session.is_running
        await session.run_async()

    asyncio.run(main())


def test_a_cancelled_task_is_cancelled_though_its_run_fails(endless: Callable[[], nnburst.Model]) -> None:
    session = nnburst.open(nnburst.spawn_driver(), endless())

    async def main() -> None:
        task = asyncio.ensure_future(session.run_async(timeout=0.05))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not session.is_running

    asyncio.run(main())


@pytest.mark.parametrize("cancels", [False, True])
def test_a_run_of_a_driver_that_hangs_ends(
    cancels: bool, add_one: nnburst.Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_module, "_WATCH_SECONDS", 1.0)
    others = set(drivers_of_this_process())
    session = nnburst.open(nnburst.spawn_driver(), add_one)
    session.run()
    (driver,) = set(drivers_of_this_process()) - others

    async def main() -> None:
        os.kill(driver, signal.SIGSTOP)
        os.waitid(os.P_PID, driver, os.WSTOPPED | os.WNOWAIT)  # until then its threads may answer
        task = asyncio.ensure_future(session.run_async())
        try:
            if cancels:
                await asyncio.sleep(0.2)
                task.cancel()
            ended, _ = await asyncio.wait([task], timeout=60)
        finally:
            os.kill(driver, signal.SIGKILL)
        assert ended
        with pytest.raises(asyncio.CancelledError if cancels else nnburst.DeviceUnavailableError):
            await task

    asyncio.run(main())


def test_other_tasks_read_a_session_whose_run_takes_over_a_second(add_one: nnburst.Model) -> None:
    others = set(drivers_of_this_process())
    session = nnburst.open(nnburst.spawn_driver(), add_one)
    session.run()
    (driver,) = set(drivers_of_this_process()) - others

    async def main() -> None:
        loop = asyncio.get_running_loop()
        os.kill(driver, signal.SIGSTOP)
        os.waitid(os.P_PID, driver, os.WSTOPPED | os.WNOWAIT)  # until then its threads may answer
        run = asyncio.ensure_future(session.run_async())
        try:
            until = loop.time() + 1.5
            while loop.time() < until:
                await asyncio.sleep(0.01)
                assert session.is_running and not session.is_done()
                assert session.inputs["x"].shape == session.outputs["y"].shape
        finally:
            os.kill(driver, signal.SIGCONT)
        await run

    asyncio.run(main())


def test_a_long_run_needs_no_thread_of_the_event_loop(
    endless: Callable[[], nnburst.Model], monkeypatch: pytest.MonkeyPatch
) -> None:
    session = nnburst.open(nnburst.spawn_driver(), endless())
    monkeypatch.setattr(session_module, "_WATCH_SECONDS", 0.0)

    async def main() -> None:
        loop = asyncio.get_running_loop()
        loop.set_default_executor(ThreadPoolExecutor(max_workers=1))
        run = threading.Event()
        occupied = loop.run_in_executor(None, run.wait, 60.0)
        await session.run_async()
        run.set()
        assert await occupied

    asyncio.run(main())


def test_a_run_that_cannot_be_watched_is_not_begun(
    device: nnburst.Device, add_one: nnburst.Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = nnburst.open(device, add_one)
    with monkeypatch.context() as patch:
        patch.setattr(nnburst.Session, "fileno", fail)
        with pytest.raises(nnburst.GeneralFailureError):
            asyncio.run(session.run_async())
    assert not session.is_running
    asyncio.run(session.run_async())


@pytest.mark.parametrize("call", ["arm_completion", "is_done"])
def test_a_run_that_is_no_longer_watched_is_waited_for(
    call: str, endless: Callable[[], nnburst.Model], monkeypatch: pytest.MonkeyPatch
) -> None:
    session = nnburst.open(nnburst.spawn_driver(), endless())
    with monkeypatch.context() as patch:
        patch.setattr(nnburst.Session, call, fail)
        asyncio.run(session.run_async())
    assert not session.is_running
    asyncio.run(session.run_async())


def fail(session: nnburst.Session) -> None:
    raise nnburst.GeneralFailureError("as it was told")


def test_times_are_measured_when_asked_for(device: nnburst.Device, add_one: nnburst.Model) -> None:
    session = nnburst.open(device, add_one, measure=True)
    session.run()
    times = session.timing
    assert times["on_device"] is not None and times["in_driver"] is not None
    assert 0 <= times["on_device"] <= times["in_driver"]
    session = nnburst.open(device, add_one)
    session.run()
    assert session.timing["on_device"] is None


def flatbuffer_table(fields: dict[int, object], buffer: bytearray) -> int:
    """Appends a table with these fields, by number, and what they refer to: int, str, lists of int and of dict."""
    count = max(fields, default=-1) + 1
    vtable_bytes = 4 + 2 * count
    buffer += bytes((-len(buffer) - vtable_bytes) % 4)
    places = [4 + 4 * number if number in fields else 0 for number in range(count)]
    buffer += struct.pack(f"<{2 + count}H", vtable_bytes, 4 + 4 * count, *places)
    table = len(buffer)
    buffer += struct.pack("<i", vtable_bytes) + bytes(4 * count)
    for number, value in fields.items():
        place = table + places[number]
        buffer += bytes(-len(buffer) % 4)
        struct.pack_into("<I", buffer, place, value if isinstance(value, int) else len(buffer) - place)
        if isinstance(value, str):
            buffer += struct.pack("<I", len(value)) + value.encode() + b"\0"
        elif isinstance(value, list):
            items = len(buffer) + 4
            buffer += struct.pack("<I", len(value)) + bytes(4 * len(value))
            for place, item in zip(range(items, items + 4 * len(value), 4), value, strict=True):
                target = item if isinstance(item, int) else flatbuffer_table(item, buffer) - place
                struct.pack_into("<i", buffer, place, target)
    return table


def relu_of_open_height() -> bytes:
    """A TFLite file, y = RELU(x) of shape 1x2, where the 1 is -1 in shape_signature."""

    def tensor(name: str) -> dict[int, object]:
        return {0: [1, 2], 3: name, 7: [-1, 2]}

    relu = 19
    graph = {0: [tensor("x"), tensor("y")], 1: [0], 2: [1], 3: [{0: 0, 1: [0], 2: [1]}]}
    buffer = bytearray(b"\0\0\0\0TFL3")
    root = flatbuffer_table({0: 3, 1: [{0: relu, 3: relu}], 2: [graph]}, buffer)
    struct.pack_into("<I", buffer, 0, root)
    return bytes(buffer)


def test_inputs_of_a_file_get_the_sizes_that_are_given(device: nnburst.Device, tmp_path: Path) -> None:
    path = tmp_path / "relu.tflite"
    path.write_bytes(relu_of_open_height())
    assert nnburst.load_tflite(path).inputs[0].shape == (1, 2)
    model = nnburst.load_tflite(path, input_shapes={"x": [3, 2]})
    assert model.inputs[0].shape == (3, 2) and model.outputs[0].shape == (3, 2)
    assert nnburst.import_tflite(path.read_bytes(), input_shapes={"x": [3, 2]}).inputs[0].shape == (3, 2)
    session = nnburst.open(device, path, input_shapes={"x": [3, 2]})
    session.input("x")[...] = [[1, -1], [2, -2], [3, -3]]
    session.run()
    assert session.output("y").tolist() == [[1, 0], [2, 0], [3, 0]]


def sum_of_64_bit_integers() -> bytes:
    """A TFLite file, y = x + x for four INT64, of which it is not known whether the sums need more than 32 bits."""
    int64 = 4
    tensors = [{0: [4], 1: int64, 3: name} for name in ("x", "y")]
    graph = {0: tensors, 1: [0], 2: [1], 3: [{0: 0, 1: [0, 0], 2: [1]}]}
    buffer = bytearray(b"\0\0\0\0TFL3")
    root = flatbuffer_table({0: 3, 1: [{}], 2: [graph]}, buffer)  # the operator of code 0 is ADD
    struct.pack_into("<I", buffer, 0, root)
    return bytes(buffer)


def test_64_bit_integers_are_computed_with_32_bits_if_the_caller_says_that_they_fit(
    device: nnburst.Device, tmp_path: Path
) -> None:
    path = tmp_path / "sum.tflite"
    path.write_bytes(sum_of_64_bit_integers())
    with pytest.raises(nnburst.InvalidArgumentError, match="INT64"):
        nnburst.open(device, path)
    for model in (
        nnburst.load_tflite(path, integers_fit_int32=True),
        nnburst.import_tflite(path.read_bytes(), integers_fit_int32=True),
    ):
        assert model.outputs[0].dtype == np.int32
    session = nnburst.open(device, path, integers_fit_int32=True)
    session.input("x")[...] = [1, -2, 3, -4]
    session.run()
    assert session.output("y").tolist() == [2, -4, 6, -8]


def test_a_file_is_opened_with_its_names_and_shapes(device: nnburst.Device, shared: Path) -> None:
    path = next(iter(sorted((shared / "models").rglob("*.tflite"))))
    model = nnburst.load_tflite(path)
    session = nnburst.open(device, path)
    assert list(session.inputs) == [operand.name for operand in model.inputs]
    session.run()
    assert nnburst.import_tflite(path.read_bytes()).outputs[0].shape == model.outputs[0].shape
    with pytest.raises(nnburst.InvalidArgumentError, match="no input"):
        nnburst.import_tflite(path.read_bytes(), input_shapes={"no such input": [1]})
    with pytest.raises(nnburst.InvalidArgumentError, match="no input"):
        nnburst.open(device, path, input_shapes={"no such input": [1]})
