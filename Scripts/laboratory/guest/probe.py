# SPDX-License-Identifier: GPL-3.0-or-later
"""probe.py: tries what a confined service may not do, and prints each outcome: "done", or the name of the error."""

import ctypes
import errno
import json
import mmap
import os
import socket

libc = ctypes.CDLL(None, use_errno=True)
CLONE_NEWUSER, PER_LINUX32, PTRACE_TRACEME = 0x10000000, 8, 0


def call(name, *arguments):
    if getattr(libc, name)(*arguments) < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


def open_socket(family, protocol=0):
    socket.socket(family, socket.SOCK_RAW if protocol else socket.SOCK_STREAM, protocol).close()


# Calls that any account may make, unless its service forbids them.
TRIES = {
    "AF_UNIX": lambda: open_socket(socket.AF_UNIX),
    "AF_BLUETOOTH": lambda: open_socket(socket.AF_BLUETOOTH, socket.BTPROTO_HCI),
    "AF_INET": lambda: open_socket(socket.AF_INET),
    "AF_NETLINK": lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW).close(),
    "setpriority": lambda: os.setpriority(os.PRIO_PROCESS, 0, 5),
    "personality": lambda: call("personality", PER_LINUX32),
    "writable code": lambda: mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC),
    "unshare": lambda: call("unshare", CLONE_NEWUSER),
    "ptrace": lambda: call("ptrace", PTRACE_TRACEME, 0, 0, 0),
}


def outcome(attempt):
    try:
        attempt()
    except OSError as error:
        return errno.errorcode[error.errno]
    return "done"


print(json.dumps({name: outcome(attempt) for name, attempt in TRIES.items()}))
