# SPDX-License-Identifier: GPL-3.0-or-later
"""The programs that the agent is compared with: bluetoothd, the bus and a client; a reader that only counts; and none."""

import signal
import struct

import hci
from program import Program, Usage

CLIENTS = {
    "C client": ["/lab/bin/bus-client", "{adapter}"],
    "bleak": ["python3", "/lab/laboratory/guest/bleak-client.py"],
}


class Counting:
    """A program that counts reports, and prints their number at SIGUSR1."""

    def start(self, lab, name, command, ready):
        """Starts the program, and waits until its log contains the word `ready`."""
        self.lab = lab
        self.client = Program(lab, name.replace(" ", "-"), command)
        lab.open.append(self.client)
        lab.logs.append(self.client)
        lab.until(lambda: ready in self.client.log_text() or not self.client.is_running, f"the {name} {ready}", 60)
        lab.check(self.client.is_running, f"the {name} runs: {self.client.log_text(5)}")

    def heard(self):
        """How many reports the program has counted so far."""
        rows = len(self.client.log_text().splitlines())
        self.client.process.send_signal(signal.SIGUSR1)
        self.lab.until(lambda: len(self.client.log_text().splitlines()) > rows, "the client prints what it counted")
        return int(self.client.log_text().splitlines()[-1])

    def end(self):
        self.client.end(20)


class Rival(Counting):
    """A client that discovers through bluetoothd; when the constructor returns, the load can begin."""

    def __init__(self, lab, controller, kind):
        self.daemon = lab.bluetoothd()
        lab.until(lambda: hci.is_up(controller.index), "bluetoothd powers the adapter")
        command = [argument.format(adapter=controller.name_of_adapter) for argument in CLIENTS[kind]]
        self.start(lab, kind, command, "discovers")
        controller.await_scan()

    def usages(self):
        return [Usage(program.pid) for program in (self.daemon, self.lab.bus, self.client)]

    def end(self):
        super().end()
        self.daemon.end()


class Nothing:
    """A scan that is always on, and no program that reads what it finds."""

    def __init__(self, lab, controller):
        hci.take_up(controller.index)
        raw = hci.RawReader(controller.index)
        # LE Set Extended Scan Parameters: a public address, no filter, the 1M PHY: passive, all the time.
        # LE Set Extended Scan Enable: without a filter of duplicates.
        raw.command(0x2041, struct.pack("<BBBBHH", 0, 0, 1, 0, 0x60, 0x60))
        raw.command(0x2042, struct.pack("<BBHH", 1, 0, 0, 0))
        controller.await_scan()
        raw.close()

    def usages(self):
        return []

    def heard(self):
        return 0

    def end(self):
        pass


class Reader(Counting):
    """A C program that does nothing but read, and such a scan; "filtered" reads only what the agent wants."""

    def __init__(self, lab, controller, *words):
        Nothing(lab, controller)
        self.start(lab, " ".join(("C reader", *words)), ["/lab/bin/raw-reader", controller.index, *words], "reads")

    def usages(self):
        return [self.client.usage()]
