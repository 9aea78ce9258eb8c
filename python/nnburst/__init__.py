# Copyright 2026 The nnburst authors
# SPDX-License-Identifier: Apache-2.0
"""Neural networks in a driver process, at the price of a function call.

    import nnburst

    device = nnburst.spawn_driver()
    session = nnburst.open(device, "mobilenet.tflite")
    session.input("image")[...] = image
    session.run()
    print(session.output("scores").argmax())

The arrays of inputs and outputs lie in memory that the driver reads and writes: nothing is copied. They are arrays
of NumPy, so every library that takes the buffer protocol or DLPack can use that memory.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from ._nnburst import (
    Device,
    DeviceStatus,
    DeviceUnavailableError,
    Error,
    ErrorStatus,
    ExecutionPreference,
    GeneralFailureError,
    InvalidArgumentError,
    LogLevel,
    MissedDeadlineError,
    Model,
    ModelBuilder,
    Operand,
    OperandType,
    OperationType,
    OutputInsufficientSizeError,
    PreparedModel,
    Priority,
    ResourceExhaustedError,
    __version__,
    connect,
    import_tflite,
    load_tflite,
    local_device,
    mobilenet_v1,
    set_log_level,
    spawn_driver,
    streaming_lstm,
    supervise_driver,
)
from .session import Session

__all__ = [
    "Device",
    "DeviceStatus",
    "DeviceUnavailableError",
    "Error",
    "ErrorStatus",
    "ExecutionPreference",
    "GeneralFailureError",
    "InvalidArgumentError",
    "LogLevel",
    "MissedDeadlineError",
    "Model",
    "ModelBuilder",
    "Operand",
    "OperandType",
    "OperationType",
    "OutputInsufficientSizeError",
    "PreparedModel",
    "Priority",
    "ResourceExhaustedError",
    "Session",
    "__version__",
    "connect",
    "import_tflite",
    "load_tflite",
    "local_device",
    "mobilenet_v1",
    "open",
    "set_log_level",
    "spawn_driver",
    "streaming_lstm",
    "supervise_driver",
]

# A wheel has the programs of its own.
_programs = Path(__file__).parent / "bin"
if _programs.is_dir():
    os.environ.setdefault("NNBURST_DRIVER", str(_programs / "nnburst-driver"))


def open(
    device: Device,
    model: str | bytes | os.PathLike[str] | os.PathLike[bytes] | Model,
    *,
    integers_fit_int32: bool = False,
    **options: Any,
) -> Session:
    """A session for a .tflite file, or for a model, on `device`.

    `integers_fit_int32` is for the import of a file, as in `load_tflite`. Other options are those of `Session`.
    """
    if not isinstance(model, Model):
        model = load_tflite(
            model, input_shapes=options.get("input_shapes", {}), integers_fit_int32=integers_fit_int32
        )
    return Session(device.prepare(model), **options)
