#!/usr/bin/python3
"""The documents for people: links between them lead to files and headings that exist, the README stays short, each flag of our
programs that they name exists, and each profile has its place in docs/judging.md. Argument: BUILD."""
import os
import re
import subprocess

from judge_process import build, checks, read_json, read_text

names = subprocess.check_output(["git", "ls-files", "*.md", ":!conformance/tests/*"], text=True).split()
texts = {name: read_text(name) for name in names}
PAGES = [name for name in names if name == "README.md" or name.startswith("docs/")]
LINES, COLUMNS = 120, 100


def prose(text):
    """The text without blocks of code, in which a # begins no heading."""
    return re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)


def anchors(name):
    """The anchors of the headings of a file, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", prose(texts[name]), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken(name):
    """The links of a file that lead nowhere."""
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(texts[name])):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        path = os.path.normpath(os.path.join(os.path.dirname(name), path)) if path else name
        if not os.path.exists(path) or (anchor and anchor not in anchors(path)):
            yield target


def flags(program, *command):
    return set(re.findall(r"--[a-z-]+", subprocess.check_output([f"{build}/{program}", *command, "--help"], text=True)))


def unknown(name):
    """The calls of our programs in a file that have a flag which their help does not list."""
    text = re.sub(r"\\\n\s*", " ", texts[name])
    for program, rest in re.findall(r"(oip-conformance|oip-reference-server) ([^`\n#]*)", text):
        command = re.findall(r"^[a-z-]+(?= |$)", rest) if program == "oip-conformance" else []
        known = flags(program, *command)
        yield from (f"{program} {rest}: {flag}" for flag in re.findall(r"(?<!\S)--[a-z-]+", rest) if flag not in known)


for name in names:
    checks.that(not list(broken(name)), f"links of {name} lead nowhere: {list(broken(name))}")
for name in PAGES:
    checks.that(not list(unknown(name)), f"{name} has flags that no help lists: {list(unknown(name))}")
for profile in read_json("fixtures/encodings.json")["profiles"]:
    checks.that(f"`{profile}`" in texts["docs/judging.md"], f"docs/judging.md lists no profile {profile}")
readme = texts["README.md"].splitlines()
checks.that(len(readme) <= LINES, f"README.md has {len(readme)} lines, at most {LINES} are allowed")
for line in readme:
    checks.that(len(line) <= COLUMNS, f"README.md has a line of more than {COLUMNS} columns: {line}")
checks.end()
