#!/usr/bin/python3
"""An image of ci/image is a right OCI layout, has nothing but what it needs, and is the same each time. Argument: BUILD."""
import gzip
import hashlib
import io
import json
import os
import shutil
import subprocess
import tarfile
import tempfile

from judge_process import build, checks


def read_layout(path):
    """Returns the layout and index, and all blobs; each is held against its name."""
    with tarfile.open(path) as archive:
        files = {member.name: archive.extractfile(member).read() for member in archive if member.isfile()}
    blobs = {name.rpartition("/")[2]: data for name, data in files.items() if name.startswith("blobs/")}
    checks.that(all(hashlib.sha256(data).hexdigest() == digest for digest, data in blobs.items()), "each blob has the digest that is its name")
    return json.loads(files["oci-layout"]), json.loads(files["index.json"]), blobs


def follow(descriptor, blobs):
    """Returns the blob of a descriptor, whose size is checked."""
    blob = blobs.pop(descriptor["digest"].removeprefix("sha256:"))
    checks.that(len(blob) == descriptor["size"], f"the size of {descriptor['mediaType']}")
    return blob


with tempfile.TemporaryDirectory() as folder:
    checks.that(subprocess.run(["ci/image", folder], capture_output=True, check=False).returncode == 1, "without a program there is no image")
    for machine in ("x86_64", "aarch64"):
        shutil.copy(f"{build}/oip-conformance", f"{folder}/oip-conformance-linux-{machine}")
    archives = []
    for _ in range(2):
        subprocess.run(["ci/image", folder], check=True)
        with open(f"{folder}/oip-conformance.oci.tar", "rb") as file:
            archives.append(file.read())
    checks.that(archives[0] == archives[1], "the same inputs give the same bytes")
    layout, index, blobs = read_layout(f"{folder}/oip-conformance.oci.tar")
    checks.that(layout == {"imageLayoutVersion": "1.0.0"} and len(index["manifests"]) == 1, "one image is named")
    image = json.loads(follow(index["manifests"][0], blobs))
    checks.that([one["platform"]["architecture"] for one in image["manifests"]] == ["amd64", "arm64"], "it is there for two architectures")
    for one in image["manifests"]:
        manifest = json.loads(follow(one, blobs))
        config, layer = json.loads(follow(manifest["config"], blobs)), gzip.decompress(follow(manifest["layers"][0], {**blobs}))
        checks.that(config["rootfs"]["diff_ids"] == ["sha256:" + hashlib.sha256(layer).hexdigest()], "the configuration names the layer")
        checks.that(config["config"]["User"].split(":")[0] not in ("", "0", "root"), "the user is not root")
        with tarfile.open(fileobj=io.BytesIO(layer)) as root:
            there = {member.name: member.mode & 0o777 for member in root if member.isfile()}
        checks.that(there == {"oip-conformance": 0o755, "etc/ssl/certs/ca-certificates.crt": 0o644}, f"there is nothing else: {there}")
        checks.that(config["config"]["Entrypoint"] == ["/oip-conformance"] and os.path.isabs(config["config"]["WorkingDir"]), "the program is what it runs")

checks.end()
