# Copyright 2026 The nnburst authors
# SPDX-License-Identifier: Apache-2.0
"""A stream that goes on when its driver dies: the driver is started again, with the model.

Usage: recovery.py [FRAMES]
"""

import os
import signal
import sys
import time
from pathlib import Path

import nnburst


def kill_driver() -> None:
    """Kills the driver, to show the recovery."""
    children = [path.read_text().split() for path in Path("/proc/self/task").glob("*/children")]
    for driver in sum(children, []):
        os.kill(int(driver), signal.SIGKILL)


def main(frames: int) -> None:
    device = nnburst.supervise_driver()
    session = nnburst.open(device, nnburst.mobilenet_v1())
    session.input()[...] = 0.5
    lost = 0
    for frame in range(frames):
        if frame == frames // 2:
            kill_driver()
        try:
            session.run()
        except nnburst.DeviceUnavailableError:
            lost += 1  # the frames of the time without a driver
            time.sleep(0.01)
            continue
        print(f"frame {frame}: class {session.output().argmax()}")
    print("some frames were lost" if lost else "no frame was lost")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
