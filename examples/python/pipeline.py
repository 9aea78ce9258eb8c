# Copyright 2026 The nnburst authors
# SPDX-License-Identifier: Apache-2.0
"""Two models in a row, each in a driver of its own: while one works on an image, the other works on the one before.

Usage: pipeline.py [IMAGES]
"""

import asyncio
import sys

import numpy as np

import nnburst


def brighten(shape: tuple[int, ...]) -> nnburst.Model:
    """The first model: twice the image, at most 1."""
    builder = nnburst.ModelBuilder()
    image = builder.add_tensor(nnburst.OperandType.TENSOR_FLOAT32, shape)
    doubled = builder.add_tensor(nnburst.OperandType.TENSOR_FLOAT32, shape)
    bright = builder.add_tensor(nnburst.OperandType.TENSOR_FLOAT32, shape)
    one = builder.add_constant(nnburst.OperandType.TENSOR_FLOAT32, np.ones(1, np.float32))
    none = builder.add_scalar(0)
    builder.add_operation(nnburst.OperationType.ADD, [image, image, none], [doubled])
    builder.add_operation(nnburst.OperationType.MINIMUM, [doubled, one], [bright])
    return builder.build([image], [bright])


async def main(images: int) -> None:
    classifier = nnburst.open(nnburst.spawn_driver(), nnburst.mobilenet_v1())
    first = nnburst.open(nnburst.spawn_driver(), brighten(classifier.input().shape))
    image, bright = first.input(), first.output()
    random = np.random.default_rng(1)
    image[...] = random.random(image.shape, np.float32)
    await first.run_async()
    for number in range(images):
        classifier.input()[...] = bright
        image[...] = random.random(image.shape, np.float32)
        await asyncio.gather(classifier.run_async(), first.run_async())
        print(f"image {number}: class {classifier.output().argmax()}")


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 100))
