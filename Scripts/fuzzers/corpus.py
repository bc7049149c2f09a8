# SPDX-License-Identifier: GPL-3.0-or-later
"""corpus.py (pack | unpack) TARGET FOLDER: the corpus of a fuzz target, from the files of a folder and back: a file with a
line of hex digits for each input, the shortest first, as many as have BYTES_MAX together."""

import pathlib
import sys

BYTES_MAX = 8192
HEAD = "# SPDX-License-Identifier: GPL-3.0-or-later\n"


def pack(corpus, folder):
    inputs = sorted({file.read_bytes() for file in folder.iterdir()} - {b""}, key=lambda text: (len(text), text))
    count, size = 0, 0
    while count < len(inputs) and size + len(inputs[count]) <= BYTES_MAX:
        size += len(inputs[count])
        count += 1
    corpus.parent.mkdir(exist_ok=True)
    corpus.write_text(HEAD + "".join(text.hex() + "\n" for text in inputs[:count]))


def unpack(corpus, folder):
    if corpus.exists():
        for number, line in enumerate(corpus.read_text().splitlines()[1:]):
            (folder / f"corpus-{number}").write_bytes(bytes.fromhex(line))


action, target, folder = sys.argv[1:]
{"pack": pack, "unpack": unpack}[action](
    pathlib.Path(__file__).parent / "corpus" / f"{target}.hex", pathlib.Path(folder))
