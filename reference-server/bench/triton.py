"""Triton for `run`: the program tritonserver of nvidia-pytriton, which ci/interop/install installs into BUILD/interop.

pytriton's Triton has a backend for Python and no other. So the small model enables Triton's response cache, which answers a request
that it has answered before: what is measured is Triton's network, decoding, encoding and cache, and no Python. For the large tensors
the cache would take longer than the model, because it hashes its inputs: there Python hands the input back, and its processor time counts,
too."""
import glob
import os
import socket
import subprocess
import time
import urllib.error
import urllib.request

STARTS_WITHIN = 60  # seconds; reached only if it hangs
MODELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "triton_models")
CACHE = 256 << 20


def find(build):
    """Returns the folder of tritonserver, or None if it is not installed."""
    folders = glob.glob(os.path.join(os.path.abspath(build), "interop/triton/lib/python3*/site-packages/pytriton/tritonserver"))
    return folders[0] if folders else None


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def lay_out_backend(tritonserver, folder):
    """Puts the stub of the installed Python beside the backend, as pytriton does. Returns the folder of backends."""
    python = os.path.join(folder, "backends", "python")
    os.makedirs(python)
    version = tritonserver.split("/lib/python")[1].split("/")[0]
    for file in glob.glob(f"{tritonserver}/backends/python/*") + glob.glob(f"{tritonserver}/python_backend_stubs/{version}/*"):
        os.symlink(file, os.path.join(python, os.path.basename(file)))
    return os.path.dirname(python)


def is_ready(http):
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(f"http://127.0.0.1:{http}/v2/health/ready", timeout=5):
            return True
    except (OSError, urllib.error.HTTPError):
        return False


def start(tritonserver, folder):
    """Returns the process and its ports, when it is ready. `folder` must stay as long as it runs; its output goes there."""
    http, grpc = free_ports(2)
    virtual = tritonserver.split("/lib/python")[0]  # whose python3 the backend looks for in PATH
    environment = dict(os.environ, VIRTUAL_ENV=virtual, PATH=f"{virtual}/bin:{os.environ['PATH']}", PYTHONDONTWRITEBYTECODE="1")
    command = [f"{tritonserver}/bin/tritonserver", f"--model-repository={MODELS}", "--disable-auto-complete-config",
               f"--backend-directory={lay_out_backend(tritonserver, folder)}", f"--cache-directory={tritonserver}/caches",
               f"--cache-config=local,size={CACHE}", "--allow-metrics=false",
               "--http-address=127.0.0.1", f"--http-port={http}", "--grpc-address=127.0.0.1", f"--grpc-port={grpc}"]
    with open(os.path.join(folder, "triton.log"), "wb") as log:
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=subprocess.STDOUT)
    until = time.monotonic() + STARTS_WITHIN
    while not is_ready(http):
        if process.poll() is not None or time.monotonic() > until:
            process.kill()
            with open(log.name, encoding="utf-8", errors="replace") as text:
                raise RuntimeError(f"Triton did not start:\n{text.read()[-4000:]}")
        time.sleep(0.1)
    return process, {"http": f"127.0.0.1:{http}", "grpc": f"127.0.0.1:{grpc}"}
