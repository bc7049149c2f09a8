# SPDX-License-Identifier: GPL-3.0-or-later
"""What AppArmor denied the agents, installed or not, and bridges, from the kernel's log."""

import os


class Denials:
    """The denials from its construction on."""

    def __init__(self):
        self.log = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK)
        os.lseek(self.log, 0, os.SEEK_END)

    def take(self):
        """The denials since the last call, each with its operation, profile and path."""
        denials = []
        while True:
            try:
                record = os.read(self.log, 8192).decode(errors="replace")
            except BlockingIOError:
                return denials
            except BrokenPipeError:
                continue  # The kernel has overwritten records that were not read.
            if 'apparmor="DENIED"' in record and 'profile="accessory' in record:
                denials.append(record.partition("apparmor=")[2].splitlines()[0])
