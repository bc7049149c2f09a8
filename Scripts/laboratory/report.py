# SPDX-License-Identifier: GPL-3.0-or-later
"""report.py follow FOLDER PROCESSES SCENARIO…: prints a line for each scenario as its result appears in FOLDER, and
fails when one failed, or when all of PROCESSES end without a result.
report.py lost FOLDER SCENARIO WHY CONSOLE: writes the result of a scenario during which the machine ended."""

import json
import os
import pathlib
import sys
import time


def shown(figure):
    if isinstance(figure, float):
        return f"{figure:,.0f}" if abs(figure) >= 1000 else f"{figure:.3g}"
    return f"{figure:,}" if isinstance(figure, int) else str(figure)


def line(name, result):
    figures = "  ".join(f"{key} {shown(value)}" for key, value in result.get("figures", {}).items())
    mark = "good" if result["passed"] else "FAILED"
    text = f"{mark:<7}{name:<32}{result['seconds']:>5.1f} s  {figures}"
    if not result["passed"]:
        text += "\n" + "\n".join("       " + row for row in result["why"].splitlines())
    return text


def is_alive(process):
    try:
        state = pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
        return state != "Z"
    except OSError:
        return False


def result(path):
    """The scenario's result, or None while the file is missing or incomplete."""
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError):
        return None


def follow(folder, processes, names):
    start, failed, left = time.monotonic(), [], list(names)
    while left:
        # Checked before the results, because a machine may write one just before it ends.
        alive = any(is_alive(process) for process in processes)
        come = [(name, answer) for name in left if (answer := result(pathlib.Path(folder, name + ".json")))]
        for name, answer in come:
            left.remove(name)
            failed += [] if answer["passed"] else [name]
            print(line(name, answer), flush=True)
        if left and not come and not alive:
            sys.exit(f"Scripts/lab: the machines have ended without a result of {', '.join(left)}")
        time.sleep(0.1)
    print(f"{len(names)} scenarios in {time.monotonic() - start:.0f} s")
    if failed:
        sys.exit(f"Scripts/lab: {len(failed)} of {len(names)} failed: {', '.join(failed)}; "
                 "logs are in .lab/run/shared/results")


def lost(folder, name, why, console):
    last = "\n".join(pathlib.Path(console).read_text(errors="replace").splitlines()[-15:])
    answer = {"passed": False, "seconds": 0.0, "figures": {}, "why": f"{why}; the end of its console:\n{last}"}
    pathlib.Path(folder, name + ".json").write_text(json.dumps(answer))


if sys.argv[1] == "follow":
    follow(sys.argv[2], sys.argv[3].split(), sys.argv[4:])
else:
    lost(*sys.argv[2:])
