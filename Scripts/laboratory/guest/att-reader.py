# SPDX-License-Identifier: GPL-3.0-or-later
"""att-reader.py DESCRIPTOR: reads an encrypted value over a socket that it was handed, and prints it with its account and
its capabilities.
att-reader.py open ADDRESS: opens such a socket itself, and prints the value, or the error."""

import json
import os
import pathlib
import sys

import bonds
from peer import SECRET
from sessions import Link

rows = dict(line.split(":", 1) for line in pathlib.Path("/proc/self/status").read_text().splitlines())
outcome = {"user": os.getuid(), "capabilities": int(rows["CapEff"], 16) | int(rows["CapPrm"], 16)}
try:
    descriptor = bonds.open_link(sys.argv[2]) if sys.argv[1] == "open" else int(sys.argv[1])
    value = Link(descriptor).read(SECRET)
    outcome["value"] = value.decode() if isinstance(value, bytes) else value
except OSError as error:
    outcome["error"] = error.errno
print(json.dumps(outcome), flush=True)
