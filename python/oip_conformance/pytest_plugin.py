"""A plugin of pytest.

The fixture `oip_conformance` judges a server:

    def test_our_server_conforms(oip_conformance):
        oip_conformance("--target", "http://localhost:8000").assert_conformant()

With --oip-target, --oip-grpc or --oip-graphpipe, each requirement that was tried is a test of its own, beside those of files: its
MUST fails it, a SHOULD warns."""
from __future__ import annotations

import warnings
from typing import Any, Callable, Iterator

import pytest

from oip_conformance import Judged, judge

ADDRESSES = ("target", "grpc", "graphpipe")
BROKEN = ("fail", "timeout", "error", "warn")
SHOWN = 3  # failures of a requirement


@pytest.fixture(scope="session")
def oip_conformance() -> Callable[..., Judged]:
    """The function oip_conformance.judge: it takes the flags of `oip-conformance run`."""
    return judge


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("oip", "conformance to the Open Inference Protocol")
    group.addoption("--oip-target", metavar="URL", help="judge this server over REST, with a test for each requirement")
    group.addoption("--oip-grpc", metavar="HOST:PORT", help="the same over gRPC")
    group.addoption("--oip-graphpipe", metavar="URL", help="the same over GraphPipe")
    group.addoption("--oip-model", metavar="NAME", action="append", default=[], help="probe this model (may be repeated)")
    group.addoption("--oip-flag", metavar="FLAG", action="append", default=[],
                    help="a further flag of `oip-conformance run`, such as --oip-flag=--wait=60 (may be repeated)")


def flags_of(config: pytest.Config) -> list[str]:
    """Returns the flags of the judge; none if no server is named."""
    addresses = [f"--{name}={config.getoption(f'oip_{name}')}" for name in ADDRESSES if config.getoption(f"oip_{name}")]
    if not addresses:
        return []
    return [*addresses, *(f"--model={name}" for name in config.getoption("oip_model")), *config.getoption("oip_flag")]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    flags = flags_of(config)
    if flags:
        items.extend(session.genitems(Suite.from_parent(session, name="oip", nodeid="oip", flags=flags)))


class Suite(pytest.Collector):
    """The requirements that a run has tried."""

    def __init__(self, *, flags: list[str], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.flags = flags

    def collect(self) -> Iterator[pytest.Item]:
        judged = judge(*self.flags)
        report = judged.report
        if report is None or judged.conclusion == "not judged":
            raise self.CollectError(judged.output)
        results: dict[str, list[dict[str, Any]]] = {}
        for result in report["results"]:
            if result["verdict"] != "not-applicable":
                results.setdefault(result["key"], []).append(result)
        for key, of_key in sorted(results.items()):
            yield Requirement.from_parent(self, name=key, report=report, results=of_key)
        yield Conclusion.from_parent(self, name="conclusion", judged=judged)


class Requirement(pytest.Item):
    """A requirement, which its results fail, warn of, or skip."""

    def __init__(self, *, report: dict[str, Any], results: list[dict[str, Any]], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.row, self.results = report["requirements"][self.name], results
        fails = self.row["level"] == "must" or (self.row["level"] == "should" and report["strict"])
        self.is_demanded = fails and (results[0]["layer"] != "transport" or report["transport"]["demanded"])

    def text(self, broken: list[dict[str, Any]]) -> str:
        lines = [f"{self.row['level']}: {self.row['says']}", f"source: {self.row['source']}"]
        for result in broken[:SHOWN]:
            lines += ["", result["id"], f"because: {result.get('why', '')}", f"reproduce: {result.get('command', '')}"]
        return "\n".join(lines + [f"\nand {len(broken) - SHOWN} more"] * (len(broken) > SHOWN))

    def runtest(self) -> None:
        broken = [result for result in self.results if result["verdict"] in BROKEN]
        if broken and self.is_demanded:
            pytest.fail(self.text(broken), pytrace=False)
        if broken:
            warnings.warn(self.name + ": " + self.text(broken[:1]), stacklevel=1)
        if not any(result["verdict"].startswith("pass") for result in self.results):
            pytest.skip(self.results[0].get("why", "nothing of it could be tried"))

    def reportinfo(self) -> tuple[str, None, str]:
        return "oip", None, f"requirement {self.name}"


class Conclusion(pytest.Item):
    """The exit code of the run."""

    def __init__(self, *, judged: Judged, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.judged = judged

    def runtest(self) -> None:
        if self.judged.code != 0 and self.judged.report:
            reason = self.judged.report["reason"]
            pytest.fail(f"{self.judged.conclusion}, exit code {self.judged.code}: {reason}", pytrace=False)

    def reportinfo(self) -> tuple[str, None, str]:
        return "oip", None, "conclusion of the run"
