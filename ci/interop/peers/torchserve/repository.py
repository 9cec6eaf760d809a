"""Writes the configuration and the archives of the models, as folders: repository.py HTTP_PORT GRPC_PORT METRICS_PORT MANAGEMENT_PORT"""
import json
import os
import shutil
import sys

from arithmetic import MODELS

HERE = os.path.dirname(os.path.abspath(__file__))
CONFIGURATION = """\
inference_address=http://127.0.0.1:{http}
management_address=http://127.0.0.1:{management}
metrics_address=http://127.0.0.1:{metrics}
metrics_mode=prometheus
grpc_inference_port={grpc}
grpc_management_port=0
ts_open_inference_protocol=true
disable_token_authorization=true
disable_system_metrics=true
default_workers_per_model=1
model_store={folder}/store
load_models=all
"""


def main():
    http, grpc, metrics, management = sys.argv[1:]
    with open("config.properties", "w", encoding="utf-8") as file:
        file.write(CONFIGURATION.format(http=http, grpc=grpc, metrics=metrics, management=management, folder=os.getcwd()))
    for name in MODELS:
        folder = os.path.join("store", name)
        os.makedirs(os.path.join(folder, "MAR-INF"))
        shutil.copy(os.path.join(HERE, "arithmetic.py"), folder)
        with open(os.path.join(folder, "MAR-INF", "MANIFEST.json"), "w", encoding="utf-8") as file:
            json.dump({"runtime": "python", "model": {"modelName": name, "modelVersion": "1", "handler": "arithmetic.py"}}, file)


main()
