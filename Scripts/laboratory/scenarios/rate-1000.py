# SPDX-License-Identifier: GPL-3.0-or-later
"""1,000 reports a second for 30 s, in both manners: every one is read."""

import feats

PATIENCE = 240


def scenario(lab):
    feats.carry_at(lab, 1000)
