# Copyright 2026 The nnburst authors
# SPDX-License-Identifier: Apache-2.0
"""Classifies the images of a camera at a fixed rate; an image that is late is left out.

Usage: camera.py [IMAGES] [MODEL.tflite]
"""

import sys
import time

import numpy as np

import nnburst

RATE = 30.0


def main(images: int, path: str | None) -> None:
    device = nnburst.spawn_driver()
    session = nnburst.open(device, path if path else nnburst.mobilenet_v1())
    image = session.input()
    scores = session.output()
    random = np.random.default_rng(1)
    start = time.monotonic()
    for number in range(images):
        time.sleep(max(0.0, start + number / RATE - time.monotonic()))
        # Here a program has the camera write its image into the array, without a copy.
        if image.dtype.kind == "f":
            image[...] = random.random(image.shape, np.float32)
        else:
            image[...] = random.integers(0, 127, image.shape)
        try:
            session.run(timeout=1.0)
        except nnburst.MissedDeadlineError:
            print(f"image {number}: late")
            continue
        print(f"image {number}: class {scores.argmax()}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100, sys.argv[2] if len(sys.argv) > 2 else None)
