# SPDX-License-Identifier: GPL-3.0-or-later
"""What the kernel says of a process, held against what its unit says."""

import json
import pathlib
import subprocess

from system import SERVICE

# Linux, include/uapi/linux/capability.h.
CAPABILITIES = {"cap_dac_override": 1, "cap_net_admin": 12, "cap_net_raw": 13}
PROBE = ["/usr/bin/python3", "/lab/laboratory/guest/probe.py"]
# How the service is refused what it does not need; the rest is done.
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


def hold(lab, process, user, capabilities):
    """It runs as this user, with these capabilities and without any others to be had, under a filter."""
    said = status(process)
    lab.equal(set(said["Uid"]), {str(user)}, "the process's user")
    for row in ("CapEff", "CapPrm", "CapBnd"):
        lab.equal(int(said[row][0], 16), mask(capabilities), row)
    lab.equal((said["Seccomp"], said["NoNewPrivs"]), (["2"], ["1"]), "the filter of system calls, no new privileges")


def hold_service(lab, system, process):
    """The service's process, by what systemd says of the unit."""
    ambient, bounding = system.property("AmbientCapabilities"), system.property("CapabilityBoundingSet")
    lab.equal(ambient, bounding, "capabilities that it has, and that it may have")
    hold(lab, process, system.run("id", "-u", "accessoryd"), ambient)
    group = system.group / "system.slice" / SERVICE
    lab.equal((group / "memory.max").read_text().strip(), system.property("MemoryMax"), "the limit of its memory")
    return ambient


def probe(lab, system):
    """Another program under the service's own restrictions, and what it is refused."""
    free = json.loads(subprocess.run(
        ["/usr/bin/setpriv", "--reuid=nobody", *PROBE], capture_output=True, text=True, check=True).stdout)
    lab.equal(set(free.values()), {"done"}, f"what any account may do: {free}")
    place = system.root / "run/systemd/system"
    (place / "probe.service.d").mkdir(parents=True)
    system.write("run/systemd/system/probe.service", (system.root / "usr/lib/systemd/system" / SERVICE).read_text())
    system.write("run/systemd/system/probe.service.d/probe.conf", DROP_IN)
    system.systemctl("daemon-reload")
    system.systemctl("start", "probe.service")
    said = json.loads((system.root / "run/probe").read_text())
    lab.equal({name: end for name, end in said.items() if end != "done"}, REFUSED, "what the service is refused")
    return len(REFUSED)
