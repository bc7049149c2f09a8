# SPDX-License-Identifier: GPL-3.0-or-later
"""The scenarios' own Bluetooth sockets (Linux, include/net/bluetooth/hci_sock.h and mgmt.h)."""

import contextlib
import ctypes
import fcntl
import os
import pathlib
import socket
import struct
import time

from errors import ScenarioError

CHANNEL_RAW, CHANNEL_USER, CHANNEL_CONTROL = 0, 1, 3
NO_DEVICE = 0xFFFF
SOL_HCI, HCI_FILTER = 0, 2
SO_MEMINFO, MEMINFO_DROPS = 55, 8
HCIGETDEVINFO, HCIDEVUP, HCIDEVDOWN = 0x800448D3, 0x400448C9, 0x400448CA

libc = ctypes.CDLL(None, use_errno=True)


def open_channel(device, channel):
    opened = socket.socket(socket.AF_BLUETOOTH, socket.SOCK_RAW | socket.SOCK_CLOEXEC, socket.BTPROTO_HCI)
    address = struct.pack("<HHH", socket.AF_BLUETOOTH, device, channel)
    if libc.bind(opened.fileno(), address, len(address)) < 0:
        code = ctypes.get_errno()
        opened.close()
        raise OSError(code, os.strerror(code))
    return opened


def block(on):
    """Has the kernel block or unblock all adapters, with a struct rfkill_event: index, type bluetooth, operation "change
    all", soft."""
    pathlib.Path("/dev/rfkill").write_bytes(struct.pack("<IBBBB", 0, 2, 3, int(on), 0))


def flags(index):
    """The adapter's flags, as hciconfig prints them; bit 0 is UP."""
    with socket.socket(socket.AF_BLUETOOTH, socket.SOCK_RAW, socket.BTPROTO_HCI) as control:
        # struct hci_dev_info: dev_id, name[8], bdaddr[6], flags.
        info = bytearray(struct.pack("<H", index).ljust(92, b"\0"))
        fcntl.ioctl(control, HCIGETDEVINFO, info)
        return struct.unpack_from("<I", info, 16)[0]


def is_up(index):
    return bool(flags(index) & 1)


def take_up(index):
    """Switches the adapter on, if it is not."""
    with socket.socket(socket.AF_BLUETOOTH, socket.SOCK_RAW, socket.BTPROTO_HCI) as control:
        with contextlib.suppress(OSError):
            fcntl.ioctl(control, HCIDEVUP, index)
    if not is_up(index):
        raise ScenarioError(f"hci{index} cannot be switched on")


def drops(connection):
    """How many packets the kernel dropped."""
    return struct.unpack_from("<9I", connection.getsockopt(socket.SOL_SOCKET, SO_MEMINFO, 36))[MEMINFO_DROPS]


class RawReader:
    """Counts LE meta events with reports."""

    def __init__(self, index):
        self.socket = open_channel(index, CHANNEL_RAW)
        # Events only: command complete, command status, LE meta.
        mask = 1 << 0x0E | 1 << 0x0F | 1 << 0x3E
        self.socket.setsockopt(SOL_HCI, HCI_FILTER, struct.pack("<IIIH2x", 1 << 4, mask & 0xFFFFFFFF, mask >> 32, 0))
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
        self.socket.setblocking(False)
        self.events = 0

    def drain(self):
        while True:
            try:
                packet = self.socket.recv(1024)
            except BlockingIOError:
                return self.events
            if packet[:2] == b"\x04\x3e" and packet[3] in (0x02, 0x0B, 0x0D):
                self.events += 1

    def read_for(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.drain()
            time.sleep(0.01)
        return self.drain()

    def close(self):
        self.socket.close()

    def command(self, opcode, parameters):
        self.socket.send(struct.pack("<BHB", 1, opcode, len(parameters)) + parameters)


class Mgmt:
    """The kernel's mgmt socket (BlueZ, doc/mgmt-api.txt)."""

    POWERED, LE, DISCOVERY_START, DISCOVERY_STOP, READ_INFO = 0x0005, 0x000D, 0x0023, 0x0024, 0x0004
    ADD_MONITOR, REMOVE_MONITOR, READ_MONITORS = 0x0052, 0x0053, 0x0051
    # A status: another program's command of the same kind is not complete.
    BUSY = 0x0A

    def call(self, opcode, index=NO_DEVICE, parameters=b""):
        """Returns the status and the return parameters. Each call opens a socket, because an open one fills with an
        event for each report."""
        with open_channel(NO_DEVICE, CHANNEL_CONTROL) as control:
            control.settimeout(20)
            control.send(struct.pack("<HHH", opcode, index, len(parameters)) + parameters)
            end = time.monotonic() + 20
            while time.monotonic() < end:
                event = control.recv(2048)
                code, = struct.unpack_from("<H", event)
                # Command Complete and Command Status.
                if code in (1, 2) and struct.unpack_from("<H", event, 6)[0] == opcode:
                    return event[8], event[9:]
        raise ScenarioError(f"no answer to mgmt command {opcode:#06x}")

    def power(self, index, on=True):
        status, _ = self.call(self.POWERED, index, bytes([on]))
        return status

    def settings(self, index):
        """The current settings; bit 0 is powered."""
        status, info = self.call(self.READ_INFO, index)
        return struct.unpack_from("<I", info, 13)[0] if status == 0 else None

    def monitors(self, index):
        """Handles of the advertisement monitors."""
        status, answer = self.call(self.READ_MONITORS, index)
        if status:
            return []
        # Supported and enabled features, the most handles and patterns; then the number of handles.
        count = struct.unpack_from("<H", answer, 11)[0]
        return list(struct.unpack_from(f"<{count}H", answer, 13))
