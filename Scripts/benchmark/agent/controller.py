# SPDX-License-Identifier: GPL-3.0-or-later
"""A controller at the other end of `h4:PATH`, one packet a read: it replies to the initialization commands, and
sends the given reports."""

import contextlib
import itertools
import socket
import struct
import threading
import time

SCAN_ENABLES = {0x200C, 0x2042}
# An ADV_IND.
LEGACY = 0x0013
PATIENCE = 60

# What commands return after their status (Core Specification 5.4, Volume 4, Part E, 7.4 and 7.8): version 5.2,
# all commands, a public address, and of the LE features extended advertising.
RETURNED = {
    0x1001: bytes([0x0B, 0, 0, 0x0B, 0xF1, 0x05, 0, 0]),
    0x1002: b"\xff" * 64,
    0x1009: bytes.fromhex("010000326adc"),
    0x2003: (1 << 12).to_bytes(8, "little"),
}


def report(address, data, rssi=-60):
    """An extended advertising report of a static random address, a number (7.7.65.13), as an H4 packet."""
    event_type = LEGACY if len(data) <= 31 else 0
    body = struct.pack("<HB", event_type, 1) + address.to_bytes(6, "little")
    # PHYs, set, power, level; no periodic advertising and no target.
    body += bytes([1, 0 if event_type else 1, 0xFF if event_type else 0, 0x7F, rssi & 0xFF]) + bytes(2 + 7)
    body += bytes([len(data)]) + data
    return bytes([0x04, 0x3E, len(body) + 2, 0x0D, 1]) + body


class Controller:
    def __init__(self, path):
        self.path = path
        self.scans = threading.Event()
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.listener.bind(path)
        self.listener.listen()
        self.host = None
        # The agent's process, which may be a descendant of the one that was started.
        self.process = None
        threading.Thread(target=self._serve, daemon=True).start()

    def awaits_scan(self, is_there):
        """Waits until the scan is on; false when that takes too long, or `is_there` is false before."""
        end = time.monotonic() + PATIENCE
        while not self.scans.wait(0.1):
            if not is_there() or time.monotonic() > end:
                return False
        return True

    def send(self, packet):
        self.host.send(packet)

    def send_at(self, rate, packets):
        """Sends packets evenly. Returns the seconds that it took."""
        start = time.monotonic()
        self.send_after(itertools.chain([0], itertools.repeat(1 / rate)), packets)
        return time.monotonic() - start

    def send_after(self, gaps, packets):
        """Sends each packet a gap, in seconds, after the one before; a late packet goes at once."""
        due = time.monotonic()
        for gap, packet in zip(gaps, packets):
            due += gap
            rest = due - time.monotonic()
            if rest > 0:
                time.sleep(rest)
            self.host.send(packet)

    def close(self):
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        if self.host:
            self.host.close()

    def _serve(self):
        try:
            self.host, _ = self.listener.accept()
        except OSError:
            # The listener ended before a client came.
            return
        credentials = self.host.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
        self.process = struct.unpack("3i", credentials)[0]
        while command := self._receive():
            opcode = int.from_bytes(command[1:3], "little")
            answer = bytes([1]) + command[1:3] + b"\0" + RETURNED.get(opcode, b"")
            self.host.send(bytes([0x04, 0x0E, len(answer)]) + answer)
            if opcode in SCAN_ENABLES and command[4] == 1:
                self.scans.set()

    def _receive(self):
        try:
            return self.host.recv(512)
        except OSError:
            return b""
