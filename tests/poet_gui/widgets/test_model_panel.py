"""Claim: the model card shows no setting that the open graph does not have."""

from dataclasses import replace

from pytestqt.qtbot import QtBot

from poet_gui.solving.prepare import prepare
from poet_gui.widgets.model_panel import ModelPanel
from solver.graph import Accounting, GraphSettings
from solver.graph_request import GraphRequest
from tests.helpers.builders import chain, device_of


def panel_with(qtbot: QtBot, settings: GraphSettings) -> ModelPanel:
    panel = ModelPanel()
    qtbot.addWidget(panel)
    show(panel, settings)
    return panel


def show(panel: ModelPanel, settings: GraphSettings) -> None:
    graph = replace(chain(3), settings=settings)
    opened = prepare(
        graph,
        device_of(),
        request=GraphRequest("chain"),
        source="chain",
        sha256=None,
        graph_key="chain-0",
    )
    panel.render_model(opened, frozenset())


def test_that_a_graph_that_came_as_it_is_has_no_batch_of_one(qtbot: QtBot) -> None:
    panel = panel_with(qtbot, GraphSettings(Accounting.GIVEN))
    assert panel.batch.text() == "unknown"

    show(panel, GraphSettings(Accounting.AUTODIFF, batch=1))
    assert panel.batch.text() == "1"

    show(panel, GraphSettings(Accounting.GIVEN, batch=4))
    assert panel.batch.text() == "4"


def test_that_no_choice_is_too_long_for_the_left_column(qtbot: QtBot) -> None:
    panel = panel_with(qtbot, GraphSettings(Accounting.POET))
    for combo in (panel.accounting, panel.weights, panel.gradients):
        assert all(len(combo.itemText(i)) <= 16 for i in range(combo.count()))
