# SPDX-License-Identifier: GPL-3.0-or-later
"""The programs that the agent is compared with: bluetoothd, the bus, and a client."""

import signal

import hci
from program import Program, Usage

CLIENTS = {
    "C client": ["/lab/bin/bus-client", "{adapter}"],
    "bleak": ["python3", "/lab/laboratory/guest/bleak-client.py"],
}


class Rival:
    """A client that discovers through bluetoothd; when the constructor returns, the load can begin."""

    def __init__(self, lab, controller, kind):
        self.lab = lab
        self.controller = controller
        self.daemon = lab.bluetoothd()
        lab.until(lambda: hci.is_up(controller.index), "bluetoothd powers the adapter")
        command = [argument.format(adapter=controller.name_of_adapter) for argument in CLIENTS[kind]]
        self.client = Program(lab, kind.replace(" ", "-"), command)
        lab.open.append(self.client)
        lab.logs.append(self.client)
        lab.until(
            lambda: "discovers" in self.client.log_text() or not self.client.is_running, "the client discovers", 60)
        lab.check(self.client.is_running, f"the client runs: {self.client.log_text(5)}")
        controller.await_scan()

    def usages(self):
        return [Usage(program.pid) for program in (self.daemon, self.lab.bus, self.client)]

    def heard(self):
        """How many reports the client has counted so far; it prints the number at SIGUSR1."""
        rows = len(self.client.log_text().splitlines())
        self.client.process.send_signal(signal.SIGUSR1)
        self.lab.until(lambda: len(self.client.log_text().splitlines()) > rows, "the client prints what it counted")
        return int(self.client.log_text().splitlines()[-1])

    def reports(self):
        """Ends the client, and returns how many reports it has counted."""
        self.client.end(20)
        return int(self.client.log_text().splitlines()[-1])

    def end(self):
        self.daemon.end()
