# SPDX-License-Identifier: GPL-3.0-or-later
"""An adapter of the kernel, and a bulb near it that can be connected to: a controller at /dev/vhci that knows just enough
of HCI, L2CAP and ATT for it (Core Specification 5.4, Volumes 3 and 4). Other devices advertise too, so that a scenario
sees when the adapter does not listen."""

import os
import select
import struct
import threading
import time

ADAPTER = "00:E0:4C:00:00:07"
BULB = "C4:A1:00:00:1E:27"
BULB_DATA = bytes.fromhex("020106") + bytes.fromhex("07ffee0ea55a0312")
RANDOM = 1
HANDLE = 0x0040
# Handles of the bulb's attributes.
VALUE, CONFIGURATION = 0x0003, 0x0004


def address_bytes(text):
    return bytes.fromhex(text.replace(":", ""))[::-1]


# What commands return after their status; the others return nothing.
RETURNED = {
    # Version 8, an LE-only controller, its buffers and its address.
    0x1001: struct.pack("<BHBHH", 8, 0, 8, 0x05F1, 0),
    0x1002: bytes(64),
    0x1003: bytes([0, 0, 0, 0, 0x60, 0, 0, 0]),
    0x1005: struct.pack("<HBHH", 251, 0, 8, 0),
    0x0C14: bytes(248),
    0x2002: struct.pack("<HB", 251, 8),
    0x2003: bytes(8),
    0x2007: bytes(1),
    0x200F: bytes([8]),
    0x201C: b"\xff" * 5 + bytes(3),
    0x202A: bytes([0]),
}


class Peripheral(threading.Thread):
    """`others` is how many other devices advertise, each every 100 ms, as the bulb does. `address` and its `kind` are the
    accessory's; `adapter` is the address of the adapter."""

    def __init__(self, others=20, address=BULB, kind=RANDOM, adapter=ADAPTER):
        super().__init__(daemon=True)
        self.others = others
        self.address, self.kind = address_bytes(address), kind
        self.returned = {**RETURNED, 0x1009: address_bytes(adapter)}
        self.is_present = True
        self.is_connected = False
        self.connections = 0
        self.ends = []
        # The times at which the scan was switched, and whether it is on.
        self.switches = []
        self.scanning, self.filter_policy = False, 0
        self.pending = None
        self.notifications = 0
        self.is_over = False
        self.descriptor = os.open("/dev/vhci", os.O_RDWR)
        os.write(self.descriptor, b"\xff\x00")
        self.index = struct.unpack_from("<H", os.read(self.descriptor, 64), 2)[0]
        os.set_blocking(self.descriptor, False)
        self.start()

    # What a scenario does and asks

    def drop(self):
        """The bulb ends the connection."""
        self._disconnect(0x13)

    def notify(self, count):
        """The bulb sends this many notifications, numbered from 0."""
        self.notifications = count

    def longest_pause(self, start, end):
        """The longest time between two times in which the adapter did not scan, in seconds."""
        longest, off = 0, None
        for at, is_on in [*self.switches, (end, True)]:
            if off is not None and is_on and at > start:
                longest = max(longest, min(at, end) - max(off, start))
            off = None if is_on else off if off is not None else at
        return longest

    def end(self, _=None):
        self.is_over = True
        self.join()
        os.close(self.descriptor)

    # The loop

    def run(self):
        due, turn, sent = time.monotonic(), 0, 0
        while not self.is_over:
            select.select([self.descriptor], [], [], max(0, min(0.005, due - time.monotonic())))
            while packet := self._read():
                self._receive(packet)
            if time.monotonic() < due:
                continue
            # The other devices and the bulb share the 100 ms, so that hardly any time passes without a report.
            due += 0.1 / (self.others + 1)
            turn = (turn + 1) % (self.others + 1)
            self._advertise(turn)
            if self.is_connected and sent < self.notifications:
                self._send_att(struct.pack("<BHI", 0x1B, VALUE, sent))
                sent += 1
            elif not self.notifications:
                sent = 0

    def _read(self):
        try:
            return os.read(self.descriptor, 4096)
        except BlockingIOError:
            return None

    def _write(self, packet):
        try:
            os.write(self.descriptor, packet)
        except OSError:
            # The adapter is down.
            pass

    # Advertising

    def _advertise(self, turn):
        if turn:
            self._report(3, struct.pack("<B5s", turn, bytes.fromhex("01020304c5")), bytes.fromhex("020106"))
        elif self.is_present and not self.is_connected:
            self._offer(BULB_DATA)

    def _offer(self, data):
        """The accessory advertises: the adapter connects to it, if the kernel waits for it."""
        if self.pending and self.pending in (self.address, "accept list"):
            self._connect()
        else:
            self._report(0, self.address, data)

    def _report(self, kind, address, data):
        is_accessory = address == self.address
        if not self.scanning or self.filter_policy & 1 and not is_accessory:
            return
        address_kind = self.kind if is_accessory else RANDOM
        body = struct.pack("<BBBB6sB", 2, 1, kind, address_kind, address, len(data)) + data + struct.pack("<b", -60)
        self._event(0x3E, body)

    # HCI

    def _event(self, code, body):
        self._write(bytes([4, code, len(body)]) + body)

    def _complete(self, opcode, returned=b"", status=0):
        self._event(0x0E, struct.pack("<BHB", 1, opcode, status) + returned)

    def _status(self, opcode):
        self._event(0x0F, struct.pack("<BBH", 0, 1, opcode))

    def _receive(self, packet):
        if packet[0] == 2:
            return self._receive_data(packet)
        if packet[0] != 1:
            return None
        opcode, = struct.unpack_from("<H", packet, 1)
        values = packet[4:]
        if opcode == 0x0C03:
            self.scanning = self.is_connected = False
            self.pending = None
            return self._complete(opcode)
        if opcode == 0x200B:
            self.filter_policy = values[6]
        elif opcode == 0x200C:
            self.scanning = bool(values[0])
            self.switches.append((time.monotonic(), self.scanning))
        elif opcode == 0x200D:
            # Create Connection: with filter policy 1, to any device of the accept list, which is the bulb.
            self.pending = "accept list" if values[4] else bytes(values[6:12])
            return self._status(opcode)
        elif opcode == 0x200E:
            self._complete(opcode)
            if self.pending:
                self.pending = None
                self._connection_complete(2)
            return None
        elif opcode == 0x2016:
            self._status(opcode)
            return self._event(0x3E, struct.pack("<BBH8s", 4, 0, HANDLE, bytes(8)))
        elif opcode == 0x0406:
            self._status(opcode)
            return self._disconnect(0x16)
        elif opcode == 0x1405:
            return self._complete(opcode, struct.pack("<Hb", HANDLE, -47))
        elif opcode == 0x0C2D:
            return self._complete(opcode, struct.pack("<Hb", HANDLE, 0))
        return self._complete(opcode, self.returned.get(opcode, b""))

    def _connect(self):
        self.pending = None
        self.is_connected = True
        self.connections += 1
        self._connection_complete(0)

    def _connection_complete(self, status):
        self._event(0x3E, struct.pack(
            "<BBHBB6sHHHB", 1, status, HANDLE, 0, self.kind, self.address, 24, 0, 200, 0))

    def _disconnect(self, reason):
        if self.is_connected:
            self.is_connected = False
            self.notifications = 0
            self.ends.append(time.monotonic())
            self._event(0x05, struct.pack("<BHB", 0, HANDLE, reason))

    # L2CAP and ATT

    def _receive_data(self, packet):
        self._event(0x13, struct.pack("<BHH", 1, HANDLE, 1))
        _, channel = struct.unpack_from("<HH", packet, 5)
        if channel == 4 and len(packet) > 9:
            self._receive_att(packet[9:])

    def _receive_att(self, request):
        operation = request[0]
        if operation == 0x02:
            self._send_att(struct.pack("<BH", 0x03, 517))
        elif operation == 0x0A and request[1:] == struct.pack("<H", VALUE):
            self._send_att(b"\x0bopen")
        elif operation == 0x12 and request[1:3] == struct.pack("<H", CONFIGURATION):
            self._send_att(b"\x13")
        elif not operation & 0x40:
            # Error Response: Request Not Supported.
            self._send_att(struct.pack("<BBHB", 0x01, operation, 0, 0x06))

    def _send_att(self, packet):
        self._send_data(struct.pack("<HH", len(packet), 4) + packet)

    def _send_data(self, data):
        """Sends a frame of L2CAP to the kernel."""
        self._write(struct.pack("<BHH", 2, HANDLE | 2 << 12, len(data)) + data)
