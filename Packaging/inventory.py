#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what is linked into a program or library: an inventory (SPDX 2.3), and the notices of the licences.

    Packaging/inventory.py VERSION BUILT INSTALLED DIRECTORY

BUILT still has its symbols; INSTALLED is the same file without them. A Swift package, a static library of the toolchain
or of the C compiler is linked if BUILT has its symbols. DIRECTORY gets NAME.spdx.json and NAME.notices.txt. SYSROOT is
the root of another processor's libraries (Packaging/sdk.sh), if BUILT is for that. The time in the inventory is
SOURCE_DATE_EPOCH, or that of the last commit.
"""

import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

version, built, installed, directory = sys.argv[1], *map(pathlib.Path, sys.argv[2:])
name, build = built.name.removesuffix(".so"), built.parent
checkouts = build / "../../checkouts"
sysroot = os.environ.get("SYSROOT")

SWIFT = "Apache-2.0 WITH Swift-exception"
GCC = "GPL-3.0-or-later WITH GCC-exception-3.1"
# The static libraries of the toolchain, by their names: the first pattern counts.
TOOLCHAIN = {
    "libswiftDispatch|libdispatch|libBlocksRuntime": "swift-corelibs-libdispatch",
    "libswift": "swift",
    "lib_FoundationCollections": "swift-collections",
    "libFoundation(?:Essentials|Internationalization)|lib_FoundationCShims": "swift-foundation",
    "lib(?:Core)?Foundation|lib_CF": "swift-corelibs-foundation",
}


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def symbols(kinds, *options):
    """Symbols that files define, weak ones aside: several files may have the same of these."""
    lines = output("nm", "--defined-only", "--quiet", "--no-sort", *options)
    return set(re.findall(rf"^[0-9a-f]+ [{kinds}] (\S+)$", lines, re.M))


# In a library that exports few names the rest is local.
linked = symbols("TDBRtdbr", built)
components = {}


def add_if_linked(component, number, licence, label, paths, **more):
    paths = [path for path in paths if os.path.exists(path)]
    if not paths or linked.isdisjoint(symbols("TDBR", "--extern-only", *paths)):
        return
    entry = components.setdefault(component, {"version": number, "licence": licence, "files": [], "texts": [], **more})
    entry["files"].append(label)


def swift_packages():
    """Packages that SwiftPM has fetched; a module of theirs that is linked has its objects in the build."""
    state = json.loads((build / "../../workspace-state.json").read_text())
    for package in state["object"]["dependencies"]:
        reference, checkout = package["packageRef"], checkouts / package["subpath"]
        text = (checkout / "LICENSE.txt").read_text()
        if not re.search(r"Apache License\s+Version 2\.0", text):
            sys.exit(f"inventory.py: {checkout} has an unknown licence")
        for module in sorted(os.listdir(checkout / "Sources")):
            add_if_linked(
                reference["identity"], package["state"]["checkoutState"].get("version"),
                SWIFT if "Runtime Library Exception" in text else "Apache-2.0", module,
                build.glob(f"{module}.build/*.o"), address=reference["location"],
                texts=[path for path in (checkout / "LICENSE.txt", checkout / "NOTICE.txt") if path.exists()])


def toolchain_libraries():
    root = pathlib.Path(sysroot, "usr/libexec/swift") if sysroot \
        else pathlib.Path(shutil.which("swift")).resolve().parents[1]
    # Debian has no copy of the licence where the toolchain has it; this package's is the same.
    places = [root / "share/swift/LICENSE.txt", checkouts / "swift-argument-parser/LICENSE.txt"]
    texts = [path for path in places if path.exists()][:1]
    number = re.search(r"Swift version (\S+)", output("swiftc", "--version"))[1]
    for library in sorted((root / "lib/swift_static/linux").glob("*.a")):
        component = next((known for names, known in TOOLCHAIN.items() if re.match(names, library.name)), library.name)
        add_if_linked(component, number, SWIFT, library.name, [library], texts=texts)
        if component == library.name and component in components:
            sys.exit(f"inventory.py: {library.name} is in no row of TOOLCHAIN")
    # The runtime has a part of LLVM's library in it.
    if any(re.search("__swift.*4llvm", symbol) for symbol in linked):
        components["llvm-support"] = {
            "version": number, "licence": "Apache-2.0 WITH LLVM-exception", "files": ["libswiftCore.a"], "texts": []}


def compiler_libraries():
    gcc, glibc = output("gcc", "-dumpfullversion").strip(), re.search(r"(\d+\.\d+)\n", output("ldd", "--version"))[1]
    for file, component, number, licence in (
            ("libstdc++.a", "libstdc++", gcc, GCC), ("libgcc_eh.a", "libgcc", gcc, GCC),
            ("libgcc.a", "libgcc", gcc, GCC), ("libc_nonshared.a", "glibc", glibc, "LGPL-2.1-or-later")):
        if sysroot:
            library = pathlib.Path(sysroot, "usr/lib")
            paths = [*library.glob(f"gcc/*/*/{file}"), *library.glob(f"*-linux-*/{file}")][:1]
        else:
            paths = [output("gcc", f"-print-file-name={file}").strip()]
        add_if_linked(component, number, licence, file, paths)


def moment():
    epoch = os.environ.get("SOURCE_DATE_EPOCH") or subprocess.run(
        ["git", "log", "-1", "--format=%ct"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(epoch or built.stat().st_mtime)))


def identifier(component):
    return "SPDXRef-" + re.sub(r"[^\w.-]", "-", component)


def package(component, **more):
    licence = more.get("licenseDeclared", "NOASSERTION")
    return {
        "SPDXID": identifier(component), "name": component, "primaryPackagePurpose": "LIBRARY",
        "downloadLocation": "NOASSERTION", "licenseDeclared": licence, "licenseConcluded": licence,
        "copyrightText": "NOASSERTION", "filesAnalyzed": False, **more}


def relation(element, kind, related):
    return {"spdxElementId": element, "relationshipType": kind, "relatedSpdxElement": related}


def inventory():
    digest = hashlib.sha256(installed.read_bytes()).hexdigest()
    packages = [package(
        name, versionInfo=version, licenseDeclared="Apache-2.0", packageFileName=installed.name,
        checksums=[{"algorithm": "SHA256", "checksumValue": digest}],
        primaryPackagePurpose="LIBRARY" if name.startswith("lib") else "APPLICATION")]
    relations = [relation("SPDXRef-DOCUMENT", "DESCRIBES", identifier(name))]
    for component, entry in sorted(components.items()):
        more = {"downloadLocation": f"git+{entry['address']}@{entry['version']}"} if "address" in entry else {}
        packages.append(package(
            component, versionInfo=entry["version"], licenseDeclared=entry["licence"],
            comment="Linked from " + ", ".join(entry["files"]), **more))
        relations.append(relation(identifier(name), "STATIC_LINK", identifier(component)))
    # The libraries that it is linked to, and those that it opens when they are first needed.
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "--dynamic", "--wide", installed))
    opened = re.findall(r"^(lib(?:crypto|pcsclite|xml2)\.so\.\d+)$", output("strings", installed), re.M)
    for library in sorted({*needed, *opened}):
        packages.append(package(library))
        relations.append(relation(identifier(name), "DYNAMIC_LINK", identifier(library)))
    document = {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"{name}-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/{name}-{version}-{digest}",
        "creationInfo": {"created": moment(), "creators": [f"Tool: kanal-inventory-{version}"]},
        "packages": packages, "relationships": relations}
    return json.dumps(document, indent=3, separators=(",", " : "), sort_keys=True) + "\n"


def notices():
    text = f"The parts of {installed.name} {version} and their licences\n\n"
    rows = [(name, version, "Apache-2.0")]
    rows += [(component, entry["version"], entry["licence"]) for component, entry in sorted(components.items())]
    text += "".join(f"{component:<28} {number:<10} {licence}\n" for component, number, licence in rows)
    text += "\nA program with parts of GCC, LLVM and Swift has its own licence, by their exceptions.\n"
    shown = {}
    for component, entry in sorted(components.items()):
        for path in entry["texts"]:
            users = shown.setdefault(path.read_text(), [])
            if not any(user.startswith(component) for user in users):
                users.append(component + (" (notice)" if "NOTICE" in path.name else ""))
    for licence, users in sorted(shown.items(), key=lambda item: " ".join(item[1])):
        text += f"\n{'=' * 78}\n{', '.join(users)}\n{'=' * 78}\n\n{licence}"
    return text


swift_packages()
toolchain_libraries()
compiler_libraries()
(directory / f"{name}.spdx.json").write_text(inventory(), "utf-8")
(directory / f"{name}.notices.txt").write_text(notices(), "utf-8")
