# Copyright 2026 The nnburst authors
# SPDX-License-Identifier: Apache-2.0
"""The package itself: its types, its program, its examples."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import nnburst
import nnburst._nnburst as module

PACKAGE = Path(nnburst.__file__).parent
EXAMPLES = Path(__file__).parents[2] / "examples" / "python"


def names_of(body: list[ast.stmt]) -> set[str]:
    names = set()
    for statement in body:
        if isinstance(statement, (ast.ClassDef, ast.FunctionDef)):
            names.add(statement.name)
        elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            names.add(statement.target.id)
    return names


def public(names: set[str]) -> set[str]:
    return {name for name in names if not name.startswith("_")}


def test_the_types_name_all_that_the_module_has() -> None:
    stub = ast.parse((PACKAGE / "_nnburst.pyi").read_text())
    # Timing is the type of a dictionary, status and message belong to single errors.
    assert public(names_of(stub.body)) - {"Timing"} == public(set(dir(module)))
    for statement in stub.body:
        if isinstance(statement, ast.ClassDef) and statement.name not in ("Timing", "Error"):
            there = public(set(vars(getattr(module, statement.name))))
            assert public(names_of(statement.body)) == there, statement.name


@pytest.mark.parametrize("part", ["package", "examples", "tests"])
def test_the_types_are_complete_and_right(part: str) -> None:
    what = {
        "package": ["-p", "nnburst"],
        "examples": [str(path) for path in sorted(EXAMPLES.glob("*.py"))],
        "tests": [str(path) for path in sorted(Path(__file__).parent.glob("test_*.py"))],
    }[part]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", *what],
        cwd=PACKAGE.parent,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_all_public_names_have_docstrings() -> None:
    for name in nnburst.__all__:
        assert getattr(nnburst, name).__doc__, name


def test_the_package_runs_models_as_the_program_does() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "nnburst", "--help"], capture_output=True, text=True, check=True
    )
    assert "Usage: nnburst-run" in ran.stdout or "nnburst-run" in ran.stdout


@pytest.mark.parametrize(
    ("example", "frames", "last"),
    [
        ("camera", 3, "image 2: class"),
        ("audio", 3, "block 2: loudness"),
        ("pipeline", 3, "image 2: class"),
        ("recovery", 400, "some frames were lost"),
    ],
)
def test_each_example_runs(example: str, frames: int, last: str) -> None:
    ran = subprocess.run(
        [sys.executable, str(EXAMPLES / f"{example}.py"), str(frames)],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines()[-1].startswith(last)
