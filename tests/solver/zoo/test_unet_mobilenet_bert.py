"""U-Net, MobileNetV2 and BERT as layers: published sizes, and what makes them hard."""

from collections import Counter
from collections.abc import Callable

import pytest

from solver.graph import TrainingGraph
from solver.network import Network
from solver.training import expand
from solver.zoo.encoder import bert, bert_128, transformer
from solver.zoo.mobilenet import mobilenet_v2
from solver.zoo.unet import unet

Maker = Callable[[int], Network]


def kinds(graph: TrainingGraph) -> Counter[str]:
    return Counter(op.kind for op in graph.ops)


@pytest.mark.parametrize(
    ("make", "parameters"),
    [
        # 17,262,977 are published for one class: one more 64-channel point and its bias
        (unet, 17_262_977 + 65),
        (mobilenet_v2, 3_504_872),
        # BERT-base with pooler 109,482,240, and 768 x 2 + 2 of the classifier
        (bert, 109_482_240 + 1_538),
        (bert_128, 109_482_240 + 1_538),
        # one block: four projections 768 x 768, 768 x 3072 and back, their biases, two norms
        (transformer, 4 * 768 * 769 + 768 * 3072 * 2 + 3072 + 768 + 4 * 768),
    ],
)
def test_that_a_network_has_the_published_number_of_parameters(
    make: Maker, parameters: int
) -> None:
    assert expand(make(1)).trainable_bytes == 4 * parameters


def test_that_mobilenet_has_the_published_number_of_multiply_adds() -> None:
    assert expand(mobilenet_v2(1)).forward_macs == 300_774_272


def test_that_an_encoder_block_has_the_multiply_adds_of_its_products() -> None:
    # 128 words: four projections 768 x 768, two of 768 x 3072, scores and mix 128 x 768 each
    block = 128 * (4 * 768 * 768 + 2 * 768 * 3072 + 2 * 128 * 768)
    head = 768 * 768 + 768 * 2
    assert expand(bert_128(1)).forward_macs == 12 * block + head


@pytest.mark.parametrize("make", [bert, transformer])
def test_that_an_encoder_drops_as_often_as_its_paper_says(make: Maker) -> None:
    network = make(1)
    dropped = [layer for layer in network.layers if layer.op_type == "Dropout"]
    assert {layer.attributes["ratio"] for layer in dropped} == {0.1}
    # three in a block: attention weights, attention, feed-forward; embeddings and pooler
    assert len(dropped) == (12 * 3 + 2 if make is bert else 3)
    shapes = {network.values[layer.outputs[0]].shape for layer in dropped}
    assert {(1, 12, 512, 512), (512, 768)} <= shapes


def test_that_an_encoder_block_alone_keeps_its_masks() -> None:
    graph = expand(transformer(1))
    # 512 words: masks of 12 x 512 x 512 weights and twice 512 x 768 values, 1 B each; two norms
    # with two float32 per word
    assert graph.saved_extra_bytes == 12 * 512**2 + 2 * 512 * 768 + 2 * 2 * 512 * 4
    assert graph.settings.loss == "softmax-ce"


def test_that_an_exported_encoder_has_no_dropout() -> None:
    assert all(layer.op_type != "Dropout" for layer in bert_128(1).layers)


def test_that_every_level_of_the_unet_reads_its_own_values_again() -> None:
    network = unet(1)
    joins = {layer.name: layer.inputs[0] for layer in network.layers if layer.op_type == "Concat"}
    assert joins == {f"concat{k}": f"down{k}.relu2" for k in (1, 2, 3, 4)}
    assert network.values["bottom.relu2"].shape == (1, 512, 16, 16)
    assert network.values[network.outputs[0]].shape == (1, 2, 256, 256)


def test_that_mobilenet_has_ten_skips_and_as_many_sums_of_gradients() -> None:
    found = kinds(expand(mobilenet_v2(1)))
    assert (found["Conv"], found["Clip"], found["Add"], found["add_gradient"]) == (52, 35, 10, 10)


def test_that_the_gradient_of_a_blocks_input_is_a_sum_of_four() -> None:
    found = kinds(expand(bert_128(1)))
    # query, key, value and the skip: three sums; feed-forward and its skip: one; twelve blocks
    assert found["add_gradient"] == 12 * (3 + 1)
    assert (found["MatMul"], found["Softmax"], found["Gelu"]) == (24, 12, 12)


def test_that_numbers_of_words_get_no_gradient() -> None:
    graph = expand(bert_128(1))
    made = {target for op in graph.ops for target in op.gradient_of}
    assert made.isdisjoint({"input_ids", "token_type_ids", "position_ids"})
    assert "embeddings.input_ids.weight" in made
