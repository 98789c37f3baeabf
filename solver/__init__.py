"""The engine of POET Explorer: training graphs, costs, schedules and their optimisation. Knows no Qt."""

from typing import Final

ENGINE_VERSION: Final = "0.1.0"
