# Copyright 2026 The nnburst authors
# SPDX-License-Identifier: Apache-2.0
"""`python -m nnburst`: runs a model, as the program nnburst-run does, with its options."""

import os
import shutil
import sys
from pathlib import Path


def main() -> None:
    own = Path(__file__).parent / "bin" / "nnburst-run"
    program = str(own) if own.exists() else shutil.which("nnburst-run")
    if program is None:
        sys.exit("nnburst: the program nnburst-run is not on the PATH; install the package nnburst-tools")
    os.execv(program, ["nnburst-run", *sys.argv[1:]])


main()
