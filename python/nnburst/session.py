# Copyright 2026 The nnburst authors
# SPDX-License-Identifier: Apache-2.0
"""Sessions, with what asyncio needs."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy.typing as npt

from ._nnburst import Error, Operand, SessionBase

Array = npt.NDArray[Any]

# A run that takes longer is waited for on a thread. Other tasks cannot use the session then, so hardly any run should
# take so long.
_WATCH_SECONDS = 60.0


class _Arrays(Mapping[str, Array]):
    """The arrays of a session's inputs or outputs by name."""

    def __init__(self, session: SessionBase, operands: list[Operand], is_input: bool) -> None:
        self._names = [operand.name for operand in operands]
        self._get = session.input if is_input else session.output

    def __getitem__(self, name: str) -> Array:
        return self._get(name)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


class Session(SessionBase):
    """Runs one model again and again: write its inputs, run, read its outputs.

    `model` is what `Device.prepare` gave. `input_shapes` says the sizes of inputs that the model leaves open, by
    name. `wait` is adaptive, spin or block. With `measure`, `timing` has the times of the last run. One thread uses
    a session at a time; another one gets a GeneralFailureError.
    """

    @property
    def inputs(self) -> Mapping[str, Array]:
        """The arrays of all inputs by name. They stay where they are, and keep their values between runs."""
        return _Arrays(self, self.input_operands, True)

    @property
    def outputs(self) -> Mapping[str, Array]:
        """The arrays of all outputs by name."""
        return _Arrays(self, self.output_operands, False)

    async def run_async(self, timeout: float | None = None) -> None:
        """Runs the model; other tasks of the event loop go on meanwhile.

        A task that is cancelled still waits for the end of the run, because the driver uses the memory until then.
        A device in this process computes in the event loop itself: nothing goes on meanwhile. After a minute a thread
        waits for the run, in order to notice a driver that hangs; then all calls of other tasks to this session raise
        GeneralFailureError until the run ends.
        """
        loop = asyncio.get_running_loop()
        descriptor = self.fileno()
        self.submit(timeout)
        watched_until = loop.time() + _WATCH_SECONDS
        cancelled: asyncio.CancelledError | None = None
        has_ended = False
        try:
            while not (has_ended := self.is_done() or self.arm_completion()) and loop.time() < watched_until:
                readable = loop.create_future()
                loop.add_reader(descriptor, _set, readable)
                try:
                    # A timeout that is over makes nothing readable: look again from time to time.
                    await asyncio.wait([readable], timeout=0.1)
                except asyncio.CancelledError as error:
                    cancelled = error
                finally:
                    loop.remove_reader(descriptor)
        except Error:
            pass  # it cannot be watched any longer, but the driver uses the memory until its end
        try:
            if has_ended:
                self.wait()
                return
            # A driver that hangs makes nothing readable either, but `wait` notices it. The thread is not one of the
            # loop's, because all of those may be busy with work that waits for this run.
            with ThreadPoolExecutor(max_workers=1) as thread:
                waiting = loop.run_in_executor(thread, self.wait)
                while not waiting.done():
                    try:
                        await asyncio.wait([waiting])
                    except asyncio.CancelledError as error:
                        cancelled = error
            waiting.result()
        finally:
            if cancelled is not None:
                raise cancelled


def _set(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
