# SPDX-License-Identifier: GPL-3.0-or-later
"""sbom.py PROGRAMS VERSION ARCH FOLDER: writes the list of what is linked into the programs of each package, as an SPDX 2.3
document PACKAGE/PACKAGE.spdx.json in FOLDER. The folder PROGRAMS has the programs with their symbols.

The documents are of the time SOURCE_DATE_EPOCH. components.toml names the components. A static library whose code is in a
program, and that no component has, is an error. So is a component that is in no program of this machine's processor.
"""
import datetime
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGES = {
    "accessory-gateway": ["accessoryd", "accessoryctl"],
    "accessory-gateway-simulation": ["virtual-controller"],
    "accessory-gateway-esphome": ["accessory-esphome"],
    "accessory-gateway-mqtt": ["accessory-mqtt"],
    "accessory-gateway-nats": ["accessory-nats"],
    "accessory-gateway-web": ["accessory-web"],
}
PROGRAMS = [name for names in PACKAGES.values() for name in names]
HOME = "https://example.org/accessory-gateway"
TOOLCHAIN = pathlib.Path(shutil.which("swift")).resolve().parent


def output_of(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT).stdout


def symbols(file, kinds):
    """The names that a file defines; upper-case kinds are those that other files may use, except for weak ones."""
    lines = output_of(TOOLCHAIN / "llvm-nm", "--defined-only", "--quiet", file).splitlines()
    return {fields[2] for fields in map(str.split, lines) if len(fields) == 3 and fields[1] in kinds}


def archives():
    """The static libraries that a link of the programs could take code from, by name."""
    compiler = output_of("cc", "-print-libgcc-file-name").strip()
    library = pathlib.Path(output_of("cc", "-print-file-name=libstdc++.a").strip())
    system = pathlib.Path("/usr/lib") / output_of("cc", "-print-multiarch").strip()
    linked = re.findall(r'linkedLibrary\(":?(?:lib)?([\w+-]+?)(?:\.a)?"\)', (ROOT / "Package.swift").read_text())
    # libm.a refers to two archives, and is linked dynamically.
    names = [f"lib{name}.a" for name in sorted(set(linked) - {"m"})]
    found = list(TOOLCHAIN.parent.glob("lib/swift_static/linux/*.a")) + [pathlib.Path(compiler), library]
    found += [system / name for name in names if (system / name).exists()]
    return {file.name: symbols(file, "TDRBS") for file in found}


def linked_archives(programs):
    """The programs that have a symbol that only this archive defines, by the archive's name. A weak symbol may be another
    definition of the same name."""
    known = archives()
    # Scripts/cross links functions of the project's own that a library may have, too.
    compatibility = ROOT / ".build-cross/glibc.o"
    project = symbols(compatibility, "T") if compatibility.exists() else set()
    linked = {}
    for name, own in known.items():
        others = project.union(*(symbols for other, symbols in known.items() if other != name))
        users = [program for program, all_symbols in programs.items() if (own - others) & all_symbols]
        if users:
            linked[name] = users
    return linked


def users_of(component, linked, programs):
    users = {user for name in component.get("archives", []) for user in linked.get(name, [])}
    if prefix := component.get("symbols"):
        users |= {name for name, own in programs.items() if any(symbol.startswith(prefix) for symbol in own)}
    return sorted(users)


def version_of(component, folder):
    kind, _, package = component["version"].partition(" ")
    if kind == "debian":
        return output_of("dpkg-query", "-W", "-f", "${Version}", package)
    if kind == "pinned":
        return re.search(r'exact: "([\d.]+)"', (ROOT / "Package.swift").read_text())[1]
    if kind == "swift":
        # Debian's own libraries, which Scripts/cross may take, have their version in the paths of their sources.
        other = re.search(rb"/swiftlang-([\d.]+)/", (folder / PROGRAMS[0]).read_bytes())
        return other[1].decode() if other else re.search(
            r"Swift version ([\d.]+)", output_of(TOOLCHAIN / "swift", "--version"))[1]
    return kind


def identifier(name):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


def package(name, version, licence, **more):
    return {"SPDXID": identifier(name), "name": name, "versionInfo": version, "filesAnalyzed": False,
            "downloadLocation": "NOASSERTION", "licenseConcluded": licence, "licenseDeclared": licence,
            "copyrightText": "NOASSERTION", **more}


def components_of(folder, arch):
    """The components that are linked in, by name, each with the programs that contain it."""
    programs = {name: symbols(folder / name, "TtDdRrBbVvWwSs") for name in PROGRAMS}
    components = tomllib.loads(pathlib.Path(__file__).with_name("components.toml").read_text())
    linked = linked_archives({name: symbols(folder / name, "TtDdRrBbSs") for name in PROGRAMS})
    named = {archive for component in components.values() for archive in component.get("archives", [])}
    for name in sorted(linked.keys() - named):
        sys.exit(f"sbom.py: {name} is linked into {', '.join(linked[name])}, and no component in "
                 "Scripts/packaging/components.toml has it")
    for name, component in components.items():
        component["users"] = users_of(component, linked, programs)
        if not component["users"] and arch == output_of("dpkg", "--print-architecture").strip():
            sys.exit(f"sbom.py: no program contains {name}: remove it from Scripts/packaging/components.toml")
    return components


def document(title, programs, components, folder, version, arch):
    whole = "GPL-3.0-or-later AND Apache-2.0"
    packages = [package(title, version, whole, primaryPackagePurpose="INSTALL", supplier="NOASSERTION")]
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", identifier(title))]
    for name in programs:
        packages.append(package(name, version, whole, primaryPackagePurpose="APPLICATION"))
        relations.append((identifier(title), "CONTAINS", identifier(name)))
    for name, component in components.items():
        users = [user for user in component["users"] if user in programs]
        if users:
            packages.append(package(
                name, version_of(component, folder), component["licence"], primaryPackagePurpose="LIBRARY",
                homepage=component["origin"], supplier=f"Organization: {component['supplier']}"))
        relations += [(identifier(user), "STATIC_LINK", identifier(name)) for user in users]
    seconds = int(os.environ["SOURCE_DATE_EPOCH"])
    created = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    digest = hashlib.sha256(b"".join((folder / name).read_bytes() for name in programs)).hexdigest()
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"{title}_{version}_{arch}",
        "documentNamespace": f"{HOME}/spdx/{title}/{version}/{arch}/{digest}",
        "creationInfo": {"created": created, "creators": ["Tool: accessory-gateway-sbom"]},
        "packages": packages,
        "relationships": [{"spdxElementId": first, "relationshipType": kind, "relatedSpdxElement": second}
                          for first, kind, second in relations],
    }


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__.strip())
    folder, version, arch, target = sys.argv[1:]
    components = components_of(pathlib.Path(folder), arch)
    for title, programs in PACKAGES.items():
        text = json.dumps(document(title, programs, components, pathlib.Path(folder), version, arch), indent=2)
        file = pathlib.Path(target) / title / f"{title}.spdx.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text + "\n", encoding="utf-8")


main()
