#!/usr/bin/python3
"""The wheel that python/build-wheel makes: its form, its program, and its plugin of pytest against our server. Argument: BUILD."""
import base64
import hashlib
import os
import tempfile
import zipfile

from judge_process import build, call, checks, reference_server, say, write

build = os.path.abspath(build)
SOME = ["--oip-flag=--filter=v2-rest/metadata/*", "--oip-flag=--filter=v2/infer/id*"]
TEST = """
import os
from oip_conformance import Judged, judge

def test_it(oip_conformance):
    judged = oip_conformance("--target", os.environ["TARGET"], "--filter", "v2-rest/metadata/*")
    assert isinstance(judged, Judged) and judged.report["target"]["http"] == os.environ["TARGET"]
    judged.assert_conformant()

def test_nobody():
    judged = judge("--target", "http://127.0.0.1:1")
    assert (judged.code, judged.conclusion) == (3, "not judged") and "127.0.0.1:1" in judged.output

def test_a_wrong_flag():
    judged = judge("--no-such-flag")
    assert (judged.code, judged.report, judged.conclusion) == (2, None, "not judged") and "--no-such-flag" in judged.output
"""


def make_wheel(folder):
    run = call("python/build-wheel", "x86_64", f"{build}/oip-conformance", "--out", folder)
    checks.code(0, "a wheel is made", run)
    return run.out.strip()


def install(wheel, folder):
    """Lays a wheel out as `pip install --target` does, and looks at its record."""
    with zipfile.ZipFile(wheel) as archive:
        record = next(name for name in archive.namelist() if name.endswith(".dist-info/RECORD"))
        listed = {line.rsplit(",", 2)[0]: line.rsplit(",", 2)[1] for line in archive.read(record).decode().splitlines()}
        checks.that(set(listed) == set(archive.namelist()), "RECORD does not list what the wheel holds")
        for entry in archive.infolist():
            content = archive.read(entry)
            digest = "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
            checks.that(entry.filename == record or listed[entry.filename] == digest, f"RECORD is wrong about {entry.filename}")
            _, is_script, script = entry.filename.partition(".data/scripts/")
            path = os.path.join(folder, f"bin/{script}" if is_script else entry.filename)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(content)
            os.chmod(path, entry.external_attr >> 16 & 0o777)


def python(site, folder, *words, **variables):
    return call("/usr/bin/python3", "-m", *words, cwd=folder, env=dict(os.environ, PYTHONPATH=site, PYTHONDONTWRITEBYTECODE="1", **variables))


def pytest(site, folder, *words, **variables):
    return python(site, folder, "pytest", "-p", "no:cacheprovider", "-q", *words, **variables)


with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as site, tempfile.TemporaryDirectory() as tests:
    wheel = make_wheel(folder)
    with open(wheel, "rb") as file:
        first = file.read()
    with open(make_wheel(folder), "rb") as file:
        checks.that(file.read() == first, "a wheel that is made twice differs")
    install(wheel, site)

    checks.that(python(site, tests, "oip_conformance", "--version") == say("--version"), "python -m oip_conformance does not run the program")
    checks.code(2, "the exit code of python -m oip_conformance", python(site, tests, "oip_conformance", "run"))

    write(f"{tests}/test_it.py", TEST)
    kit = ["--models", f"{build}/models/kit"]
    with reference_server(*kit) as good, reference_server(*kit, "--deviate", "rest-error-body-is-detail") as bad:
        checks.code(0, "the fixture before a good server", pytest(site, tests, TARGET=good.http), "3 passed")
        checks.code(1, "the fixture before a bad server", pytest(site, tests, TARGET=bad.http), "FAIL v2-rest.error-body")

        run = pytest(site, tests, f"--oip-target={good.http}", f"--oip-grpc={good.grpc}", *SOME, TARGET=good.http)
        checks.code(0, "the requirements of a good server", run, " passed")
        checks.that(not run.says("failed"), "none of them fails", run)
        run = pytest(site, tests, f"--oip-target={bad.http}", *SOME, TARGET=good.http)
        checks.code(1, "a broken requirement is a failed test", run, "oip::v2-rest.error-body", "reproduce: curl", "oip::conclusion")
        run = pytest(site, tests, f"--oip-target={bad.http}", *SOME, "-k", "metadata-inputs", TARGET=good.http)
        checks.code(0, "-k chooses a requirement", run, "1 passed")
        for words, reason in [([f"--oip-target={good.http}", "--oip-flag=--filter=no/such/*"], "matches nothing"),
                              (["--oip-target=http://127.0.0.1:1"], "never answered")]:
            checks.code(2, "it is told why nothing was judged", pytest(site, tests, *words, TARGET=good.http), reason)

checks.end()
