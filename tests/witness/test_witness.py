"""Ours against PyTorch's own forward and backward graph, network by network.

record.py says how PyTorch's graphs were recorded. Both sides see the same networks: ours is the
import of PyTorch's own ONNX export of them, in training, batch and sizes fixed.
"""

from collections import Counter
from pathlib import Path

import pytest

from solver.graph import Phase
from tests.witness.comparison import BEGIN, END, NETWORKS, Compared, compared, table
from tests.witness.ours import flop_by_kind, kept, products, training_graph
from tests.witness.theirs import Recorded, RecordedOp, recorded

TOLERANCE = 0.02
README = Path(__file__).parents[2] / "README.md"
CELLS = 16 * 4 * 64
"""Hidden units of the LSTM and of the GRU, all steps and sequences."""
STEP = 4 * 64 * 4
"""Bytes of one number for each hidden unit of a step, 1,024."""
FIRST_STEP = {"lstm": 2 * 4 * 64 * (4 * 64), "gru": 2 * 3 * 64 * (4 * 64)}
"""FLOP of the way back to the initial state, by network."""

EXPLAINED = {
    ("resnet18", "kept_bytes"),
    ("resnet18", "plain_peak_bytes"),
    ("mobilenet", "backward_flop"),
    ("mobilenet", "kept_bytes"),
    ("mobilenet", "plain_peak_bytes"),
    ("unet", "plain_peak_bytes"),
    ("encoder", "plain_peak_bytes"),
    ("lstm", "forward_flop"),
    ("lstm", "backward_flop"),
    ("lstm", "kept_bytes"),
    ("gru", "forward_flop"),
    ("gru", "backward_flop"),
    ("gru", "kept_bytes"),
    ("gru", "plain_peak_bytes"),
}
"""What differs by more than 2 %; each has a test of its own below."""


@pytest.mark.parametrize("figure", Compared._fields)
@pytest.mark.parametrize("network", NETWORKS)
def test_that_figures_agree_within_two_percent_or_are_explained(network: str, figure: str) -> None:
    pair = getattr(compared(network), figure)
    assert (abs(pair.difference) > TOLERANCE) == ((network, figure) in EXPLAINED)


@pytest.mark.parametrize("network", NETWORKS)
def test_that_forward_products_agree_to_the_flop(network: str) -> None:
    ours = products(training_graph(network), Phase.FORWARD)
    assert ours == recorded(network).products("forward")


@pytest.mark.parametrize("network", NETWORKS)
def test_that_backward_products_agree_to_the_flop(network: str) -> None:
    """But for the way back to a recurrent layer's initial state: PyTorch leaves it out, as zeros
    need none."""
    ours = products(training_graph(network), Phase.BACKWARD)
    assert ours - FIRST_STEP.get(network, 0) == recorded(network).products("backward")


def sizes_kept(network: str) -> tuple[Counter[int], Counter[int]]:
    """Sizes of what only we keep, and of what only PyTorch keeps, bytes -> how many."""
    ours: Counter[int] = Counter()
    theirs: Counter[int] = Counter()
    for found, counted in (
        (ours, kept(training_graph(network))),
        (theirs, recorded(network).kept_by_maker()),
    ):
        for (_, size), count in counted.items():
            found[size] += count
    return ours - theirs, theirs - ours


def moments(record: Recorded) -> list[tuple[RecordedOp, int]]:
    """Ops with the bytes that are held while each runs."""
    return list(zip(record.ops, record.resident_bytes, strict=True))


def at_fullest(record: Recorded, kinds: set[str]) -> int:
    """The most bytes that are held while an op of these kinds runs."""
    return max(size for op, size in moments(record) if op.kind in kinds)


def test_that_a_residual_network_keeps_the_same_tensors_but_wider_indices() -> None:
    """PyTorch's pool indices are int64, ours 4 B each as the contract says: a window's position
    needs no more. PyTorch keeps the sum of class weights besides, one float for the loss."""
    pooled = 64 * 56 * 56
    assert sizes_kept("resnet18") == ({pooled * 4: 1}, {pooled * 8: 1, 4: 1})


def test_that_a_residual_networks_peak_differs_by_the_width_of_indices() -> None:
    pair = compared("resnet18").plain_peak_bytes
    assert pair.theirs - pair.ours == 64 * 56 * 56 * (8 - 4)


RELU6 = {4718592: 1, 1769472: 2, 1179648: 1}
"""Outputs of the norms before a mobile network's four rectifiers that stop at 6, bytes -> count."""


def test_that_a_mobile_network_goes_through_its_norms_three_times() -> None:
    """PyTorch makes the gradients of a norm's input, scale and bias in one op; the contract has an
    op for each, so the scale's makes again 4 operations per element of that sum, the bias's 1.
    Where convolutions are cheap, this shows."""
    graph, pair = training_graph("mobilenet"), compared("mobilenet").backward_flop
    elements = sum(op.flop for op in graph.ops if op.kind == "stats") // 4
    again = flop_by_kind(graph, Phase.BACKWARD)["apply.weight_gradient"]
    assert again == (4 + 1) * elements
    assert pair.ours - again == pytest.approx(pair.theirs, rel=TOLERANCE)


def test_that_a_mobile_network_keeps_the_same_tensors_but_inputs_of_relu6() -> None:
    """PyTorch looks at the input of hardtanh; the output, which the next convolution keeps anyway,
    says as well where a gradient passes. PyTorch keeps the sum of class weights besides."""
    assert sizes_kept("mobilenet") == ({}, RELU6 | {4: 1})


def test_that_a_mobile_networks_peak_differs_by_the_inputs_of_relu6() -> None:
    """Both are fullest at the last block's norm; PyTorch a little more so right after it, where one
    op makes both gradients of a convolution and so holds the input's beside the input."""
    record, pair = recorded("mobilenet"), compared("mobilenet").plain_peak_bytes
    unused = sum(size * count for size, count in RELU6.items())
    assert at_fullest(record, {"aten.native_batch_norm_backward"}) == pair.ours + unused
    fullest = {op.kind for op, size in moments(record) if size == pair.theirs}
    assert fullest == {"aten.convolution_backward"}
    assert pair.theirs == pytest.approx(pair.ours + unused, rel=0.001)


# Where two or four neighbours lie and how much each counts: int64 and float32 per row and column.
INTERPOLATION = {512: 4, 256: 2}


def test_that_a_unet_keeps_the_same_tensors_but_indices_and_weights() -> None:
    """PyTorch's pool indices are int64, ours 4 B; its interpolation is traced as look-ups with
    weights, which are kept; ours is one op that knows both from the sizes."""
    # 2 x 16 x 32 x 32 and 2 x 32 x 16 x 16 indices: 131,072 and 65,536 B here, 262,144 and
    # 131,072 B there, so that one size is in both
    assert sizes_kept("unet") == ({65536: 1}, {262144: 1, 4: 1} | INTERPOLATION)


def test_that_a_unets_peak_is_in_the_traced_interpolation() -> None:
    """There PyTorch's graph holds the values of all neighbours at once, where a kernel adds them as
    it goes. Outside, both are fullest at the last rectifier, apart only by what is kept."""
    record, figures = recorded("unet"), compared("unet")
    steps = {f"aten.{name}" for name in ("add.Tensor", "sub.Tensor", "mul.Tensor", "neg")}
    steps |= {"aten._unsafe_index_put", "aten._unsafe_index.Tensor", "aten.new_zeros"}
    fullest = {op.kind for op, size in moments(record) if size == figures.plain_peak_bytes.theirs}
    assert fullest <= steps
    elsewhere = {op.kind for op in record.ops} - steps
    kept_more = figures.kept_bytes.theirs - figures.kept_bytes.ours - 4  # class weights are gone
    assert at_fullest(record, elsewhere) == figures.plain_peak_bytes.ours + kept_more


def test_that_an_encoder_keeps_the_same_tensors() -> None:
    """PyTorch keeps the sum of class weights besides, one float for the mean of the loss."""
    assert sizes_kept("encoder") == ({}, {4: 1})


def test_that_an_encoders_peak_differs_by_a_loss_in_two_steps() -> None:
    """PyTorch goes back through cross-entropy in two ops with a tensor between them, as large as
    the scores; ours is one op, p - t. PyTorch's labels and class weights are gone by then."""
    pair = compared("encoder").plain_peak_bytes
    # ours holds its scalar loss, 4 B, until then
    assert pair.theirs - pair.ours == 128 * 1000 * 4 - 128 * 8 - 4


def test_that_an_unrolled_lstm_keeps_states_twice_and_the_tanh_of_cells() -> None:
    """A step of 4 x 64 floats is 1024 B. Both keep gates and cells. PyTorch needs the last cell's
    tanh only, keeps the tanh of all 16 (ours makes it again), the states of 15 steps a second time
    beside their stack, two initial states of zeros, and the sum of class weights."""
    pair = compared("lstm").kept_bytes
    assert pair.theirs - pair.ours == 1024 * (-1 + 16 + 15 + 2) + 4


def test_that_an_lstms_forward_pass_lacks_the_arithmetic_of_its_gates_alone() -> None:
    """We count an LSTM's products only, as of every layer with weights; per hidden unit and step
    PyTorch's gates take some 18 operations more, with the usual activations."""
    pair = compared("lstm").forward_flop
    gates = 18 * CELLS
    assert pair.ours == pytest.approx(pair.theirs - gates, rel=TOLERANCE)


def test_that_an_unrolled_lstm_adds_up_weight_gradients_step_by_step() -> None:
    """One op makes our recurrent weight's gradient, a product over all steps with its sum in it;
    PyTorch makes one for each of 16 steps and adds 15 times: the weight's and a bias's."""
    pair, record = compared("lstm").backward_flop, recorded("lstm")
    sums = 15 * (4 * 64 * 64 + 4 * 64)
    added = sum(
        op.arithmetic
        for op in record.ops
        if op.kind == "aten.add.Tensor" and record.weight_gradients.intersection(op.makes)
    )
    assert added == sums
    gates = 24 * CELLS  # their arithmetic on the way back, see the forward pass
    assert pair.ours == pytest.approx(pair.theirs - sums - gates, rel=TOLERANCE)


def test_that_an_unrolled_gru_keeps_what_can_be_made_again() -> None:
    """Both keep three gates and the candidate's product of each step. PyTorch cuts the products of
    all three gates out of one tensor, of which the other two thirds stay with it; keeps h - n
    beside h and n; and the states of 15 steps a second time beside their stack, the zeros before
    them and the sum of class weights."""
    pair = compared("gru").kept_bytes
    assert pair.theirs - pair.ours == STEP * (16 * 2 + 16 + 15 + 1) + 4


def test_that_an_unrolled_grus_peak_is_in_its_last_step() -> None:
    """PyTorch holds the input's products of all 16 steps there, which our op makes as it goes. Ours
    is fullest on the way back, with gates, products, states and two gradients."""
    record, pair = recorded("gru"), compared("gru").plain_peak_bytes
    given = 16 * 4 * 8 + 16 * 4 * 32 * 4  # tokens, and their rows of the table
    # sums of gates' products 48, gates of 16 steps 32, h 16, n and h - n of 15 steps, zeros, r * hn
    held = 48 + 32 + 16 + 15 + 15 + 1 + 1
    assert pair.theirs == given + STEP * held + STEP * 3 * 16
    # gates 48, candidate's products 16, states 16; their gradient 16, and that of the sums 48
    assert pair.ours == given + STEP * (48 + 16 + 16 + 16 + 48)
    assert {op.phase for op, size in moments(record) if size == pair.theirs} == {"forward"}


def test_that_a_grus_forward_pass_lacks_the_arithmetic_of_its_gates_alone() -> None:
    """Per hidden unit and step PyTorch's gates take 18 operations more: two sigmoids of 4, a tanh,
    4 additions, 2 products, a difference, and 2 to stack the states."""
    pair = compared("gru").forward_flop
    assert pair.ours == pytest.approx(pair.theirs - 18 * CELLS, rel=TOLERANCE)


def test_that_an_unrolled_gru_adds_up_weight_gradients_step_by_step() -> None:
    """As the LSTM: 15 times the weight's and a bias's; and some 35 operations per hidden unit and
    step for its gates on the way back."""
    pair, record = compared("gru").backward_flop, recorded("gru")
    sums = 15 * (3 * 64 * 64 + 3 * 64)
    added = sum(
        op.arithmetic
        for op in record.ops
        if op.kind == "aten.add.Tensor" and record.weight_gradients.intersection(op.makes)
    )
    assert added == sums
    theirs = pair.theirs - sums - 35 * CELLS + FIRST_STEP["gru"]
    assert pair.ours == pytest.approx(theirs, rel=TOLERANCE)


def test_that_the_readme_shows_the_table() -> None:
    """After a change: what `python -m tests.witness.comparison` prints goes between the marks."""
    text = README.read_text(encoding="utf-8")
    assert BEGIN + text.split(BEGIN)[1].split(END)[0] + END == table()
