# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares a process's restrictions, as the kernel reports them, with its unit."""

import json
import pathlib
import subprocess

from system import SERVICE

# Linux, include/uapi/linux/capability.h.
CAPABILITIES = {"cap_dac_override": 1, "cap_net_admin": 12, "cap_net_raw": 13}
PROBE = ["/usr/bin/python3", "/lab/laboratory/guest/probe.py"]
# The calls that the service's restrictions refuse, with their errors; all other calls succeed.
REFUSED = {"AF_INET": "EAFNOSUPPORT", "AF_NETLINK": "EAFNOSUPPORT", "setpriority": "EPERM", "personality": "EPERM",
           "writable code": "EPERM", "unshare": "EPERM", "ptrace": "EPERM"}
DROP_IN = f"""[Service]
Type=oneshot
ExecStart=
ExecStart={' '.join(PROBE)}
ExecReload=
WatchdogSec=0
Restart=no
RuntimeDirectory=
StandardOutput=file:/run/probe
"""


def status(process):
    """The rows of /proc/PID/status."""
    rows = (line.split(":", 1) for line in pathlib.Path(f"/proc/{process}/status").read_text().splitlines())
    return {key: value.split() for key, value in rows}


def mask(names):
    return sum(1 << CAPABILITIES[name] for name in names.split())


def check(lab, process, user, capabilities):
    """Checks that a process runs as this user, can only have these capabilities, and has a system call filter."""
    rows = status(process)
    lab.equal(set(rows["Uid"]), {str(user)}, "the process's user")
    for row in ("CapEff", "CapPrm", "CapBnd"):
        lab.equal(int(rows[row][0], 16), mask(capabilities), row)
    lab.equal((rows["Seccomp"], rows["NoNewPrivs"]), (["2"], ["1"]), "the filter of system calls, no new privileges")


def check_service(lab, system, process):
    """Checks the service's process against the unit's properties."""
    ambient, bounding = system.property("AmbientCapabilities"), system.property("CapabilityBoundingSet")
    lab.equal(ambient, bounding, "ambient and bounding capabilities")
    check(lab, process, system.run("id", "-u", "accessoryd"), ambient)
    group = system.group / "system.slice" / SERVICE
    lab.equal((group / "memory.max").read_text().strip(), system.property("MemoryMax"), "the limit of its memory")
    return ambient


def probe(lab, system):
    """Runs another program under the service's restrictions, and checks which calls are refused."""
    free = json.loads(subprocess.run(
        ["/usr/bin/setpriv", "--reuid=nobody", *PROBE], capture_output=True, text=True, check=True).stdout)
    lab.equal(set(free.values()), {"done"}, f"calls without restrictions: {free}")
    (system.root / "run/systemd/system/probe.service.d").mkdir(parents=True)
    system.write("run/systemd/system/probe.service", (system.root / "usr/lib/systemd/system" / SERVICE).read_text())
    system.write("run/systemd/system/probe.service.d/probe.conf", DROP_IN)
    system.systemctl("daemon-reload")
    system.systemctl("start", "probe.service")
    outcomes = json.loads((system.root / "run/probe").read_text())
    refused = {name: outcome for name, outcome in outcomes.items() if outcome != "done"}
    lab.equal(refused, REFUSED, "the calls that the service's restrictions refuse")
    return len(REFUSED)
