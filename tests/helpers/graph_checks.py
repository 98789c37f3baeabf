"""An oracle for training graphs: is anything missing that the chain rule asks for?

It knows forward ops, what each backward op says it makes (`gradient_of`) and what it reads, and
nothing of how the graph was made. A graph from which one gradient op is missing makes every
schedule cheaper, so each one must be missed here.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace

from solver.graph import Op, Phase, Role, TrainingGraph


def faults_of(graph: TrainingGraph) -> list[str]:
    """Sentences, empty when the graph is whole."""
    return [
        *_structure(graph),
        *_gradients_per_reader(graph),
        *_gradients_per_trainable(graph),
        *_sums(graph),
        *_chain(graph),
        *_sources(graph),
    ]


def without_op(graph: TrainingGraph, position: int) -> TrainingGraph:
    """The graph less one op, its tensors and every mention of them: well-formed, but poorer."""
    gone = graph.ops[position]
    lost = set(gone.outputs)
    ops = [
        replace(op, inputs=tuple(name for name in op.inputs if name not in lost))
        if lost.intersection(op.inputs)
        else op
        for k, op in enumerate(graph.ops)
        if k != position
    ]
    tensors = tuple(tensor for tensor in graph.tensors if tensor.name not in lost)
    return replace(graph, ops=tuple(ops), tensors=tensors)


def bypassing(graph: TrainingGraph, position: int) -> TrainingGraph:
    """The graph less one op; what read its tensor reads the op's first input in its place."""
    gone = graph.ops[position]
    (lost,) = gone.outputs
    cut = without_op(graph, position)
    readers = {op.name for op in graph.ops if lost in op.inputs}
    ops = tuple(
        replace(op, inputs=tuple(dict.fromkeys((gone.inputs[0], *op.inputs))))
        if op.name in readers
        else op
        for op in cut.ops
    )
    return replace(cut, ops=ops)


def _structure(graph: TrainingGraph) -> Iterator[str]:
    for what, names in (("op", graph.ops), ("tensor", graph.tensors)):
        for name, count in Counter(item.name for item in names).items():
            if count > 1:
                yield f"{count} {what}s are called {name}"
    made: dict[str, str] = {}
    backward = False
    for op in graph.ops:
        yield from (f"{op.name} reads {x} too early" for x in op.inputs if x not in made)
        yield from (f"{op.name} reads {x} twice" for x, n in Counter(op.inputs).items() if n > 1)
        yield from (f"{x} is made twice" for x in op.outputs if x in made)
        made.update(dict.fromkeys(op.outputs, op.name))
        if backward and op.phase is Phase.FORWARD:
            yield f"forward op {op.name} stands after a backward op"
        backward = backward or op.phase is Phase.BACKWARD
        if op.phase is Phase.BACKWARD and op.recomputable:
            yield f"backward op {op.name} may run again"
    stated = {tensor.name: tensor.producer for tensor in graph.tensors}
    if stated != made:
        yield f"producers stated and real differ: {set(stated.items()) ^ set(made.items())}"


def _forward(graph: TrainingGraph) -> list[Op]:
    return [op for op in graph.ops if op.phase is Phase.FORWARD]


def _backward(graph: TrainingGraph) -> list[Op]:
    return [op for op in graph.ops if op.phase is Phase.BACKWARD]


def _on_the_way(graph: TrainingGraph) -> tuple[set[str], set[str]]:
    """Tensors that depend on a trainable, and tensors on which the loss depends."""
    behind: set[str] = set()
    for op in _forward(graph):
        if op.trainable or behind & set(op.inputs):
            behind |= set(op.outputs)
    leads = set(graph.loss_tensors)
    for op in reversed(_forward(graph)):
        if leads & set(op.outputs):
            leads |= set(op.inputs)
    return behind, leads


def _differentiated(graph: TrainingGraph) -> set[str]:
    """Activations between a trainable and the loss."""
    behind, leads = _on_the_way(graph)
    plain = {tensor.name for tensor in graph.tensors if tensor.role is Role.ACTIVATION}
    return behind & leads & plain - set(graph.loss_tensors)


def _gradients_per_reader(graph: TrainingGraph) -> Iterator[str]:
    """Each reader of a tensor on the way to the loss gives it one partial gradient."""
    _, leads = _on_the_way(graph)
    wanted = _differentiated(graph)
    readers: Counter[str] = Counter()
    for op in _forward(graph):
        if leads & set(op.outputs):
            readers.update(wanted & set(op.inputs))
    made = Counter(name for op in _backward(graph) for name in op.gradient_of)
    for name in sorted(wanted):
        if made[name] < readers[name]:
            yield f"{name} has {readers[name]} readers but {made[name]} gradients"


def _gradients_per_trainable(graph: TrainingGraph) -> Iterator[str]:
    """Each op that trains a constant has one op that makes its gradient."""
    wanted = Counter(name for op in _forward(graph) for name in op.trainable)
    made = Counter(
        name for op in _backward(graph) if op.kind == "weight_gradient" for name in op.gradient_of
    )
    for name, count in wanted.items():
        if made[name] != count:
            yield f"trainable {name} is used {count} times but has {made[name]} gradients"
    if {item.name for item in graph.trainable} != set(wanted):
        yield "trainable[] is not what the forward ops train"
    if sum(item.bytes for item in graph.trainable) != graph.trainable_bytes:
        yield "trainable[] does not add up"


def _partials(op: Op) -> list[tuple[str, str]]:
    """The gradients an op makes, each with what it is a gradient of.

    One output is of the last target (the others lie on the way to it), several are of one each. The
    gradient of what no tensor holds goes by its own name.
    """
    if not op.gradient_of:
        return [(name, name) for name in op.outputs]
    if len(op.outputs) == 1:
        return [(op.outputs[0], op.gradient_of[-1])]
    return list(zip(op.outputs, op.gradient_of, strict=True))


def _contents(graph: TrainingGraph) -> dict[str, tuple[str, frozenset[str]]]:
    """Gradient tensor -> what it is a gradient of, and the partial gradients summed in it."""
    found: dict[str, tuple[str, frozenset[str]]] = {}
    for op in _backward(graph):
        if op.kind == "input_gradient":
            found.update((name, (target, frozenset({name}))) for name, target in _partials(op))
        elif op.kind == "add_gradient":
            parts = [found[name] for name in op.inputs if name in found]
            target = parts[0][0] if parts else ""
            found[op.outputs[0]] = (target, frozenset().union(*(names for _, names in parts)))
    return found


def _whole(graph: TrainingGraph) -> dict[str, set[str]]:
    """Tensor -> all partial gradients of it."""
    whole: defaultdict[str, set[str]] = defaultdict(set)
    for op in _backward(graph):
        for name, target in _partials(op) if op.kind == "input_gradient" else ():
            whole[target].add(name)
    return whole


def _sums(graph: TrainingGraph) -> Iterator[str]:
    """Additions add two gradients of one tensor; everything else reads only whole sums."""
    contents, whole = _contents(graph), _whole(graph)
    used: set[str] = set()
    for op in _backward(graph):
        gradients = [name for name in op.inputs if name in contents]
        used.update(gradients)
        if op.kind == "add_gradient":
            targets = {contents[name][0] for name in gradients}
            if len(gradients) != 2 or len(targets) != 1:
                yield f"{op.name} does not add two gradients of one tensor"
            continue
        for name in gradients:
            target, summed = contents[name]
            if summed != whole[target]:
                yield f"{op.name} reads a part of the gradient of {target}"
    for name in contents:
        if name not in used:
            yield f"gradient {name} is read by nothing"


def _passed(graph: TrainingGraph) -> tuple[set[tuple[str, str]], set[str]]:
    """Pairs (from, to) of one backward op or of two with a step between; what the loss starts.

    A step between is the gradient of something that no other layer reads: a recurrent layer's
    gates, or sums that no tensor holds.
    """
    contents = _contents(graph)
    wanted = _differentiated(graph)
    passed: set[tuple[str, str]] = set()
    started: set[str] = set()
    behind_step: dict[str, set[str]] = {}
    for op in _backward(graph):
        sources = {contents[name][0] for name in op.inputs if name in contents}
        for source in tuple(sources):
            sources |= behind_step.get(source, set())
        for target in op.gradient_of or op.outputs:
            passed.update((source, target) for source in sources)
            if op.kind == "input_gradient" and target not in wanted:
                behind_step.setdefault(target, set()).update(sources)
        if not sources:
            started.update(op.gradient_of)
    return passed, started


def _chain(graph: TrainingGraph) -> Iterator[str]:
    """Each forward op on the way passes the gradient of its output on to each of its inputs."""
    wanted = _differentiated(graph)
    passed, started = _passed(graph)
    for op in _forward(graph):
        outputs = wanted & set(op.outputs)
        for name in sorted(wanted & set(op.inputs)) if outputs else ():
            absorbed = outputs <= started and name in started
            if not absorbed and not any((output, name) in passed for output in outputs):
                yield f"{op.name} passes no gradient on to {name}"
        for name in op.trainable:
            if not any((output, name) in passed for output in outputs):
                yield f"{op.name} passes no gradient on to {name}"


def _sources(graph: TrainingGraph) -> Iterator[str]:
    """Forward ops that read nothing stand directly before the first op that reads them."""
    for k, op in enumerate(graph.ops):
        if op.phase is Phase.FORWARD and not op.inputs:
            after = graph.ops[k + 1 :]
            reader = next((later for later in after if set(op.outputs) & set(later.inputs)), None)
            between = after[: after.index(reader)] if reader else after
            if reader is None or any(other.inputs for other in between):
                yield f"{op.name} does not stand before its first reader"
