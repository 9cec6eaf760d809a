#!/usr/bin/python3
"""Each command that a report prints shows again what was judged. Arguments: BUILD [all].

Servers that are wrong in several ways are judged, and the commands of their failures are run as they stand, in a pipe and some on a
terminal. Each must end in time and show what was judged: what curl prints is compared with what the report says was received, and
`replay` must come to the same verdict. Against a server that is right the same commands must show that nothing is wrong. With `all`
every command is run, else a sample that is drawn evenly from all kinds, of which `make test` runs a third."""
import collections
import concurrent.futures
import os
import pty
import random
import re
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
import typing

from judge_process import COMMIT, EVERYTHING, build, checks, read_json, reference_server, say
from forwarder import Listener
from shown import Schemas, Shown, grpc_differs, harmless, http_differs, uncat

everything = "all" in sys.argv[2:]
schemas = Schemas(f"{build}/gen/schemas.desc")
MODELS = [word for kind in ("kit", "batching", "builtin") for word in ("--models", f"{build}/models/{kind}")]
LIMIT = 120  # seconds; reached only by a command that hangs
PATIENCE = 20  # seconds of an exchange; reached only by a server that hangs
CALL = re.compile(r"--http2-prior-knowledge .*'https?://[^/']+/([\w.]+/\w+)'")


class Wrong(typing.NamedTuple):
    """A server that is wrong, how it is judged, and how many of its commands are run."""
    deviations: str
    flags: tuple = ()
    sample: int = 40
    wanted: str = ""  # only commands that have this
    kinds: int = 1  # kinds of commands that must have been found
    serially: bool = False  # what one command sends matters to the next


def filters(*globs):
    return tuple(word for glob in globs for word in ("--filter", glob))


# A deviation acts on every request that it is about, so those that change all answers of a transport stand alone.
SERVERS = (
    Wrong("rest-data-count-unchecked,rest-server-version-is-a-number,rest-errors-are-text,binary-short-data-is-taken,"
          "kserve-models-without-names,generate-outputs-are-left-out,rest-generate-stream-event-lost,metrics-help-twice,"
          "rest-classification-without-labels,rest-statistics-success-takes-longer,rest-model-configuration-batch-is-wrong,"
          "rest-sequence-answers-are-empty,rest-schedule-order-is-not-told,grpc-data-count-unchecked,grpc-string-utf8-unchecked,"
          "grpc-unknown-model-is-invalid,reflection-files-without-names,health-watch-stands-still,health-of-broken-messages,"
          "grpc-stream-id-lost,grpc-stream-final-unmarked,v1-http-id-is-lost,v1-grpc-id-is-lost,"
          "graphpipe-texts-of-other-values,graphpipe-output-name-unchecked,"
          "rest-values-off-by-one,v1-http-output-of-another-name,graphpipe-output-of-other-shape,"
          "grpc-classification-one-too-many,metrics-executions-stand,grpc-model-configuration-batch-is-wrong,"
          "reflection-v1alpha-without-services,grpc-schedule-order-is-not-told,grpc-sequence-answers-are-empty,"
          "grpc-statistics-of-another-model", sample=130, kinds=90),
    Wrong("http-no-date,http-closes-after-errors,http-inferences-are-swapped,rest-json-valid-unchecked,v1-http-no-trailer,"
          "grpc-text-codings-are-a-secret,grpc-stream-of-another-output,graphpipe-request-type-unchecked",
          ("--skip", "v2-rest/framing/gate*",  # it waits for a client that never comes
           *filters("v2-rest/framing/*", "v2-rest/watch/*", "v2-rest/metadata/*", "v2-grpc/framing/*", "trtis-v1-http/infer/*",
                    "streaming-grpc/*", "graphpipe/request/*")), sample=25, kinds=8),
    Wrong("http-host-unchecked,http-length-unchecked,http-folded-headers-close",
          filters("v2-rest/framing/*", "graphpipe/framing/*", "trtis-v1-http/framing/*"), sample=20, kinds=1),
    Wrong("http2-bad-names-are-taken,http2-windows-grow-by-0", filters("v2-grpc/http2/*"), sample=8, kinds=1),
    Wrong("grpc-text-messages-are-not-encoded,grpc-text-answers-are-compressed", filters("v2-grpc/framing/*", "v2-grpc/health/*"), sample=8, kinds=1),
    Wrong("rest-infer-closes,grpc-infer-breaks-off,graphpipe-infer-closes",
          ("--jobs", "8", *filters("v2-rest.infer-answers", "v2-grpc.infer-answers", "graphpipe.infer-answers")), sample=12, kinds=8),
    # The next request pays for one that is refused: only commands that send both can show it.
    Wrong("rest-refusals-disturb-others,grpc-refusals-disturb-others",
          filters("v2-rest/infer/*", "v2-grpc/infer/*", "v2/infer/s*"), sample=20, wanted="/replay@", kinds=6, serially=True),
    Wrong("rest-repository-index-without-reason,rest-repository-unloaded-is-ready,grpc-id-lost",
          ("--allow-mutation", *filters("repository-rest/*", "repository-grpc/*")), sample=8, kinds=5, serially=True),
)


# --- Servers of our own ---


class Bare(Listener):
    """An HTTP server whose `answer` gets each request, its head and its body as bytes, and returns the answer and the bytes of the
    connection that it takes for the beginning of the next request."""

    def __init__(self, answer):
        self.answer = answer
        super().__init__(self.serve)
        self.http = f"http://{self.address}"

    def serve(self, connection):
        came = b""
        with connection:
            while True:
                length = 0
                while b"\r\n\r\n" not in came or len(came) < came.index(b"\r\n\r\n") + 4 + length:
                    piece = connection.recv(65536)
                    if not piece:
                        return
                    came += piece
                    named = re.search(rb"\r\ncontent-length: *(\d+)", came.partition(b"\r\n\r\n")[0], re.I)
                    length = int(named[1]) if named and re.match(rb"[A-Z]+ /\S* HTTP", came) else 0
                head, _, rest = came.partition(b"\r\n\r\n")
                answer, left = self.answer(head, rest[:length])
                connection.sendall(answer)
                came = left + rest[length:]


def plain(status, body, length=None):
    return f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {length or len(body)}\r\n\r\n{body}".encode()


def leaves_bodies_unread(server):
    """Answers as the server does, except that what it refuses it has not read: the body is taken for the next request."""
    address = server.http.removeprefix("http://").split(":")

    def answer(head, body):
        if not re.match(rb"[A-Z]+ /\S* HTTP/1", head):
            return plain(400, '{"error": "this is no request"}'), b""
        with socket.create_connection(address) as upstream:
            upstream.sendall(head + b"\r\nConnection: close\r\n\r\n" + body)
            came = b"".join(iter(lambda: upstream.recv(65536), b"")).replace(b"Connection: close\r\n", b"")
        return came, body if came[9:10] == b"4" else b""

    return answer


def stands_still(head, _):
    """Begins the answer about the server itself, and never ends it."""
    if head.startswith(b"GET /v2 "):
        return plain(200, '{"name": "stands', 1000), b""
    return plain(200 if b" /v2/health" in head else 404, "{}"), b""


# --- Running a command ---


class Ran(typing.NamedTuple):
    code: int
    output: bytes
    errors: bytes


def run_in_pipe(command):
    """Runs the command as it stands. Returns None if it does not end."""
    process = subprocess.Popen(["sh", "-c", command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               start_new_session=True)
    try:
        output, errors = process.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return None
    return Ran(process.returncode, output, errors)


def run_on_terminal(command):
    """Runs the command with a terminal for all of its streams. What it prints to one of them is all output."""
    child, terminal = pty.fork()
    if child == 0:
        os.execvp("sh", ["sh", "-c", command])
    output, until = b"", time.monotonic() + LIMIT
    while time.monotonic() < until:
        if not select.select([terminal], [], [], 1)[0]:
            continue
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # its end
            piece = b""
        if not piece:
            break
        output += piece
    else:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return None
    os.close(terminal)
    return Ran(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), output, b"")


# --- What it showed ---


def is_replay(command):
    return " replay '" in command.split("--target")[0] or " replay '" in command.split("--grpc")[0]


def replay_differs(result, ran):
    verdict = f"{result['verdict'].upper()} {result['id']}"
    if ran.code != 1:
        return f"exit code {ran.code}"
    return "" if verdict in ran.output.decode(errors="replace").splitlines() else f"there is no line '{verdict}'"


def curl_differs(result, ran, command):
    shown = Shown(uncat(ran.output) if command.endswith("| cat -v") else ran.output)
    rpc = CALL.search(command)
    answered = grpc_differs(result["received"], shown, rpc[1], schemas) if rpc else http_differs(result["received"], shown)
    broken = not re.match(r"HTTP \d|[A-Z_]+\b[^a-z]*(?:[:,]|\Z)", result["received"])
    if broken and b"curl: (" not in ran.errors and "no grpc-status" not in result["received"]:
        return f"curl ends well, but the report says {result['received'][:100]}"
    return answered


def differs(result, ran):
    """Returns how what the command showed differs from the report; empty if it does not."""
    if ran is None:
        return "it does not end"
    command = result["command"]
    return replay_differs(result, ran) if is_replay(command) else curl_differs(result, ran, command)


# --- All commands of a server ---


def kind_of(result):
    """Returns what commands have in common of which a sample needs one."""
    return (result["key"].split(".")[0], result["encoding"], result["id"].split("/")[1], is_replay(result["command"]),
            "--after" in result["command"], "cat -v" in result["command"], "/replay@" in result["id"])


def sample_of(results, most):
    """Returns results with different commands, in turn one of each kind."""
    kinds = collections.OrderedDict()
    for result in {result["command"]: result for result in reversed(results)}.values():
        kinds.setdefault(kind_of(result), []).append(result)
    turns = [one for turn in range(max(map(len, kinds.values()), default=0)) for one in (kind[turn:turn + 1] for kind in kinds.values())]
    chosen = [result for turn in turns for result in turn]
    sample = chosen if everything else chosen[:most]
    return sample if EVERYTHING else random.Random(COMMIT).sample(sample, -(-len(sample) // 3)), len(kinds)


def judge(folder, *flags):
    """Judges a server, one exchange after the other, so that none depends on what is sent beside it. Returns what does not pass."""
    report = f"{folder}/report.json"
    say("run", "--jobs", "1", "--timeout", str(PATIENCE), "--json", report, "--evidence", f"{folder}/evidence", *flags, timeout=600)
    results = read_json(report)["results"]
    unmet = [result for result in results if result["verdict"] in ("warn", "fail", "timeout")]
    without = [result["id"] for result in unmet if not result.get("command")]
    checks.that(not without, f"failures without a command: {without[:5]}")
    return [result for result in unmet if result.get("command")]


def check_form(result):
    """What can be said of a command without running it."""
    command = result["command"]
    limited = re.search(r" -m \d", command) or is_replay(command)
    checks.that(limited and "telnet" not in command, f"{result['id']}: it may never end: {command[:200]}")


def check_command(result, terminal=False):
    ran = (run_on_terminal if terminal else run_in_pipe)(result["command"])
    where = "on a terminal" if terminal else "in a pipe"
    if terminal:
        why = "it does not end" if ran is None else "" if harmless(ran.output) else f"it prints {ran.output[:300]}"
    else:
        why = differs(result, ran)
    checks.that(not why, f"{result['id']} ({result['verdict']}), {where}: {why[:600]}\n  $ {result['command'][:600]}\n  "
                f"received {result.get('received', '')[:200]}\n  because {result.get('why', '')[:200]}\n  {ran.errors[-200:] if ran else ''}")


def addresses(server):
    return ("--target", server.http, "--grpc", server.grpc, "--graphpipe", server.graphpipe, "--metrics", server.http)


def moved(command, server, other):
    """Returns the command for another server."""
    for mine, theirs in ((server.http, other.http), (server.grpc, other.grpc), (server.graphpipe, other.graphpipe)):
        command = command.replace(mine.removeprefix("http://"), theirs.removeprefix("http://"))
    return command


def check_server(wrong, right, pool, folder):
    """Judges a wrong server, and runs its commands, some of them against the right one too."""
    with reference_server(*MODELS, "--graphpipe", "127.0.0.1:0", "--model-control", "explicit", "--deviate", wrong.deviations) as server:
        found = [result for result in judge(folder, *addresses(server), *wrong.flags) if wrong.wanted in result["command"]]
        sample, kinds = sample_of(found, wrong.sample)
        checks.that(kinds >= wrong.kinds, f"{wrong.deviations[:60]}: {kinds} kinds of commands, {len(found)} failures")
        for result in found:
            check_form(result)
        for _ in (map if wrong.serially else pool.map)(check_command, sample):
            pass
        for result in sample[::12]:
            check_command(result, terminal=True)
        replays = [result for result in sample if is_replay(result["command"]) and "--state" not in result["command"]]
        curls = [result for result in sample if not is_replay(result["command"])]
        for result in replays[::8]:
            ran = run_in_pipe(moved(result["command"], server, right))
            checks.that(ran and ran.code == 0, f"{result['id']} does not hold for a right server: {ran.output[-300:] if ran else ''} {ran.errors if ran else ''}")
        again = curls[::4] if EVERYTHING else curls
        others = [result for result in again if not differs(result, run_in_pipe(moved(result["command"], server, right)))]
        alike = len(others), len(again)
    print(f"{len(found):5} failures, {kinds:3} kinds, {len(sample):4} commands run: {len(curls)} by curl, {len(sample) - len(curls)} by replay; "
          f"{alike[0]} of {alike[1]} answers of a right server look the same; {wrong.deviations[:50]}", flush=True)
    return alike


def check_own(what, answer, wanted, *flags):
    """Judges a server of our own, whose commands must have the text that is wanted."""
    server = Bare(answer)
    with tempfile.TemporaryDirectory() as folder:
        found = judge(folder, "--target", server.http, *flags)
        chosen = [result for result in found if wanted in result["command"]]
        checks.that(chosen, f"{what}: no command has {wanted}: {[result['command'] for result in found[:3]]}")
        sample, _ = sample_of(found, 12)
        for result in {result["id"]: result for result in [*sample, *chosen[:4]]}.values():
            check_form(result)
            check_command(result)
            check_command(result, terminal=True)
    print(f"{len(found):5} failures, {len(chosen)} commands with {wanted}: {what}", flush=True)


def check_exit_codes(right):
    """What replay says of IDs and targets that it cannot play."""
    case = "v2/infer/sum-and-difference"
    for words, code, says in (
            ((f"{case}@rest-flat", "--target", right.http), 0, f"PASS {case}@rest-flat#v2-rest.output-values"),
            ((f"{case}@rest-flat#v2-rest.id-echoed", "--target", right.http), 0, "what was judged holds"),
            ((f"{case}/input-missing/replay@rest-flat", "--target", right.http), 0, f"PASS {case}/input-missing/replay@rest-flat"),
            ((f"{case}/input-missing@rest-flat", "--target", right.http, "--after", f"{case}@rest-flat"), 0, "< HTTP 400"),
            ((f"{case}@rest-flat#v2-rest.data-count", "--target", right.http), 2, "it expects v2-rest.output-values"),
            (("v2/infer/sum-and-differense@rest-flat", "--target", right.http), 2, f"did you mean {case}?"),
            ((case, "--target", right.http), 2, f"{case}@rest-nested"),
            ((f"{case}@grpc-raw", "--target", right.http), 2, "gRPC was not asked for"),
            ((f"{case}@rest-flat", "--target", right.http, "--map", "simple=no_such"), 2, "model 'no_such' is not hosted"),
            (("v2/probe/valid@no_such@rest-flat", "--target", right.http), 2, "cannot be probed"),
            (("v2-rest/watch/json-is-json@http", "--target", right.http), 2, "sends nothing"),
            ((f"{case}/replay@rest-flat", "--target", right.http), 2, "is not a neighbour"),
            ((f"{case}@rest-flat", "--target", "http://127.0.0.1:1"), 3, "never answered"),
            ((f"{case}@rest-flat",), 2, "no server to judge")):
        checks.code(code, f"replay {words}", say("replay", *words, timeout=LIMIT), says)
    server = Bare(stands_still)
    checks.code(124, "--time-limit", say("replay", "v2-rest/metadata/server@http", "--target", server.http, "--time-limit", "1", timeout=LIMIT))


with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool, \
        reference_server(*MODELS, "--graphpipe", "127.0.0.1:0", "--model-control", "explicit") as right:
    alike = [check_server(wrong, right, pool, f"{folder}/{number}") for number, wrong in enumerate(SERVERS)]
    same, all_of_them = map(sum, zip(*alike))
    checks.that(all_of_them > 20 and same * 2 < all_of_them, f"{same} of {all_of_them} answers of a right server look like those of a wrong one")
    check_own("bodies are left unread", leaves_bodies_unread(right), "--after", *filters("v2-rest/infer/bool*", "v2-rest/infer/bytes*", "v2-rest/metadata/*"))
    check_own("an answer stands still", stands_still, " -m ", "--timeout", "2", "--jobs", "8",
              *filters("v2-rest/metadata/server*", "v2-rest/framing/close*", "v2-rest/framing/pieces*"))
    check_exit_codes(right)
checks.end()
