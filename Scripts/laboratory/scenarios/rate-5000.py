# SPDX-License-Identifier: GPL-3.0-or-later
"""5,000 reports a second for 30 s, in both access modes: each of them is read."""

import steps

WHEN = "release"
PATIENCE = 240


def scenario(lab):
    steps.check_rate(lab, 5000)
