# SPDX-License-Identifier: GPL-3.0-or-later


class ScenarioError(Exception):
    """A condition of a scenario does not hold."""
