# SPDX-License-Identifier: GPL-3.0-or-later
"""An adapter of the kernel whose controller is bumble's (PyPI), and the air between it and other controllers of bumble.
What bumble 0.0.236 leaves out, and a kernel needs, is here. Imported only where bumble can be imported."""

import asyncio
import os
import struct
import time

from bumble import controller, hci, link, ll
from bumble.core import PhysicalTransport

ADAPTER = "00:E0:4C:00:00:07"
# With one of these the kernel waits 20 s for the Enhanced Connection Complete event, which bumble does not send.
EXTENDED = (hci.LeFeatureMask.LE_EXTENDED_ADVERTISING | hci.LeFeatureMask.LE_PERIODIC_ADVERTISING
            | hci.LeFeatureMask.LL_PRIVACY)
# A controller for BR/EDR too, which can do Secure Simple Pairing and Secure Connections.
CLASSIC = (hci.LmpFeatureMask.SECURE_SIMPLE_PAIRING_CONTROLLER_SUPPORT
           | hci.LmpFeatureMask.SECURE_CONNECTIONS_CONTROLLER_SUPPORT
           | hci.LmpFeatureMask.SIMULTANEOUS_LE_AND_BR_EDR_TO_SAME_DEVICE_CAPABLE_CONTROLLER)
# What commands return after their status that bumble does not know; a controller for BR/EDR must know them. Core
# Specification 5.4, Volume 4, Part E: Voice Setting, Number Of Supported IAC, Current IAC LAP, Page Scan Activity, Page
# Scan Type, Inquiry Mode, Inquiry Response TX Power, Default Erroneous Data Reporting, Secure Connections Host Support.
RETURNED = {
    0x0C25: bytes(2), 0x0C38: b"\x01", 0x0C39: b"\x01\x33\x8b\x9e", 0x0C1B: struct.pack("<HH", 0x0800, 0x12),
    0x0C46: b"\x00", 0x0C44: b"\x00", 0x0C58: b"\x00", 0x0C5A: b"\x00", 0x0C79: b"\x00",
    # Without parameters: Set Event Filter, Connection Accept Timeout, Page Timeout, Inquiry Mode, IAC LAP, Page Scan
    # Activity and Type, Default Link Policy, Delete Stored Link Key (how many), Secure Connections Host Support.
    0x0C05: b"", 0x0C16: b"", 0x0C18: b"", 0x0C45: b"", 0x0C3A: b"", 0x0C1C: b"", 0x0C47: b"", 0x080F: b"",
    0x0C12: bytes(2), 0x0C7A: b"",
}
SIGNAL = -47


def say(*words):
    """Prints a line, which begins with the kernel's clock."""
    print(f"{time.monotonic():.4f}", *words, flush=True)


class Air(link.LocalLink):
    """bumble's own link takes all data as sent from a controller's random address, even where a connection was made with
    the public one."""

    def send_acl_data(self, sender_controller, destination_address, transport, data):
        if transport != PhysicalTransport.LE:
            super().send_acl_data(sender_controller, destination_address, transport, data)
            return
        own = sender_controller.le_connections.get(destination_address)
        for receiver in self.controllers:
            other = receiver.le_connections.get(own.self_address) if own else None
            # Several devices may be connected with the sender.
            if other and receiver is not sender_controller and other.self_address == destination_address:
                asyncio.get_running_loop().call_soon(
                    receiver.on_link_acl_data, own.self_address, transport, data)

    def send_ll_control_pdu(self, sender_address, receiver_address, packet):
        receiver = self.find_le_controller(receiver_address)
        # The other side may have ended the connection meanwhile.
        if receiver and sender_address in receiver.le_connections:
            asyncio.get_running_loop().call_soon(self._deliver, receiver, sender_address, packet)

    @staticmethod
    def _deliver(receiver, sender_address, packet):
        if sender_address in receiver.le_connections:
            receiver.on_ll_control_pdu(sender_address, packet)


class Adapter(controller.Controller):
    """What the kernel has at /dev/vhci. Prints when the scan is switched, with its settings, and when the kernel
    connects, encrypts and disconnects."""

    def __init__(self, air, is_classic=False):
        super().__init__("adapter", link=air, public_address=ADAPTER)
        self.le_features &= ~EXTENDED
        self.supported_commands = self.supported_commands | {hci.HCI_WRITE_LE_HOST_SUPPORT_COMMAND}
        if is_classic:
            self.lmp_features = self.lmp_features & ~hci.LmpFeatureMask.BR_EDR_NOT_SUPPORTED | CLASSIC
        # The devices of the accept list, which bumble has none of, as address and kind of address.
        self.accepted = set()
        # The devices that were reported since the scan began, while the kernel wants each once.
        self.reported = set()
        self.policy, self.reports = 0, 0
        # Whether the kernel asks for scan responses, and whether nothing reaches the adapter at present.
        self.is_active, self.is_hushed = False, False
        # Not a transport of asyncio: that closes when a packet cannot be written because the adapter is down.
        self.descriptor = os.open("/dev/vhci", os.O_RDWR | os.O_NONBLOCK)
        os.write(self.descriptor, b"\xff\x00")
        asyncio.get_running_loop().add_reader(self.descriptor, self._read)

    def unplug(self):
        """The adapter goes away, and its connections break."""
        self._end_connections()
        asyncio.get_running_loop().remove_reader(self.descriptor)
        os.close(self.descriptor)
        self.descriptor = None
        self.link.remove_controller(self)

    # The kernel's side

    def _read(self):
        packet = os.read(self.descriptor, 4096)
        if packet[0] == 0xFF:
            say("adapter", f"hci{struct.unpack_from('<H', packet, 2)[0]}")
        elif packet[0] == 1 and self._replies_itself(packet):
            pass
        else:
            self.on_packet(packet)

    def _write(self, packet):
        if self.descriptor is None:
            return
        try:
            os.write(self.descriptor, packet)
        except OSError:
            # The adapter is down.
            pass

    def _event(self, code, body):
        self._write(bytes([4, code, len(body)]) + body)

    def _replies_itself(self, packet):
        opcode, = struct.unpack_from("<H", packet, 1)
        if opcode == 0x1405:
            # Read RSSI.
            self._event(0x0E, struct.pack("<BHB", 1, opcode, 0) + packet[4:6] + struct.pack("<b", SIGNAL))
        elif opcode == 0x0C2D:
            # Read Transmit Power Level.
            self._event(0x0E, struct.pack("<BHB", 1, opcode, 0) + packet[4:6] + b"\x00")
        elif opcode in RETURNED:
            self._event(0x0E, struct.pack("<BHB", 1, opcode, 0) + RETURNED[opcode])
        else:
            return False
        return True

    def send_hci_packet(self, packet):
        self._write(bytes(packet))

    def on_hci_command_packet(self, command):
        match command:
            case hci.HCI_LE_Set_Scan_Enable_Command():
                self.reported = set()
                say("scan", "on" if command.le_scan_enable else "off", "policy", self.policy, "once",
                    int(command.filter_duplicates))
            case hci.HCI_LE_Set_Scan_Parameters_Command():
                self.policy, self.is_active = int(command.scanning_filter_policy), bool(command.le_scan_type)
            case hci.HCI_LE_Clear_Filter_Accept_List_Command():
                self.accepted.clear()
            case hci.HCI_LE_Add_Device_To_Filter_Accept_List_Command():
                self.accepted.add(bytes(command.address))
            case hci.HCI_LE_Remove_Device_From_Filter_Accept_List_Command():
                self.accepted.discard(bytes(command.address))
            case hci.HCI_LE_Enable_Encryption_Command():
                say("kernel encrypts")
            case hci.HCI_Disconnect_Command():
                say("kernel disconnects, reason", int(command.reason))
            case hci.HCI_Reset_Command():
                # bumble goes on scanning, and keeps its connections.
                say("scan off reset")
                self.le_scan_enable, self.pending_le_connection = False, None
                self.accepted.clear()
                self._end_connections()
        super().on_hci_command_packet(command)
        if isinstance(command, hci.HCI_LE_Create_Connection_Cancel_Command) and self.pending_le_connection:
            self.pending_le_connection = None
            # Unknown Connection Identifier.
            self._event(0x3E, struct.pack("<BB17x", 1, 0x02))

    def _end_connections(self):
        for connection in list(self.le_connections.values()):
            connection.send_ll_control_pdu(ll.TerminateInd(hci.HCI_ErrorCode.CONNECTION_TIMEOUT_ERROR))
        self.le_connections.clear()

    # The air's side

    def on_advertising_pdu(self, pdu):
        address = pdu.advertiser_address
        self.hear(bytes(address), int(address.address_type), pdu.data, kind=0)
        pending = self.pending_le_connection
        if not pending or address in self.le_connections:
            return
        if pending.initiator_filter_policy == 1 and bytes(address) in self.accepted:
            pending.peer_address = address
        if pending.peer_address == address:
            say("kernel connects")
            self.create_le_connection(address)

    def hear(self, address, address_type, data, kind=3):
        """A device advertises. Reported once, not twice as bumble does, and with a signal strength of its own; written as
        bytes, because there are many."""
        if self.is_hushed or not self.le_scan_enable or self.policy & 1 and address not in self.accepted:
            return
        if self.filter_duplicates:
            if address in self.reported:
                return
            self.reported.add(address)
        self._report(address, address_type, data, kind)
        # Who can be scanned responds, with or without data (Core Specification 5.4, Volume 6, Part B, 4.4.2.3). The kernel
        # keeps back what it heard until the response, or until another device is heard.
        if self.is_active and kind == 0:
            self._report(address, address_type, b"", 4)

    def _report(self, address, address_type, data, kind):
        self.reports += 1
        self._event(0x3E, struct.pack("<BBBB6sB", 2, 1, kind, address_type, address, len(data)) + data
                    + struct.pack("<b", SIGNAL))
