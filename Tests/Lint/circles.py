#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds circles among the C files of OpenSSL's engine and provider: files that need functions or variables of each other,
by themselves or by macros. Takes no arguments, and checks the tree with the working directory as its root."""
import graphlib
import pathlib
import re
import sys

FOLDERS = [("OpenSSLKeys", "OpenSSLEngine"), ("OpenSSLKeys", "OpenSSLProvider")]
DEFINITION = re.compile(r"^(?!static|extern|typedef|enum|struct \w+ \{)[a-zA-Z][^\n;{}=()]*?\b(\w+)(?:\(|(?:\[\])? = )", re.M)
MACRO = re.compile(r"^#define (\w+)(.*(?:\\\n.*)*)", re.M)


def code(path):
    """The text of a file without comments and literals."""
    return re.sub(r'"(?:[^"\\\n]|\\.)*"', '""', re.sub(r"/\*.*?\*/", " ", path.read_text(), flags=re.S))


def needs(folders):
    """Each C file, and the files whose functions and variables it has."""
    paths = [path for folder in folders for path in pathlib.Path("Sources", folder).rglob("*.[ch]")]
    texts = {path: code(path) for path in paths}
    macros = {name: set(re.findall(r"\w+", body)) for text in texts.values() for name, body in MACRO.findall(text)}
    owners = {name: path for path in paths if path.suffix == ".c" for name in DEFINITION.findall(texts[path])}
    graph = {}
    for path in set(owners.values()):
        words = set(re.findall(r"\w+", texts[path]))
        for _ in range(3):
            words |= set().union(*(macros[word] for word in words if word in macros))
        graph[path] = {owners[word] for word in words if word in owners} - {path}
    return graph


found = 0
for folders in FOLDERS:
    try:
        graphlib.TopologicalSorter(needs(folders)).prepare()
    except graphlib.CycleError as error:
        print("circle:", " needs ".join(str(path) for path in reversed(error.args[1])), file=sys.stderr)
        found = 1
sys.exit(found)
