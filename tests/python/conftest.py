# Copyright 2026 The nnburst authors
# SPDX-License-Identifier: Apache-2.0
"""What the tests share: devices of each kind, small models, the data that is not part of the sources."""

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import nnburst
from nnburst import OperandType, OperationType

FLOAT = OperandType.TENSOR_FLOAT32


@pytest.fixture(params=["local", "spawned"])
def device(request: pytest.FixtureRequest) -> nnburst.Device:
    return nnburst.local_device() if request.param == "local" else nnburst.spawn_driver()


@pytest.fixture
def add_one() -> nnburst.Model:
    """y = x + 1 for four elements."""
    builder = nnburst.ModelBuilder()
    x = builder.add_tensor(FLOAT, [4])
    y = builder.add_tensor(FLOAT, [4])
    one = builder.add_constant(FLOAT, np.ones(4, np.float32))
    builder.add_operation(OperationType.ADD, [x, one, builder.add_scalar(np.int32(0))], [y])
    return builder.build([x], [y]).with_signature(inputs=["x"], outputs=["y"])


@pytest.fixture
def endless() -> Callable[[], nnburst.Model]:
    """A model that runs for some hundred milliseconds: a matrix, multiplied with itself."""

    def build() -> nnburst.Model:
        builder = nnburst.ModelBuilder()
        size = 512
        tensor = builder.add_tensor(FLOAT, [size, size])
        first = tensor
        bias = builder.add_constant(FLOAT, np.zeros(size, np.float32))
        weights = builder.add_constant(FLOAT, np.eye(size, dtype=np.float32))
        for _ in range(64):
            result = builder.add_tensor(FLOAT, [size, size])
            builder.add_operation(
                OperationType.FULLY_CONNECTED, [tensor, weights, bias, builder.add_scalar(0)], [result]
            )
            tensor = result
        return builder.build([first], [tensor])

    return build


@pytest.fixture
def shared() -> Path:
    path = Path(os.environ.get("NNBURST_SHARED", Path(__file__).parents[2].parent / "shared"))
    if not path.is_dir():
        pytest.skip("no shared data: neither NNBURST_SHARED nor ../shared is there")
    return path
