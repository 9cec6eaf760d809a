#!/usr/bin/python3
"""The script that jobs of CI run (ci/judge), as action.yml and ci/gitlab.yml call it, against our server; and what every script in ci/ says
of itself if it is asked. Argument: BUILD."""
import os
import re
import subprocess
import tempfile

import yaml

from judge_process import build, checks, read_text, reference_server

build = os.path.abspath(build)
here = os.getcwd()
KIT = ["--models", f"{build}/models/kit"]
SOME = "--filter v2-rest/metadata/* --filter v2-rest/probe/*"


def judge(folder, **variables):
    """Runs the script in a folder, and returns its exit code and the outputs of the step."""
    files = {name: f"{folder}/{name.lower()}" for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    run = subprocess.run([f"{here}/ci/judge"], cwd=folder, env={**os.environ, "OIP_PROGRAM": f"{build}/oip-conformance", **files, **variables},
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    text = read_text(files["GITHUB_OUTPUT"])
    outputs = dict(re.findall(r"^([\w-]+)=(.*)$", text, re.M))
    outputs["profiles"] = re.search(r"^profiles<<(\w+)\n(.*?)^\1$", text, re.M | re.S)[2].splitlines()
    return run.returncode, outputs, run.stdout


with reference_server(*KIT) as good, reference_server(*KIT, "--deviate", "rest-error-body-is-detail") as bad:
    with tempfile.TemporaryDirectory() as folder:
        code, outputs, said = judge(folder, OIP_TARGET=good.http, OIP_GRPC=good.grpc, OIP_MODELS="simple\nidentity_fp32\n", OIP_ARGS=SOME)
        checks.that(code == 0 and outputs["exit-code"] == "0" and outputs["conclusion"] == "partial", f"a good server: {code} {outputs} {said}")
        checks.that("v2-rest: partial" in outputs["profiles"] and all(": not judged" not in line for line in outputs["profiles"]),
                    f"the profiles are {outputs['profiles']}")
        command = re.search('name="command" value="([^"]*)"', read_text(f"{folder}/oip-reports/junit.xml"))[1]
        checks.that("--model simple --model identity_fp32" in command and "--filter 'v2-rest/metadata/*'" in command, f"played was {command}")
        checks.that(read_text(f"{folder}/github_step_summary") == read_text(f"{folder}/oip-reports/summary.md"), "the summary is not on the page of the job")
        checks.that({"junit.xml", "report.json", "report.html", "summary.md"} <= set(os.listdir(f"{folder}/oip-reports")), "reports are missing")
    with tempfile.TemporaryDirectory() as folder:
        code, outputs, _ = judge(folder, OIP_TARGET=bad.http, OIP_ARGS="--filter v2-rest/*", OIP_REPORTS="elsewhere")
        checks.that(code == 1 and outputs["exit-code"] == "1" and outputs["conclusion"] == "not conformant", f"a bad server: {code} {outputs}")
        checks.that(outputs["profiles"] == ["v2-rest: not conformant"], f"the profiles of a bad server are {outputs['profiles']}")
        checks.that(os.path.exists(f"{folder}/elsewhere/report.html"), "the folder of the reports is another")
    with tempfile.TemporaryDirectory() as folder:
        code, outputs, _ = judge(folder, OIP_TARGET="http://127.0.0.1:1")
        checks.that(code == 3 and outputs["conclusion"] == "not judged" and not outputs["profiles"], f"no server: {code} {outputs}")
        code, outputs, said = judge(folder, OIP_TARGET=good.http, OIP_ARGS="--no-such-flag")
        checks.that(code == 2 and "--no-such-flag" in said, f"a wrong flag: {code} {said}")

known = set(re.findall(r"\bOIP_[A-Z]+", read_text("ci/judge")))
action, template = yaml.safe_load(read_text("action.yml")), yaml.safe_load(read_text("ci/gitlab.yml"))[".oip-conformance"]
step = action["runs"]["steps"][0]
checks.that(step["run"] == '"$GITHUB_ACTION_PATH/ci/judge"', f"action.yml runs {step['run']}")
checks.that(set(step["env"]) == known, f"action.yml gives {set(step['env']) ^ known} otherwise than ci/judge knows it")
checks.that({f"${{{{ inputs.{name} }}}}" for name in action["inputs"]} == set(step["env"].values()), "action.yml has an input that does nothing")
for name, output in action["outputs"].items():
    checks.that(output["value"] == f"${{{{ steps.judge.outputs.{name} }}}}" and re.search(rf'echo "{name}(=|<<)', read_text("ci/judge")),
                f"ci/judge has no output {name}")
checks.that(template["script"][-1] == "oip-conformance/ci/judge", "ci/gitlab.yml runs another script")
checks.that({name for name in template["variables"] if name != "OIP_REPOSITORY"} <= known, "ci/gitlab.yml has unknown variables")

for script in subprocess.getoutput("git ls-files ci ':!ci/interop/peers' ':!ci/install-deps' ':!ci/usage'").splitlines():
    if os.access(script, os.X_OK) and re.search(rf"{script} +\W?[A-Z-]", read_text(script)):
        said = subprocess.run([script, "--help"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=60).stdout
        checks.that(f"{script} " in said or said.startswith("usage"), f"{script} --help does not say how it is called: {said[-300:]}")

checks.end()
