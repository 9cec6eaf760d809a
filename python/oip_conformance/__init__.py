"""Judges whether an inference server speaks the Open Inference Protocol.

The judge is the program `oip-conformance`, which is installed with this package; `judge` runs it. The plugin of pytest is in
`oip_conformance.pytest_plugin`, and pytest finds it by itself."""
from __future__ import annotations

import dataclasses
import json
import os
import shutil
import subprocess
import sysconfig
import tempfile
from importlib.metadata import version
from typing import Any

__all__ = ["Judged", "judge", "program"]
__version__ = version("oip-conformance")


@dataclasses.dataclass(frozen=True)
class Judged:
    """What became of a run."""

    code: int
    """The exit code: 0, a success; 1, a MUST of the documents failed; others are in docs/ci.md."""
    report: dict[str, Any] | None
    """The JSON report, or None if there was no run, as with a wrong flag."""
    output: str
    """What the program printed."""

    @property
    def conclusion(self) -> str:
        """"certified", "conformant", "interoperable", "not interoperable", "not judged" and others."""
        return self.report["conclusion"] if self.report else "not judged"

    def assert_conformant(self) -> None:
        """Raises an AssertionError, which says what the program printed, unless the run was a success."""
        __tracebackhide__ = True
        if self.code != 0:
            raise AssertionError(self.output)


def program() -> str:
    """Returns the path of the program that was installed with this package, or else of the one in PATH."""
    beside = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "bin")  # pip install --target
    for folder in (sysconfig.get_path("scripts"), sysconfig.get_path("scripts", f"{os.name}_user"), beside):
        path = os.path.join(folder, "oip-conformance")
        if os.access(path, os.X_OK):
            return path
    found = shutil.which("oip-conformance")
    if found is None:
        raise FileNotFoundError("the program oip-conformance is installed neither with this package nor in PATH")
    return found


def judge(*flags: str, timeout: float | None = None) -> Judged:
    """Runs `oip-conformance run FLAGS...`: judge("--target", "http://localhost:8000").

    After `timeout` seconds it raises subprocess.TimeoutExpired."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "report.json")
        command = [program(), "run", *flags, "--json", path]
        run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=timeout, check=False)
        report = None
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                report = json.load(file)
        return Judged(run.returncode, report, run.stdout)
