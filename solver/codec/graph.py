"""Training graphs and devices <-> their objects in poet.graph."""

from msgspec import UNSET, UnsetType

from solver.codec.documents import (
    BaselineObject,
    CostObject,
    DeviceObject,
    GraphDocument,
    GraphSettingsObject,
    OpObject,
    ProfileObject,
    TensorObject,
    TrainableObject,
    TransferObject,
)
from solver.codec.numbers import finite, finite_list
from solver.cost_table import CostTable
from solver.costs import CostedGraph
from solver.device import Device, Transfer
from solver.graph import GraphSettings, Quantized


def graph_document(costed: CostedGraph) -> GraphDocument:
    """The poet.graph of a priced graph."""
    graph = costed.graph
    return GraphDocument(
        format="poet.graph",
        version=1,
        ops=_op_objects(costed),
        tensors=_tensor_objects(costed),
        trainable=[TrainableObject(t.name, int(t.bytes)) for t in graph.trainable],
        loss_tensors=list(graph.loss_tensors),
        baseline=baseline_object(costed),
        plain_peak_bytes=int(costed.plain_peak_bytes),
        floor_bytes=int(costed.floor_bytes),
        floor_op=costed.floor_op_name,
        fixed_bytes=int(graph.fixed_bytes),
        weight_bytes=int(graph.weight_bytes),
        trainable_bytes=int(graph.trainable_bytes),
        forward_macs=int(graph.forward_macs),
        forward_bytes=int(graph.forward_bytes),
        saved_extra_bytes=int(graph.saved_extra_bytes),
        settings=_settings_object(graph.settings),
        device=device_object(costed.device),
        warnings=list(costed.told),
        program=UNSET if graph.program is None else graph.program,
    )


def baseline_object(costed: CostedGraph) -> BaselineObject:
    """Energy and runtime of every op once."""
    return BaselineObject(finite(costed.baseline_energy_j), finite(costed.baseline_runtime_s))


def device_object(device: Device) -> DeviceObject:
    """The device with the keys of its TOML file."""
    return DeviceObject(
        schema=1,
        id=device.id,
        name=device.name,
        flop_per_s=finite(device.flop_per_s),
        flop_per_j=finite(device.flop_per_j),
        ram_bytes=int(device.ram_bytes),
        io=device.io,
        element_bytes=int(device.element_bytes),
        page_in=_transfer_object(device.page_in),
        page_out=_transfer_object(device.page_out),
        source=dict(device.source),
        profile=UNSET if device.profile is None else _profile_object(device.profile),
    )


def _profile_object(table: CostTable) -> ProfileObject:
    costs = [
        CostObject(
            row.op or None,
            row.kind or None,
            None if row.seconds is None else finite(row.seconds),
            None if row.joules is None else finite(row.joules),
        )
        for row in table.rows
    ]
    return ProfileObject(table.name, costs)


def _op_objects(costed: CostedGraph) -> list[OpObject]:
    durations, energies = finite_list(costed.op_duration_s), finite_list(costed.op_energy_j)
    return [
        OpObject(
            op.name,
            op.kind,
            op.phase,
            list(op.inputs),
            list(op.outputs),
            finite(op.flop),
            int(op.workspace_bytes),
            op.recomputable,
            duration_s,
            energy_j,
            list(op.trainable),
            list(op.gradient_of),
        )
        for op, duration_s, energy_j in zip(costed.graph.ops, durations, energies, strict=True)
    ]


def _tensor_objects(costed: CostedGraph) -> list[TensorObject]:
    columns = [
        finite_list(array)
        for array in (costed.page_in_s, costed.page_in_j, costed.page_out_s, costed.page_out_j)
    ]
    return [
        TensorObject(
            tensor.name,
            int(tensor.bytes),
            None if tensor.shape is None else [int(size) for size in tensor.shape],
            tensor.dtype,
            tensor.role,
            tensor.producer,
            tensor.pageable,
            tensor.in_storage_at_start,
            *costs,
        )
        for tensor, *costs in zip(costed.graph.tensors, *columns, strict=True)
    ]


def _settings_object(settings: GraphSettings) -> GraphSettingsObject:
    return GraphSettingsObject(
        settings.accounting,
        settings.weights,
        settings.weight_gradients,
        settings.batch,
        {name: int(size) for name, size in sorted(settings.dims.items())},
        settings.loss,
        settings.output,
        chosen_quantized(settings),
    )


def chosen_quantized(settings: GraphSettings) -> Quantized | UnsetType:
    """What was chosen for quantised operators; left out where nothing was."""
    return UNSET if settings.quantized is Quantized.REFUSED else settings.quantized


def _transfer_object(transfer: Transfer) -> TransferObject:
    return TransferObject(
        finite(transfer.latency_s), finite(transfer.bytes_per_s), finite(transfer.power_w)
    )
