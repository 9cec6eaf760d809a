#!/usr/bin/python3
"""The wheel that python/build-wheel makes: its form, its program, and its plugin of pytest against our server. Argument: BUILD."""
import base64
import hashlib
import os
import subprocess
import tempfile
import zipfile

from judge_process import build, checks, reference_server, say, write

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
    run = subprocess.run(["python/build-wheel", "x86_64", f"{build}/oip-conformance", "--out", folder], capture_output=True, text=True, check=False)
    checks.that(run.returncode == 0, f"no wheel is made: {run.stderr}")
    return run.stdout.strip()


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
    environment = dict(os.environ, PYTHONPATH=site, PYTHONDONTWRITEBYTECODE="1", **variables)
    run = subprocess.run(["/usr/bin/python3", "-m", *words], cwd=folder, env=environment, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True, check=False)
    return run.returncode, run.stdout


def pytest(site, folder, *words, **variables):
    return python(site, folder, "pytest", "-p", "no:cacheprovider", "-q", *words, **variables)


with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as site, tempfile.TemporaryDirectory() as tests:
    wheel = make_wheel(folder)
    with open(wheel, "rb") as file:
        first = file.read()
    with open(make_wheel(folder), "rb") as file:
        checks.that(file.read() == first, "a wheel that is made twice differs")
    install(wheel, site)

    wanted = say("--version").out
    checks.that(python(site, tests, "oip_conformance", "--version") == (0, wanted), "python -m oip_conformance does not run the program")
    checks.that(python(site, tests, "oip_conformance", "run")[0] == 2, "python -m oip_conformance loses the exit code")

    write(f"{tests}/test_it.py", TEST)
    kit = ["--models", f"{build}/models/kit"]
    with reference_server(*kit) as good, reference_server(*kit, "--deviate", "rest-error-body-is-detail") as bad:
        code, said = pytest(site, tests, TARGET=good.http)
        checks.that(code == 0 and "3 passed" in said, f"the fixture does not pass a good server: {said}")
        code, said = pytest(site, tests, TARGET=bad.http)
        checks.that(code == 1 and "FAIL v2-rest.error-body" in said, f"the fixture does not fail a bad server: {said}")

        code, said = pytest(site, tests, f"--oip-target={good.http}", f"--oip-grpc={good.grpc}", *SOME, TARGET=good.http)
        checks.that(code == 0 and " passed" in said and "failed" not in said, f"the requirements of a good server fail: {said}")
        code, said = pytest(site, tests, f"--oip-target={bad.http}", *SOME, TARGET=good.http)
        checks.that("oip::v2-rest.error-body" in said and "reproduce: curl" in said and "oip::conclusion" in said,
                    f"a broken requirement is no failed test: {said}")
        code, said = pytest(site, tests, f"--oip-target={bad.http}", *SOME, "-k", "metadata-inputs", TARGET=good.http)
        checks.that(code == 0 and "1 passed" in said, f"-k does not choose a requirement: {said}")
        for words, reason in [([f"--oip-target={good.http}", "--oip-flag=--filter=no/such/*"], "matches nothing"),
                              (["--oip-target=http://127.0.0.1:1"], "never answered")]:
            code, said = pytest(site, tests, *words, TARGET=good.http)
            checks.that(code == 2 and reason in said, f"nothing tells why nothing was judged: {said}")

checks.end()
