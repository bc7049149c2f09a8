# SPDX-License-Identifier: GPL-3.0-or-later
"""libraries.py PROGRAM…: prints the Debian packages that the programs need, of any processor, as a field Depends has them.

dpkg-shlibdeps knows the libraries of the processors only whose packages are installed. Scripts/packaging/check compares
the two.
"""
import re
import subprocess
import sys

# The version of GCC that a version of libstdc++'s symbols came with.
GCC_OF_SYMBOLS = {21: "5", 22: "6", 23: "7", 24: "7", 25: "8", 26: "9", 27: "9", 28: "10", 29: "11", 30: "12", 31: "13",
                  32: "13.2", 33: "14", 34: "15"}
PACKAGES = {
    "libc.so.6": "libc6", "libm.so.6": "libc6", "ld-linux-x86-64.so.2": "libc6", "ld-linux-aarch64.so.1": "libc6",
    "libgcc_s.so.1": "libgcc-s1", "libstdc++.so.6": "libstdc++6", "libncursesw.so.6": "libncursesw6",
    "libtinfo.so.6": "libtinfo6", "libqrencode.so.4": "libqrencode4",
    "libmosquitto.so.1": "libmosquitto1", "libnats.so.3.4": "libnats3.4", "libmicrohttpd.so.12": "libmicrohttpd12", "libgnutls.so.30": "libgnutls30",
}
VERSIONS = {"libgcc-s1": "3.3", "libgnutls30": "3.7.0", "libmicrohttpd12": "0.9.50", "libncursesw6": "6", "libtinfo6": "6",
            "libqrencode4": "3.2.0", "libmosquitto1": "1.0", "libnats3.4": "2.5.1"}


def output_of(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def highest(name, text):
    """The highest version of symbols in `readelf --version-info`, such as GLIBC_2.34, as numbers; [] where none is."""
    return max(([int(part) for part in found.split(".")] for found in re.findall(rf"\b{name}_([\d.]+)", text)), default=[])


def main():
    programs = sys.argv[1:]
    if not programs:
        sys.exit(__doc__.strip())
    needed = set(re.findall(r"Shared library: \[(.*)\]", output_of("readelf", "--dynamic", *programs)))
    for library in sorted(needed - PACKAGES.keys()):
        sys.exit(f"libraries.py: the programs need {library}, and this script knows no package that has it")
    text = output_of("readelf", "--version-info", *programs)
    versions = dict(VERSIONS)
    versions["libc6"] = ".".join(map(str, highest("GLIBC", text)))
    symbols = highest("GLIBCXX", text)
    # GLIBCXX_3.4.N
    versions["libstdc++6"] = GCC_OF_SYMBOLS.get(symbols[2] if len(symbols) > 2 else 21, "5")
    print(", ".join(f"{name} (>= {versions[name]})" for name in sorted({PACKAGES[library] for library in needed})))


main()
