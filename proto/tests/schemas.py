"""Shared by scripts: has modules made of the published schemas, which share nothing with our own readers and writers."""
import contextlib
import importlib
import os
import subprocess
import sys
import tempfile


@contextlib.contextmanager
def folder_of_modules():
    with tempfile.TemporaryDirectory() as folder:
        sys.path.insert(0, folder)
        yield folder
        sys.path.remove(folder)


def schema(name):
    """Returns the module that protoc makes of a published schema."""
    with folder_of_modules() as folder:
        subprocess.run(["protoc", "-Iproto/schema", f"--python_out={folder}", f"{name}.proto", "model_config.proto"], check=True)
        return importlib.import_module(f"{name}_pb2")


def graphpipe_schema():
    """Returns the modules that flatc makes for the messages of GraphPipe, by their names."""
    with folder_of_modules() as folder:
        subprocess.run(["flatc", "--python", "--gen-object-api", "-o", folder, "proto/schema/graphpipe.fbs"], check=True)
        names = [name[:-3] for name in os.listdir(f"{folder}/graphpipe") if name != "__init__.py"]
        return {name: importlib.import_module(f"graphpipe.{name}") for name in names}
