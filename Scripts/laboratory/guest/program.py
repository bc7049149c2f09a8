# SPDX-License-Identifier: GPL-3.0-or-later
"""A program of a scenario, its log, and the resources that it uses."""

import gc
import os
import pathlib
import runpy
import signal
import subprocess
import sys
import traceback

PATIENCE = 10


class Usage:
    """The resources that a process has used so far: processor seconds, voluntary context switches, kilobytes."""

    def __init__(self, process):
        root = pathlib.Path(f"/proc/{process}")
        tasks = list((root / "task").iterdir())
        # In nanoseconds, much finer than the clock ticks of /proc/PID/stat.
        self.seconds = sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9
        self.switches = sum(_status(task)["voluntary_ctxt_switches"] for task in tasks)
        status = _status(root)
        self.resident, self.anonymous = status["VmRSS"], status["RssAnon"]
        self.descriptors = len(list((root / "fd").iterdir()))
        self.threads = len(tasks)


def _status(folder):
    rows = (line.split(":", 1) for line in (folder / "status").read_text().splitlines())
    return {key: int(value.split()[0]) for key, value in rows if value.split() and value.split()[0].isdigit()}


class Program:
    """A program that the constructor starts; its log is kept with the results. It inherits `descriptors`."""

    # What the program reads.
    input = subprocess.DEVNULL
    # What runs in the new process instead of a program.
    instead = None

    def __init__(self, world, name, command, quiet=False, descriptors=()):
        self.world = world
        self.name = name
        self.path = world.results / f"{name}.log"
        self.command = [str(argument) for argument in command]
        self.quiet = quiet
        self.descriptors = descriptors
        self.start()

    def start(self):
        self.log = open(self.path, "ab")
        self.process = subprocess.Popen(
            self.command, stdin=self.input, stdout=subprocess.DEVNULL if self.quiet else self.log, stderr=self.log,
            pass_fds=self.descriptors, preexec_fn=self.instead)

    @property
    def pid(self):
        return self.process.pid

    @property
    def is_running(self):
        return self.process.poll() is None

    def usage(self):
        return Usage(self.pid)

    def log_text(self, rows=None):
        lines = self.path.read_text(errors="replace").splitlines()
        return "\n".join(lines[-rows:] if rows else lines)

    def kill(self):
        self.process.kill()
        self.process.wait(PATIENCE)

    def end(self, patience=PATIENCE):
        """Ends the program, and returns its exit status."""
        if self.is_running:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(patience)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait(PATIENCE)
        self.log.close()
        return self.process.returncode


class PythonProgram(Program):
    """A program of this folder, in a fork of this process: bumble, which the emulated processor takes seconds to load, may
    be loaded already (see run.py). The command is the file's name and the arguments."""

    def instead(self):
        code = 1
        try:
            # As in every process of Python.
            signal.signal(signal.SIGPIPE, signal.SIG_IGN)
            # What this process has open is not the program's; nor may the program close it when it collects garbage.
            gc.freeze()
            last = 3
            for descriptor in [*sorted(self.descriptors), os.sysconf("SC_OPEN_MAX")]:
                os.closerange(last, descriptor)
                last = descriptor + 1
            sys.stdin, sys.argv = open(0, closefd=False), self.command
            runpy.run_path(str(pathlib.Path(__file__).with_name(self.command[0])), run_name="__main__")
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
