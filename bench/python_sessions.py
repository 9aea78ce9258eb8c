# Copyright 2026 The nnburst authors
# SPDX-License-Identifier: Apache-2.0
"""Runs a model through the Python package for nnburst-bench (bench/python.cpp), which starts it.

Usage: python_sessions.py MODEL CALLS PROCESSOR   (the processor of the driver)

Runs the model so many times, after a tenth as many that are not counted, and prints each duration in nanoseconds.
"""

import sys
import time

import numpy as np

import nnburst


def smallest_model() -> nnburst.Model:
    builder = nnburst.ModelBuilder()
    x = builder.add_tensor(nnburst.OperandType.TENSOR_FLOAT32, [1])
    y = builder.add_tensor(nnburst.OperandType.TENSOR_FLOAT32, [1])
    shape = builder.add_constant(nnburst.OperandType.TENSOR_INT32, np.ones(1, np.int32))
    builder.add_operation(nnburst.OperationType.RESHAPE, [x, shape], [y])
    return builder.build([x], [y])


def clock_cost() -> int:
    clock = time.perf_counter_ns
    return int(np.median([-clock() + clock() for _ in range(10_000)]))


def main(name: str, calls: int, processor: int) -> None:
    device = nnburst.spawn_driver(processors=[processor])
    session = nnburst.open(device, smallest_model() if name == "empty" else nnburst.mobilenet_v1())
    cost = clock_cost()
    clock = time.perf_counter_ns
    run = session.run
    durations = []
    for call in range(-(calls // 10) - 1, calls):
        before = clock()
        run()
        if call >= 0:
            durations.append(clock() - before - cost)
    print(*durations, sep="\n")


main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
