#!/usr/bin/python3
"""`make install` and `make install-judge` install what works from there; shells complete what the tables of flags have. Argument: BUILD."""
import os
import re
import shutil
import tempfile

from judge_process import Server, build, call, checks, read_text

SHARED = ["man/man1/{}.1", "bash-completion/completions/{}", "zsh/site-functions/_{}", "fish/vendor_completions.d/{}.fish"]


def said(*command, **options):
    return call(*command, **options).output


def install(target, folder):
    plain = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    printed = said("make", target, f"BUILD={build}", f"DESTDIR={folder}", "PREFIX=/usr", env=plain)
    files = {os.path.relpath(os.path.join(at, name), f"{folder}/usr") for at, _, names in os.walk(folder) for name in names}
    checks.that(files, f"make {target} installs nothing: {printed}")
    return files


def shared_files(program):
    return {f"bin/{program}", *("share/" + path.format(program) for path in SHARED)}


def flags_of(program, *command):
    return re.findall(r"^  (--[\w-]+)", said(program, *command, "--help"), re.M)


def completed(usr, program, *words):
    """Returns what bash offers for the last word."""
    script = (f'. {usr}/share/bash-completion/completions/{program}; compopt() {{ :; }}\n'
              'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); '
              f'_{program.replace("-", "_")} "$1" "${{COMP_WORDS[COMP_CWORD]}}" "${{COMP_WORDS[COMP_CWORD - 1]}}"\n'
              'printf "%s\\n" "${COMPREPLY[@]}"')
    return said("bash", "-euc", script, "bash", program, *words).split()


def check_texts(usr, program):
    """Looks at the manual page and at the scripts of shells."""
    page = f"{usr}/share/man/man1/{program}.1"
    if shutil.which("groff"):
        checks.that(not said("groff", "-ww", "-man", "-Tascii", "-z", page), f"groff warns of the manual of {program}")
    for shell, path in [("bash", SHARED[1]), ("zsh", SHARED[2]), ("fish", SHARED[3])]:
        if shutil.which(shell):
            script = f"{usr}/share/{path.format(program)}"
            checks.that(not said(shell, "-n", script), f"{shell} cannot read the completion of {program}: {said(shell, '-n', script)}")


with tempfile.TemporaryDirectory() as folder:
    files = install("install-judge", folder)
    wanted = shared_files("oip-conformance") | {"share/doc/oip-conformance/LICENSE", "share/doc/oip-conformance/NOTICE"}
    checks.that(files == wanted, f"install-judge installs {files ^ wanted} otherwise")
    usr, program = f"{folder}/usr", f"{folder}/usr/bin/oip-conformance"
    checks.that("0 findings" in said(program, "lint", cwd=folder), "the judge needs more than install-judge installs")
    check_texts(usr, "oip-conformance")
    page = read_text(f"{usr}/share/man/man1/oip-conformance.1").replace("\\-", "-")

    commands = completed(usr, "oip-conformance", "")
    checks.that({"run", "spec-check", "merge", "--help"} <= set(commands), f"bash completes the commands {commands}")
    for command in [name for name in commands if not name.startswith("-")]:
        flags = flags_of(program, command)
        checks.that(flags and completed(usr, "oip-conformance", command, "--") == flags, f"bash does not complete the flags of {command}")
        checks.that(all(re.search(f"^.BR {flag}( |$)", page, re.M) for flag in flags), f"the manual lacks flags of {command}")
        for path in SHARED[2:]:
            text = read_text(f"{usr}/share/{path.format('oip-conformance')}")
            checks.that(all(flag in text or f"-l {flag[2:]}" in text for flag in flags), f"{path} lacks flags of {command}")
    checks.that(completed(usr, "oip-conformance", "run", "--target", "") == [], "bash completes the value of --target")
    checks.that(completed(usr, "oip-conformance", "run", "--json", "LICE") == ["LICENSE"], "bash does not complete a file")

with tempfile.TemporaryDirectory() as folder:
    files = install("install", folder)
    usr, program = f"{folder}/usr", f"{folder}/usr/bin/oip-reference-server"
    checks.that(shared_files("oip-conformance") | shared_files("oip-reference-server") <= files, "install lacks files of a program")
    check_texts(usr, "oip-reference-server")
    checks.that(completed(usr, "oip-reference-server", "--") == flags_of(program), "bash does not complete the flags of the server")
    with Server(program, "--models", f"{usr}/share/oip-conformance/models/kit", "--http", "127.0.0.1:0", "--grpc", "127.0.0.1:0",
                ready="loaded ") as server:
        judged = said(f"{usr}/bin/oip-conformance", "run", "--target", server.http, "--filter", "v2-rest/metadata/*", cwd=folder)
        checks.that("exit code 0" in judged, f"the installed judge does not judge the installed server: {judged[-300:]}")

checks.end()
