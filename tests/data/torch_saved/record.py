"""Record what PyTorch keeps for the backward pass of ResNet-18, storage by storage.

Run by hand with torch installed (2.13.0, CPU; it is no dependency of the project):

    python tests/data/torch_saved/record.py tests/data/torch_saved/resnet18.json

One training step forward: batch 1, 3x224x224, cross-entropy, train mode. ResNet-18 is written here
from torch's own layers as torchvision has it, in-place ReLU and in-place addition included; layers
bear the names of solver.zoo.resnet. Saved tensors are grouped by the storage that they live in;
parameters and buffers (running statistics) are left out.
"""

import json
import sys
from pathlib import Path

import torch
from torch import nn
from torch.autograd.graph import saved_tensors_hooks


class BasicBlock(nn.Module):
    def __init__(self, fan_in: int, width: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(fan_in, width, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.relu1 = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(width, width, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.relu2 = nn.ReLU(inplace=True)
        self.downsample = None
        if stride != 1 or fan_in != width:
            self.downsample = nn.Sequential()
            self.downsample.add_module("conv", nn.Conv2d(fan_in, width, 1, stride, bias=False))
            self.downsample.add_module("bn", nn.BatchNorm2d(width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.bn2(self.conv2(self.relu1(self.bn1(self.conv1(x)))))
        y += x if self.downsample is None else self.downsample(x)
        return self.relu2(y)


class ResNet18(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 64, 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        self.relu1 = nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(3, 2, 1)
        fan_in = 64
        for stage, width in enumerate((64, 128, 256, 512), 1):
            first = BasicBlock(fan_in, width, 1 if stage == 1 else 2)
            setattr(self, f"layer{stage}", nn.Sequential(first, BasicBlock(width, width, 1)))
            fan_in = width
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(512, 1000)
        self.loss = nn.CrossEntropyLoss()

    def forward(self, image: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        x = self.maxpool(self.relu1(self.bn1(self.conv1(image))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.loss(self.fc(torch.flatten(self.avgpool(x), 1)), labels)


class Recorder:
    """Storages in the order in which they are first saved, each with the layers that save it."""

    def __init__(self, model: nn.Module) -> None:
        self.layer = ""
        self.kept = []  # keeps every storage alive, so that no address is used twice
        self.storages = {}
        owned = [*model.parameters(), *model.buffers()]
        self.owned = {tensor.untyped_storage().data_ptr() for tensor in owned}
        for name, module in model.named_modules():
            if not list(module.children()):
                module.register_forward_pre_hook(self.enter(name))

    def enter(self, name: str):
        def hook(module: nn.Module, inputs: tuple) -> None:
            self.layer = name

        return hook

    def pack(self, tensor: torch.Tensor) -> torch.Tensor:
        storage = tensor.untyped_storage()
        self.kept.append(tensor)
        if storage.data_ptr() not in self.owned and storage.nbytes() > 0:
            entry = self.storages.setdefault(
                storage.data_ptr(), {"bytes": storage.nbytes(), "saved": []}
            )
            dtype = str(tensor.dtype).removeprefix("torch.")
            saved = {"layer": self.layer, "shape": list(tensor.shape), "dtype": dtype}
            if saved not in entry["saved"]:
                entry["saved"].append(saved)
        return tensor


def main(path: str) -> None:
    torch.manual_seed(0)
    model = ResNet18().train()
    recorder = Recorder(model)
    with saved_tensors_hooks(recorder.pack, lambda tensor: tensor):
        loss = model(torch.rand(1, 3, 224, 224), torch.tensor([7]))
    loss.backward()  # what was saved is enough
    record = {
        "network": "resnet18",
        "torch": torch.__version__,
        "batch": 1,
        "parameters": sum(tensor.numel() for tensor in model.parameters()),
        "storages": list(recorder.storages.values()),
    }
    lines = json.dumps(record, indent=1)
    Path(path).write_text(lines + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
