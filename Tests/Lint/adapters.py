#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Requires that the package Adapters compiles with KanalKit, and keeps the list of its companions' types.

adapters.py [accept]

Only types are checked: building the adapters' dependencies takes minutes, so of other packages only the interface is
compiled. Tests/Lint/companions.txt lists the types of these modules and of Foundation, for interface.sh. "accept"
writes the list again. Needs the modules of "swift build", or those of $KANAL_CONFIGURATION.
"""

import difflib
import json
import os
import pathlib
import platform
import re
import subprocess
import sys

COMPANIONS = ["X509", "SwiftASN1", "Crypto", "CryptoExtras", "NIOSSL", "NIOCore"]
SYSTEM = ["Foundation", "FoundationEssentials"]
ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / ".build" / os.environ.get("KANAL_CONFIGURATION", "debug")
MODULES = str(BUILD / "Modules")


def plan(folder):
    """The targets of SwiftPM's plan in a build folder, by their modules."""
    commands = json.loads(pathlib.Path(folder, "description.json").read_text())["swiftCommands"]
    return {command["moduleName"]: command for command in commands.values()}


def arguments(target, unwanted="(?!)"):
    """A target's arguments of the compiler without those about its objects, and without unwanted C modules."""
    kept, rest = [], iter(target["otherArguments"])
    for argument in rest:
        takes_value = argument in ("-Xcc", "-index-store-path", "-emit-objc-header-path", "-num-threads")
        both = [argument, next(rest)] if takes_value else [argument]
        about_objects = r"-(?:index-store-path|emit-objc-header|num-threads|incremental|enable-batch|serialize|parseable|g$|j\d)"
        if not re.match(about_objects, argument) and not re.search(f"^-g$|{unwanted}", both[-1]):
            kept += both
    return kept


def c_module_flags():
    """The flags by which the compiler finds this project's modules in C, with absolute paths."""
    flags = subprocess.check_output(["bash", "-c", ". Tests/Scripts/common.sh && c_module_flags"], text=True)
    return [re.sub("=(?!/)", f"={ROOT}/", flag) for flag in flags.split()]


def makefile(targets, flags):
    """Checks the types of the package's targets, and writes the names of the modules that programs import with them."""
    rules, seen = [], set()

    def rule(made, needed, command):
        words = " ".join(word if re.fullmatch(r"[\w@$.,:=+/-]+", word) else f"'{word}'" for word in command)
        files = " ".join(path.replace(" ", r"\ ") for path in needed)
        rules.append(f"all: {made}\n{made}: {files}\n\t{words}\n")

    def own(target):
        return "/Adapters/" in target["sources"][0]

    def compile_module(name):
        target = targets[name]
        if not own(target) and "/checkouts/" not in target["sources"][0]:
            return []
        made = f"{name}.swiftmodule"
        if name not in seen:
            seen.add(name)
            inputs = [re.search(r"/Modules/(\w+)\.swiftmodule$", entry["name"]) for entry in target["inputs"]]
            needed = [module for found in inputs if found for module in compile_module(found[1])]
            needed += [f"{MODULES}/KanalKit.swiftmodule"] if own(target) else []
            how = ["-wmo", "-I", MODULES, *flags] if own(target) else [
                "-suppress-warnings", "-Xfrontend", "-experimental-skip-all-function-bodies"]
            rule(made, target["sources"] + needed, [
                "swiftc", "-emit-module", "-emit-module-path", "$@", "-module-name", name,
                *arguments(target, r"/(?:CProcess|COpenSSL|GOSTKernels)\.build/"), "-I", ".", *how, *target["sources"]])
        return [made]

    for name in sorted(name for name, target in targets.items() if own(target)):
        compile_module(name)
    for name in COMPANIONS + SYSTEM:
        where, words = [], arguments(targets[name]) if name in targets else []
        for index, word in enumerate(words):
            where += words[index:index + 2] if word == "-Xcc" else []
        rule(f"{name}.symbols.json", [f"{name}.swiftmodule"] if name in targets else [], [
            "swift", "symbolgraph-extract", "-module-name", name, "-target", f"{platform.machine()}-unknown-linux-gnu",
            *(["-I", "."] if name in targets else []), *where, "-minimum-access-level", "public",
            "-skip-synthesized-members", "-output-dir", "."])
    return ".DEFAULT_GOAL := all\n" + "".join(rules)


def type_names(graphs):
    """The public types of modules that are in no other type, each with its module."""
    names = set()
    for path in graphs:
        module = path.name.removesuffix(".symbols.json")
        for symbol in json.loads(path.read_text())["symbols"] if "@" not in module else []:
            kind = symbol["kind"]["identifier"].removeprefix("swift.")
            if len(symbol["pathComponents"]) == 1 and kind in ("class", "enum", "protocol", "struct", "typealias"):
                names.add(f"{symbol['pathComponents'][0]} {module}")
    return "".join(f"{name}\n" for name in sorted(names))


def compare(listed, text, advice):
    """Fails unless a list is this text; "accept" writes it."""
    if "accept" in sys.argv[1:]:
        pathlib.Path(listed).write_text(text)
    lines = [pathlib.Path(listed).read_text().splitlines(True), text.splitlines(True)]
    sys.stdout.writelines(difflib.unified_diff(*lines, listed, "now"))
    if lines[0] != lines[1]:
        sys.exit(f"{os.path.basename(sys.argv[0])}: {advice}")


def main():
    scratch = pathlib.Path(".build/adapters")
    # For one small target, SwiftPM writes its plan of all.
    planned = subprocess.run(
        ["swift", "build", "--package-path", "Adapters", "--scratch-path", scratch, "--target", "CNIOSHA1"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if planned.returncode:
        sys.exit(f"adapters.py: the adapters' packages cannot be fetched: {planned.stdout}")
    types = scratch / "types"
    types.mkdir(exist_ok=True)
    (types / "Makefile").write_text(makefile(plan(scratch / "debug"), c_module_flags()))
    jobs = ["--no-print-directory", "--silent", "--jobs", str(os.cpu_count()), "--directory", types]
    environment = {name: value for name, value in os.environ.items() if name != "MAKEFLAGS"}
    if subprocess.run(["make", *jobs], env=environment).returncode:
        sys.exit("adapters.py: the adapters do not compile with KanalKit")
    print("ok: the adapters compile with KanalKit")
    compare("Tests/Lint/companions.txt", type_names(types.glob("*.symbols.json")),
            "companions.txt has other names: Tests/Lint/adapters.py accept, then interface.sh")
    print("ok: companions.txt lists the types that programs import beside KanalKit\nadapters.py: passed")


if __name__ == "__main__":
    os.chdir(ROOT)
    main()
