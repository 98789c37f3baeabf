"""Claim: what the window says of a model that was opened is named by what it is."""

from dataclasses import replace

from poet_gui.viewmodels.import_report import report_sections
from tests.poet_gui.fixtures import MakeWindow, show_chain


def test_that_warnings_are_called_in_the_notice_what_the_report_calls_them(
    make_window: MakeWindow,
) -> None:
    window = make_window("honest", start=False)
    show_chain(window)
    model = window.state.core.model
    assert model is not None
    graph = replace(model.costed.graph, warnings=("nothing in this file is a BatchNorm",))
    warned = replace(model, costed=replace(model.costed, graph=graph))
    window.controller.opened.emit(warned)
    (notice,) = [n for n in window.views.notices.notices if "BatchNorm" in n.whole]
    assert notice.title == report_sections(warned)[0].title
    assert "assumed" not in notice.title
