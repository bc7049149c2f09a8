# SPDX-License-Identifier: GPL-3.0-or-later
"""Accessories that other programs play: bumble, or bluetoothd on a second adapter of the kernel. The two sides exchange
messages through a socket. The first byte of a message says what it is:

A   advertisement: the address, and the data
C   the adapter has connected to the accessory
D   a frame of L2CAP
X   one side ended the connection: the reason
O   what a scenario wants the accessory to do, as text
"""

import socket
import struct

from peripheral import ADAPTER, HANDLE, Peripheral, address_bytes
from program import PythonProgram

DICE = "F0:F1:D1:CE:00:06"
# The second adapter.
HOSTED = "00:E0:4C:00:00:08"
# The reason for the end of a connection: the other side ended it.
REMOTE = 0x13


class Relay(Peripheral):
    """An adapter of the kernel at one end of the socket."""

    def __init__(self, air, **settings):
        self.air = air
        self.air.setblocking(False)
        # The part of a frame that the kernel has sent so far.
        self.partial = b""
        super().__init__(**settings)

    def end(self, _=None):
        super().end()
        self.air.close()

    def _receive_messages(self):
        """At most one frame in each call, as in the events of a connection; what is left waits in the socket."""
        while True:
            try:
                message = self.air.recv(2048)
            except BlockingIOError:
                return
            if not message:
                return
            kind, body = message[:1], message[1:]
            if kind == b"A":
                self._hear(body[:6], body[6:])
            elif kind == b"C":
                self._accept()
            elif kind == b"X":
                super()._disconnect(body[0])
            elif kind == b"D" and self.is_connected:
                self._send_data(body)
                return

    def _receive_data(self, packet):
        self._event(0x13, struct.pack("<BHH", 1, HANDLE, 1))
        flags, = struct.unpack_from("<H", packet, 1)
        # Packet boundary flag 1: the frame goes on.
        self.partial = self.partial + packet[5:] if flags >> 12 & 3 == 1 else packet[5:]
        if len(self.partial) >= 4 and len(self.partial) == 4 + struct.unpack_from("<H", self.partial)[0]:
            self.air.send(b"D" + self.partial)

    def _disconnect(self, reason):
        """The kernel ends the connection."""
        if self.is_connected:
            self.air.send(bytes([ord("X"), REMOTE]))
        super()._disconnect(reason)

    def _hear(self, address, data):
        """An accessory advertises; an adapter that is one itself does not listen."""

    def _accept(self):
        """A central connects; only an accessory accepts."""


class RemotePeripheral(Relay):
    """An adapter, and near it an accessory at the other end of the socket, beside the other devices."""

    def order(self, text):
        self.air.send(b"O" + text.encode())

    def drop(self):
        self.order("drop")

    def lose(self):
        """The two sides no longer hear each other."""
        self._disconnect(0x08)

    def _advertise(self, turn):
        self._receive_messages()
        if turn:
            super()._advertise(turn)

    def _hear(self, address, data):
        if address == self.address and self.is_present and not self.is_connected:
            self._offer(data)

    def _connect(self):
        self.air.send(b"C")
        super()._connect()


class HostedPeripheral(Relay):
    """An adapter that advertises and is connected to: what the kernel and bluetoothd do with it is the accessory."""

    def __init__(self, air):
        self.is_advertising, self.data = False, b""
        super().__init__(air, address=ADAPTER, kind=0, adapter=HOSTED)

    def _advertise(self, turn):
        self._receive_messages()
        if not turn and self.is_advertising and not self.is_connected:
            self.air.send(b"A" + address_bytes(HOSTED) + self.data)

    def _receive(self, packet):
        if packet[:3] == b"\x01\x08\x20":
            self.data = packet[5:5 + packet[4]]
        elif packet[:3] == b"\x01\x0a\x20":
            self.is_advertising = bool(packet[4])
        return super()._receive(packet)

    def _accept(self):
        self.is_advertising, self.is_connected = False, True
        # LE Connection Complete, in the role of the peripheral.
        self._event(0x3E, struct.pack("<BBHBB6sHHHB", 1, 0, HANDLE, 1, self.kind, self.address, 24, 0, 200, 0))


def make_air():
    """The two ends of a socket."""
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)


class BumbleDice(PythonProgram):
    """Dice that bumble plays. `adapter` is the adapter of the kernel that they are near to."""

    def __init__(self, world):
        near, far = make_air()
        command = ["bumble-dice.py", far.fileno(), DICE]
        super().__init__(world, "bumble-dice", command, descriptors=[far.fileno()])
        far.close()
        # The emulated processor takes long to load bumble.
        world.until(lambda: "advertising" in self.log_text() or not self.is_running, "bumble advertises", 120)
        world.check(self.is_running, f"bumble runs: {self.log_text(5)}")
        self.adapter = RemotePeripheral(near, address=DICE)
        world.open.append(self.adapter)


class HostedDice:
    """Two adapters: what bluetoothd and bluetoothctl do with the second one is an accessory near the first one."""

    def __init__(self, world):
        near, far = make_air()
        self.adapter = RemotePeripheral(near, address=HOSTED, kind=0)
        self.hosted = HostedPeripheral(far)
        world.open += [self.adapter, self.hosted]
