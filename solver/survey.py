"""What must be known before an op is written: bases of views, trainables, ways of gradients."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from solver.errors import Issue, ModelError
from solver.network import Network
from solver.operators.base import Rule, Site
from solver.operators.registry import RULES


@dataclass(frozen=True, slots=True)
class Stop:
    """One layer of the network that becomes ops, with its rule.

    trainable : slots of float constants that the operator trains, ascending.
    """

    site: Site
    rule: Rule
    trainable: tuple[int, ...]

    def trainable_names(self) -> tuple[str, ...]:
        """Names of the parameters behind the constants in `trainable`."""
        return tuple(self.site.parameter(slot).name for slot in self.trainable)


@dataclass(frozen=True, slots=True)
class Way:
    """Where gradients go at one stop: to these trained constants and through these inputs."""

    trained: tuple[int, ...] = ()
    passing: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Survey:
    """The layers that become ops, in order, and what their values resolve to.

    base : value -> the value that owns its bytes; views of views are resolved to the end.
        Constants are absent.
    """

    network: Network
    stops: tuple[Stop, ...]
    base: Mapping[str, str]

    def owner(self, site: Site, slot: int) -> str:
        """The value that owns the bytes read at `slot`."""
        return self.base[site.layer.inputs[slot]]

    def statistics(self) -> tuple[str, ...]:
        """Constants that hold running statistics, each once, in order."""
        found = [
            stop.site.input(slot).name
            for stop in self.stops
            for slot in stop.rule.statistics
            if stop.site.is_constant(slot)
        ]
        return tuple(dict.fromkeys(found))


def survey(network: Network) -> Survey:
    """Find the rule of every layer, its trainable constants, and the base of every view.

    Raises
    ------
    ModelError
        Naming every operator without a rule, or a layer that reads what nothing before it makes.
    """
    constants = network.constants
    layers = [
        layer
        for layer in network.layers
        if any(name and name not in constants for name in layer.outputs)
    ]
    _check_rules((layer.op_type, layer.name) for layer in layers)
    base = {name: name for name in network.inputs}
    stops = []
    for layer in layers:
        site, rule = Site(network, layer), RULES[layer.op_type]
        for name in layer.inputs:
            if name and name not in base and name not in constants:
                raise site.error(f"it reads {name}, which nothing before it makes in training")
        if rule.is_view(site):
            base[site.output().name] = base[site.input(0).name]
            continue
        base.update((name, name) for name in rule.modelled(site))
        stops.append(Stop(site, rule, _trainable_slots(site, rule)))
    return Survey(network, tuple(stops), base)


def _check_rules(found: Iterable[tuple[str, str]]) -> None:
    unknown: dict[str, list[str]] = {}
    for op_type, name in found:
        if op_type not in RULES:
            unknown.setdefault(op_type, []).append(name)
    if unknown:
        hint = "export the model without it, or load a schedule graph that states its costs"
        raise ModelError(
            [
                Issue(f"no training rule for {op_type}: {_layers(names)}", suggestion=hint)
                for op_type, names in unknown.items()
            ]
        )


def _layers(names: list[str]) -> str:
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return f"layer {names[0]}{more}"


def _trainable_slots(site: Site, rule: Rule) -> tuple[int, ...]:
    return tuple(
        slot
        for slot in sorted(rule.parameters)
        if site.is_constant(slot) and site.input(slot).is_float and rule.trains(site, slot)
    )


def route(found: Survey, output: str) -> tuple[Way, ...]:
    """Ways of the gradients of a loss of `output`, one per stop; empty where none is wanted.

    Raises ModelError when nothing trainable leads to `output`.
    """
    inner = [_differentiable_slots(found, stop) for stop in found.stops]
    behind = _behind(found, inner)
    if found.base.get(output) not in behind:
        raise ModelError(
            Issue(
                "there is nothing to train: no weight or bias leads to it",
                f"output {output}",
                "choose another with --output, or load a model with weights",
            )
        )
    leads = {found.base[output]}
    ways = []
    for stop, slots in zip(reversed(found.stops), reversed(inner), strict=True):
        if leads.isdisjoint(stop.site.outputs()):
            ways.append(Way())
            continue
        passing = tuple(slot for slot in slots if found.owner(stop.site, slot) in behind)
        leads.update(found.owner(stop.site, slot) for slot in passing)
        ways.append(Way(stop.trainable, passing))
    return tuple(reversed(ways))


@dataclass(frozen=True, slots=True)
class Severed:
    """What lies between a trainable and the loss and yet has no gradient.

    values : those that are no numbers to differentiate by (a condition, positions), and what only
        they lead to.
    readers : value with a gradient -> how many ops on the way read it without passing one on.
    """

    values: frozenset[str]
    readers: Mapping[str, int]


def severed(found: Survey, ways: tuple[Way, ...], output: str) -> Severed:
    """Where `ways` of the gradients leave out what depends on a trainable and leads to `output`."""
    reads = [_reads(found, stop) for stop in found.stops]
    behind: set[str] = set()
    for stop, way, names in zip(found.stops, ways, reads, strict=True):
        if way.trained or not behind.isdisjoint(names):
            behind.update(stop.rule.modelled(stop.site))
    end = found.base[output]
    leads, passed, silent = {end}, {end}, Counter[str]()
    for stop, way, names in zip(
        reversed(found.stops), reversed(ways), reversed(reads), strict=True
    ):
        if leads.isdisjoint(stop.site.outputs()):
            continue
        leads.update(names)
        passing = {found.owner(stop.site, slot) for slot in way.passing}
        passed.update(passing)
        silent.update(name for name in names if name not in passing)
    readers = {name: count for name, count in silent.items() if name in passed}
    return Severed(frozenset(behind & leads - passed), MappingProxyType(readers))


def _reads(found: Survey, stop: Stop) -> tuple[str, ...]:
    """Owners of what the forward ops of a layer read, once for each op."""
    return tuple(
        name
        for part in stop.rule.parts(stop.site)
        for name in dict.fromkeys(found.base.get(ref) for ref in part.reads if isinstance(ref, str))
        if name is not None
    )


def _differentiable_slots(found: Survey, stop: Stop) -> tuple[int, ...]:
    """Slots of float values, not constants, through which the operator passes a gradient."""
    site = stop.site
    return tuple(
        slot
        for slot in stop.rule.differentiable(site)
        if site.has_input(slot)
        and site.input(slot).is_float
        and site.layer.inputs[slot] in found.base
    )


def _behind(found: Survey, inner: list[tuple[int, ...]]) -> set[str]:
    """Float values that depend on a trainable constant."""
    behind: set[str] = set()
    values = found.network.values
    for stop, slots in zip(found.stops, inner, strict=True):
        if stop.trainable or any(found.owner(stop.site, slot) in behind for slot in slots):
            behind.update(name for name in stop.site.outputs() if values[name].is_float)
    return behind
