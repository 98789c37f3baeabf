"""A witness from outside: what PyTorch keeps of ResNet-18 for backward, storage by storage.

tests/data/torch_saved/resnet18.json was recorded by record.py beside it (torch 2.13.0, batch 1,
3x224x224, cross-entropy, train mode; parameters and running statistics left out). There a storage
is named by the layers whose backward needs it; here a kept tensor is named likewise.

Where the two differ, and why:

* Pool indices: torch's are int64, ours 4 B each as the contract says. The window's positions need
  no more; half of torch's bytes.
* The max-pool of torch also saves its input, only to know its shape. It is the output of the
  rectifier before it, the same storage, so it costs nothing more; ours is named by the rectifier.
* Cross-entropy: torch saves log-probabilities (4,000 B), we save probabilities (4,000 B). torch
  also saves the sum of class weights, one float of 4 B that a loss without class weights does not
  need; we have no such tensor.
* torchvision's rectifiers and additions work in place: the storage that held the output of the
  norm holds that of the rectifier when it is saved. We model no in-place operation, but the norm
  keeps its input and the rectifier its output either way, so the kept bytes are the same.
* The norm before a rectifier, the addition, the mean and the flattening save no tensor in either.
"""

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from solver.graph import Role, TrainingGraph
from solver.training import expand
from solver.zoo.resnet import resnet18

RECORD = Path(__file__).parent.parent / "data" / "torch_saved" / "resnet18.json"

Storages = Counter[tuple[frozenset[str], int]]
"""Layers that need a storage, and its bytes -> how many such storages there are."""


@pytest.fixture(scope="module")
def graph() -> TrainingGraph:
    return expand(resnet18(1))


def torch_storages() -> Storages:
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    return Counter(
        (frozenset(saved["layer"] for saved in storage["saved"]), storage["bytes"])
        for storage in record["storages"]
    )


def our_storages(graph: TrainingGraph) -> Storages:
    found: Storages = Counter()
    for tensor, producer, readers in zip(graph.tensors, graph.producer, graph.readers, strict=True):
        needing = [graph.ops[k].name for k in readers if k >= graph.first_backward]
        if producer < graph.first_backward and needing:
            layers = frozenset(re.sub(r"\.[a-z]+_gradient(\.\d+)?$", "", op) for op in needing)
            found[layers, tensor.bytes] += 1
    return found


def only(layer: str, size: int) -> tuple[frozenset[str], int]:
    return frozenset({layer}), size


def test_that_kept_tensors_agree_with_torch_but_for_the_differences_explained_above(
    graph: TrainingGraph,
) -> None:
    ours, theirs = our_storages(graph), torch_storages()
    relu1_bytes = 64 * 112 * 112 * 4
    assert theirs - ours == Counter(
        {
            only("maxpool", 64 * 56 * 56 * 8): 1,  # int64 indices
            (frozenset({"relu1", "maxpool"}), relu1_bytes): 1,  # named by the pool too
            only("loss", 4): 1,  # the sum of class weights
        }
    )
    assert ours - theirs == Counter(
        {
            only("maxpool", 64 * 56 * 56 * 4): 1,
            only("relu1", relu1_bytes): 1,
        }
    )


def test_that_the_bytes_kept_differ_by_the_indices_and_one_float(graph: TrainingGraph) -> None:
    ours = sum(size * count for (_, size), count in our_storages(graph).items())
    theirs = sum(size * count for (_, size), count in torch_storages().items())
    assert theirs - ours == 64 * 56 * 56 * 4 + 4


def test_that_all_but_three_of_torchs_storages_are_ours_too(graph: TrainingGraph) -> None:
    ours, theirs = our_storages(graph), torch_storages()
    # torch: image 1, norms 20 * 3 (input, mean, inverse deviation), rectifiers 17, pooled 1,
    # indices 1, mean over the map 1, loss 3 (log-probabilities, labels, class weights) = 84.
    # Ours has two for the loss; indices and the rectifier before the pool differ as said above.
    assert (theirs.total(), ours.total(), (ours & theirs).total()) == (84, 83, 81)


def test_that_the_statistics_are_those_of_the_twenty_norms(graph: TrainingGraph) -> None:
    statistics = [tensor for tensor in graph.tensors if tensor.role is Role.STATISTICS]
    # channels: the stem's 64; per stage two per block, one more where a block projects its input
    channels = 64 + 4 * 64 + 5 * (128 + 256 + 512)
    assert len(statistics) == 2 * 20
    assert sum(tensor.bytes for tensor in statistics) == 2 * channels * 4
