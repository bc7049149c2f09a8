# SPDX-License-Identifier: GPL-3.0-or-later
"""How others receive advertisements: bluetoothd, the bus, and a client."""

import signal

import hci
from program import Program, Usage

CLIENTS = {
    "C client": ["/lab/bin/bus-client", "{adapter}"],
    "bleak": ["python3", "/lab/laboratory/guest/bleak-client.py"],
}


class Rival:
    """A client on bluetoothd that discovers; the load may begin when this is made."""

    def __init__(self, lab, controller, kind):
        self.lab = lab
        self.controller = controller
        self.daemon = lab.bluetoothd()
        lab.until(lambda: hci.is_up(controller.index), "bluetoothd powers the adapter")
        words = [word.format(adapter=controller.name_of_adapter) for word in CLIENTS[kind]]
        self.client = Program(lab, kind.replace(" ", "-"), words)
        lab.open.append(self.client)
        lab.logs.append(self.client)
        lab.until(lambda: "discovers" in self.client.said() or not self.client.is_running, "the client discovers", 60)
        lab.check(self.client.is_running, f"the client runs: {self.client.said(5)}")
        controller.await_scan()

    def usages(self):
        return [Usage(program.pid) for program in (self.daemon, self.lab.bus, self.client)]

    def heard(self):
        """What the client has counted so far; it tells when it is asked by SIGUSR1."""
        rows = len(self.client.said().splitlines())
        self.client.process.send_signal(signal.SIGUSR1)
        self.lab.until(lambda: len(self.client.said().splitlines()) > rows, "the client tells what it counted")
        return int(self.client.said().splitlines()[-1])

    def reports(self):
        """Ends the client, and answers what it has counted."""
        self.client.end(20)
        return int(self.client.said().splitlines()[-1])

    def end(self):
        self.daemon.end()
