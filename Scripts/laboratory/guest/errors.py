# SPDX-License-Identifier: GPL-3.0-or-later


class Failure(Exception):
    """What a scenario shows is not so."""
