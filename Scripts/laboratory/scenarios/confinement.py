# SPDX-License-Identifier: GPL-3.0-or-later
"""AppArmor enforces the agent's profile: a file that its account may read, and the profile does not name, stays shut."""

import pathlib
import shutil

from system import UnitAgent

RECORDING = "/lab/Config/demo-scene.btsnoop"
MANIFEST = """schema = 1
[gateway]
radio = "btsnoop:{path}"
"""


def profile(process):
    return pathlib.Path(f"/proc/{process}/attr/current").read_text().strip()


def reads(lab, system, agent, path):
    """Whether the agent reads a recording at this path, in its own root."""
    file = system.root / path.lstrip("/")
    file.parent.mkdir(exist_ok=True)
    shutil.copy(RECORDING, file)
    file.chmod(0o644)
    reloads = sum(agent.metrics()[name] for name in ("reloads_total", "reloads_refused_total"))
    system.write("etc/accessoryd/accessoryd.toml", MANIFEST.format(path=path))
    system.run("systemctl", "reload", "accessoryd.service", check=False)
    lab.until(lambda: sum(agent.metrics()[name] for name in ("reloads_total", "reloads_refused_total")) > reloads,
              "the agent has read the manifest again")
    return agent.radio()


def scenario(lab):
    system = lab.system()
    system.systemctl("start", "accessoryd.service")
    agent = UnitAgent(system)
    lab.equal(profile(agent.pid), "accessoryd (enforce)", "the profile of the service")
    # The kernel gives this file to root where a process may not be dumped, whatever takes the dumps.
    lab.equal(pathlib.Path(f"/proc/{agent.pid}/maps").stat().st_uid, 0, "the owner of the list of the agent's memory")
    lab.figure("its own folder", reads(lab, system, agent, "/etc/accessoryd/room.btsnoop")["state"])
    lab.equal(lab.denials.take(), [], "denials until then")
    lab.figure("another folder", reads(lab, system, agent, "/opt/room.btsnoop")["state"])
    denied = lab.denials.take()
    lab.check(denied and all('name="/opt/room.btsnoop"' in denial for denial in denied), f"the open is denied: {denied}")
    lab.figure("denied", len(denied))
