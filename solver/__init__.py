"""The engine of POET Explorer: training graphs, costs, schedules, their optimisation. No Qt."""

from typing import Final

ENGINE_VERSION: Final = "0.2.0"
