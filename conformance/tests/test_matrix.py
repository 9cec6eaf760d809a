#!/usr/bin/python3
"""`matrix` shows how servers stand to each requirement. Each cell is held against the reports. Argument: BUILD."""
import collections
import re
import tempfile
import xml.etree.ElementTree as ElementTree

from judge_process import checks, judge_ours, read_json, read_text, say, write

# The gravest verdict of a requirement's results says how a server stands to it.
GRAVITY = ["fail", "timeout", "waived", "warn", "pass"]
CLASSES = {"fail": "bad", "timeout": "bad", "waived": "part", "warn": "part", "pass": "good", None: "none"}
TERMINAL = "\u202e\x9b\x1b[1m\n::error::x"
HOSTILE = "<b>\"&' ![|](x)" + TERMINAL


def report(folder, name, *server_flags):
    """Judges our server, and returns the path of the report, in which the server has another name."""
    path = f"{folder}/{name}.json"
    judge_ours(path, "--filter", "v2-rest/metadata/*", "--filter", "v2-rest/health/*", server=server_flags)
    content = read_json(path)
    content["target"]["server_name"] = name + (HOSTILE if name == "odd" else "")
    for row in content["requirements"].values() if name == "odd" else ():
        row["says"] += TERMINAL
    return write(path, content), content


def stands_of(content):
    """Returns {requirement: its gravest verdict} of a report."""
    verdicts = collections.defaultdict(set)
    for result in content["results"]:
        verdicts[result["key"]].add(result["verdict"])
    return {key: next((verdict for verdict in GRAVITY if verdict in verdicts[key]), None) for key in content["requirements"]}


def matrix(*words):
    return say("matrix", *words)


with tempfile.TemporaryDirectory() as directory:
    servers = [report(directory, "good"), report(directory, "bad", "--deviate", "rest-metadata-without-inputs"),
               report(directory, "odd", "--deviate", "rest-wrong-method-is-400"), report(directory, "bodies", "--dialect", "kserve")]
    paths, contents = [path for path, _ in servers], [content for _, content in servers]
    stands = [stands_of(content) for content in contents]
    keys = sorted({key for one in stands for key in one})

    code, out, _ = matrix(*paths, "--html", f"{directory}/matrix.html", "--markdown", f"{directory}/matrix.md")
    checks.that(code == 0 and "v2-rest.metadata-inputs: model metadata lists the inputs" in out, f"exit code {code}: {out}")
    block = out.split("v2-rest.metadata-inputs", 1)[-1].split("\n")[1]
    checks.that(block.startswith("         bad ") and "," not in block, f"who breaks it: '{block}'")
    root = ElementTree.parse(f"{directory}/matrix.html").getroot()
    rows = {row.find("th/code").text: row for row in root.iter("tr") if "row" in row.get("class", "").split()}
    checks.that(sorted(rows) == keys, f"the page has {len(rows)} requirements, the reports {len(keys)}")
    for key, row in rows.items():
        wanted = [CLASSES[one.get(key)] for one in stands]
        got = [cell.get("class") for cell in row.findall("td")]
        same = all(a == b or (a == "good" and b == "seen") for a, b in zip(wanted, got)) and len(wanted) == len(got)
        checks.that(same, f"{key}: {got} instead of {wanted}")
        known = {CLASSES[one[key]] + str(one[key]) for one in stands if one.get(key)}
        checks.that(("broken" in row.get("class").split()) == any(one.get(key) in ("fail", "timeout", "waived") for one in stands), f"{key}: broken")
        checks.that(("differ" in row.get("class").split()) == (len(known) > 1), f"{key}: differ, {known}")
    summary = root.find(".//table").findall("tbody/tr")
    for line, content, one in zip(summary, contents, stands):
        musts = [key for key in one if content["requirements"][key]["level"] == "must" and content["requirements"][key]["layer"] != "transport"]
        numbers = [int(cell.text) for cell in line.findall("td")[2:6]]
        wanted = [sum(one[key] in verdicts for key in musts) for verdicts in (("pass",), ("fail", "timeout"), ("waived",), (None,))]
        checks.that(numbers == wanted, f"{content['target']['server_name']}: {numbers} instead of {wanted}")
    names = [cell.text for cell in root.findall(".//table[@class='matrix']/thead/tr/th")[1:]]
    checks.that(names[0].startswith("good ") and "<b>\"&'" in names[2] and "\u202e" not in names[2], f"names of servers: {names}")
    page = read_text(f"{directory}/matrix.html")
    checks.that("<script" not in page and not re.search(r"(src|href)=", page), "the page needs nothing else")
    markdown = read_text(f"{directory}/matrix.md")
    checks.that(re.search(r"^\| `v2-rest.metadata-inputs` \(must\) \| \u2713 \| \u2717 \| \u2713 \| \u2713 \|$", markdown, re.M), f"Markdown: {markdown}")
    checks.that("\n\n\u2717 broken, ~ broken and waived, " in markdown, f"the signs of Markdown are explained: {markdown}")

    told = {" ".join(words): say(*words).out
            for words in (("matrix", paths[2]), ("diff", *paths[1:3]), ("matrix", paths[2], "--markdown", "-"), ("diff", *paths[1:3], "--markdown", "-"))}
    for words, out in told.items():
        acts = re.search(r"[\0-\t\v-\x1f\x7f-\x9f\u202e]|^::" + ("|<b>|!\\[" if "--markdown" in words else ""), out, re.M)
        checks.that("::error::x" in out.replace("\\", "") and not acts, f"{words}: {acts} in {out}")

    for words in ((), (f"{directory}/no-such",), ("conformance/tests/test_matrix.py",)):
        code, out, said = matrix(*words)
        checks.that(code == 2 and said.strip() and not out, f"{words}: {code} {said}")
    checks.code(4, "a page that cannot be written", matrix(*paths, "--html", "/proc/no-such/file"))
checks.end()
