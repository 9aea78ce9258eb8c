# Copyright 2026 The nnburst authors
# SPDX-License-Identifier: Apache-2.0
"""Filters sound with a recurrent network, 10 ms at a time. Its state stays in the driver's memory.

Usage: audio.py [BLOCKS]
"""

import sys

import numpy as np

import nnburst


def main(blocks: int) -> None:
    device = nnburst.spawn_driver()
    # This model is built in and has to be told what a .tflite file says itself: outputs 1 and 2 are the inputs 1
    # and 2 of the next block.
    model = nnburst.streaming_lstm().with_signature(
        inputs=["sound", "state", "cell"],
        outputs=["filtered", "next state", "next cell"],
        states=[(1, 1), (2, 2)],
    )
    session = nnburst.open(device, model)
    sound, filtered = session.input("sound"), session.output("filtered")
    phase = np.arange(sound.size, dtype=np.float32).reshape(sound.shape) * 0.05
    for block in range(blocks):
        np.sin(phase + block * sound.size * 0.05, out=sound)
        session.run(timeout=1.0)
        print(f"block {block}: loudness {np.sqrt(np.square(filtered).sum()):.6f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
