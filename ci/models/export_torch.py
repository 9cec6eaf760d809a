"""Writes the models of torch and torchvision with random weights: export_torch.py FOLDER [NAME...]

A model that is there already is left as it is. The batch is open in all of them."""
import math
import os
import sys

import torch
import torchvision
from torch import nn


def lively(model):
    """Gives every BatchNormalization statistics of its own: fresh ones would change nothing."""
    for module in model.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.running_mean.normal_(0, 0.1)
            module.running_var.uniform_(0.5, 1.5)
            module.weight.uniform_(0.5, 1.2)
            module.bias.normal_(0, 0.1)
    return model


class BertLayer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))
        self.wide, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.norm1, self.norm2 = nn.LayerNorm(width, 1e-12), nn.LayerNorm(width, 1e-12)

    def split(self, x):
        return x.view(x.size(0), x.size(1), self.heads, -1).permute(0, 2, 1, 3)

    def forward(self, x, mask):
        query, key, value = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        weights = torch.softmax(query @ key.transpose(-1, -2) / math.sqrt(query.size(-1)) + mask, -1)
        x = self.norm1(x + self.out((weights @ value).permute(0, 2, 1, 3).flatten(2)))
        return self.norm2(x + self.narrow(nn.functional.gelu(self.wide(x))))


class Bert(nn.Module):
    """The encoder of BERT-base, with a classifier of two classes."""

    def __init__(self, layers=12, width=768, heads=12, words=30522, longest=512):
        super().__init__()
        self.word, self.place, self.kind = nn.Embedding(words, width), nn.Embedding(longest, width), nn.Embedding(2, width)
        self.norm = nn.LayerNorm(width, 1e-12)
        self.layers = nn.ModuleList(BertLayer(width, heads) for _ in range(layers))
        self.pool, self.classify = nn.Linear(width, width), nn.Linear(width, 2)
        self.register_buffer("places", torch.arange(longest).unsqueeze(0))

    def forward(self, ids, mask, kinds):
        x = self.norm(self.word(ids) + self.kind(kinds) + self.place(self.places[:, :ids.size(1)]))
        mask = (1.0 - mask[:, None, None, :].to(x.dtype)) * -10000.0
        for layer in self.layers:
            x = layer(x, mask)
        return self.classify(torch.tanh(self.pool(x[:, 0])))


class Recurrent(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.recur, self.classify = kind(128, 256, 2, batch_first=True), nn.Linear(256, 10)

    def forward(self, x):
        return self.classify(self.recur(x)[0][:, -1])


def perceptron():
    return nn.Sequential(nn.Linear(64, 100), nn.ReLU(), nn.Linear(100, 100), nn.Tanh(), nn.Linear(100, 10), nn.Softmax(-1))


def image(size=224):
    return (torch.randn(1, 3, size, size),)


def words():
    return torch.randint(0, 30000, (1, 128)), torch.ones(1, 128, dtype=torch.long), torch.zeros(1, 128, dtype=torch.long)


TEXT = {name: {0: "batch", 1: "length"} for name in ("ids", "mask", "kinds")}
SERIES = {"in": {0: "batch", 1: "length"}}
zoo = torchvision.models
MODELS = {
    # name: (model, inputs for tracing, open dimensions of inputs, other arguments of the export)
    "resnet50": (zoo.resnet50, image, None, {}),
    "resnet50_bn": (zoo.resnet50, image, None, {"training": torch.onnx.TrainingMode.PRESERVE}),
    "vgg16": (zoo.vgg16, image, None, {}),
    "densenet121": (zoo.densenet121, image, None, {}),
    "inception3": (lambda: zoo.inception_v3(transform_input=True, init_weights=False), lambda: image(299), None, {}),
    "squeezenet11": (zoo.squeezenet1_1, image, None, {}),
    "mobilenet2": (zoo.mobilenet_v2, image, None, {}),
    "mlp": (perceptron, lambda: (torch.randn(1, 64),), None, {}),
    "bert13": (Bert, words, TEXT, {"opset_version": 13}),
    "bert17": (Bert, words, TEXT, {"opset_version": 17}),
    "lstm": (lambda: Recurrent(nn.LSTM), lambda: (torch.randn(1, 50, 128),), SERIES, {}),
    "gru": (lambda: Recurrent(nn.GRU), lambda: (torch.randn(1, 50, 128),), SERIES, {}),
}


def export(folder, name):
    path = f"{folder}/{name}.onnx"
    if os.path.exists(path):
        return
    make, inputs, dimensions, others = MODELS[name]
    torch.manual_seed(7)
    dimensions = dimensions or {"in": {0: "batch"}}
    torch.onnx.export(lively(make()).eval(), inputs(), path + ".new", input_names=list(dimensions), output_names=["out"],
                      dynamic_axes={**dimensions, "out": {0: "batch"}}, **{"opset_version": 13, **others})
    os.rename(path + ".new", path)
    print(f"{path}: {os.path.getsize(path) / 1e6:.1f} MB", flush=True)


with torch.no_grad():
    for wanted in sys.argv[2:] or MODELS:
        export(sys.argv[1], wanted)
