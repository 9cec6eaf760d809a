#!/usr/bin/python3
"""ci/published finds what is wrong with a published server: in its folder, its waivers, its tape, or on the page. Argument: BUILD."""
import json
import os
import shutil
import tempfile

from judge_process import build, call, checks

build, script = os.path.abspath(build), os.path.abspath("ci/published")
NAME = "graphpipe-go-1.0.0"  # the smallest


def published(folder, *flags):
    run = call(script, build, *flags, cwd=folder)
    said = run.output.splitlines(keepends=True)
    return run._replace(out="".join(line for line in said if "were not recorded: " not in line), err="")  # later cases are not in the tape


def edit(path, change):
    with open(path, "r+b") as file:
        text = change(file.read())
        file.seek(0)
        file.truncate()
        file.write(text)


def one_less(text):
    content = json.loads(text)
    content["waivers"].pop(0)
    return json.dumps(content).encode()


with tempfile.TemporaryDirectory() as folder:
    os.makedirs(f"{folder}/docs")
    os.symlink(os.path.abspath("fixtures"), f"{folder}/fixtures")
    at = f"{folder}/reports/published/{NAME}"
    shutil.copytree(f"reports/published/{NAME}", at)
    checks.that(published(folder) == (0, "", ""), "a page is written")
    checks.that(published(folder, "--check") == (0, "", ""), "and is right")
    for what, name, change, says in (
            ("a failure that nobody waived", "waivers.json", one_less, "exit code 1"),
            ("a requirement without a word", "README.md", lambda text: text.replace(b"`graphpipe.error-response`", b"this"), "graphpipe.error-response is not explained"),
            ("a product without a version", "PRODUCT.yaml", lambda text: text.replace(b"version: ", b"release: "), "needs the texts name, version,"),
            ("a product that is a list", "PRODUCT.yaml", lambda text: b"- name\n- version\n", "needs the texts name, version,"),
            ("a tape that was cut", "run.tape", lambda text: text[:-99], "exit code 2"),
            ("a page that says otherwise", "../../../docs/published.md", lambda text: text.replace(b"| 3 | 0 |", b"| 0 | 0 |"), "`make published` writes it")):
        with open(f"{at}/{name}", "rb") as file:
            before = file.read()
        edit(f"{at}/{name}", change)
        checks.code(1, what, published(folder, "--check"), says)
        edit(f"{at}/{name}", lambda _, before=before: before)
    checks.that(published(folder, "--check") == (0, "", ""), "what was put back is right again")

checks.end()
