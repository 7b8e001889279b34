#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the catalogues of Translations with the phrases of the sources.

translations.py [--template]

Each phrase has one translation with the same arguments, and no translation is unused. A literal of the command kanal
that only reads like a phrase is an error. "--template" prints all phrases as a catalogue.

The compiler finds the phrases: in its intermediate language before any optimisation (SIL), each literal goes to an
initialiser of its type. Needs the modules of "swift build", or those of $KANAL_CONFIGURATION.
"""

import concurrent.futures
import glob
import json
import os
import pathlib
import re
import subprocess
import sys

from adapters import BUILD, MODULES, ROOT, arguments, plan

# The types of phrases, and their functions for literals.
PHRASE = re.compile(r"(?:Phrase|Reason|Explanation)\.(?:StringInterpolation\.)?(init\(\w+|append\w+)")
# Reasons that only the log has: they can be translated, as people read some of them.
LOGGED = re.compile(r"Sources/(?:Provider/|Cryptoki/(?!Asking/|Errors/))")
# The command's literals that only read like phrases: arguments of functions for programs, command lines, and names.
PROGRAMS = re.compile(r"\.(?:asRoot|install|command|Change\.init|contains|hasPrefix|== infix)\(")
NAMES = re.compile(
    r" *(?:kanal|dnf|apt-get|chmod|systemctl|rfkill|bluetoothctl|return polkit\.\S+|--[a-z-]+) "
    r"|standard input$|Show (?:help information|the version)\.$")
# An instruction with a result, or a store; and the comment with a function's name before its reference.
INSTRUCTION = re.compile(r"""
    \ \ // \ function_ref\ (?P<name>.*?)(?:,\ loc\ |$)
    | \ \ %(?P<value>\d+)\ =\ (?:
        string_literal\ utf8\ "(?P<literal>(?:[^"\\]|\\.)*)"
        | (?P<function>function_ref)\ @
        | (?:begin_access|begin_borrow|load|copy_value|move_value)\b[^%]*%(?P<same>\d+)
        | apply\ %(?P<callee>\d+)(?:<.*?>)?\((?P<arguments>[^)]*)\))
    | \ \ store\ %(?P<stored>\d+)\ to\ [^%]*%(?P<place>\d+)""", re.VERBOSE)
PLACE = re.compile(r'loc (?:\* )?"[^"]*?/(Sources/[^"]*)":(\d+):|$')


class Text:
    """A literal, to which an interpolation adds pieces."""

    def __init__(self, key=""):
        self.key, self.count, self.is_used = key, 0, False


def intermediate_language(target):
    """Runs the compiler on a target."""
    made = subprocess.run(
        ["swiftc", "-emit-silgen", "-o", "-", "-Xllvm", "-sil-print-debuginfo", "-wmo", "-I", MODULES, "-module-name",
         target["moduleName"], *arguments(target), *target["sources"]], capture_output=True, text=True)
    if made.returncode:
        sys.exit(f'translations.py: {target["moduleName"]} does not compile; "swift build" comes first: {made.stderr}')
    return made.stdout


def unescaped(literal):
    def character(found):
        code = found[1] or found[2]
        return chr(int(code, 16)) if code else {"n": "\n", "t": "\t", "r": "\r", "0": "\0"}.get(found[3], found[3])
    return re.sub(r"\\(?:u\{(\w+)\}|([0-9A-F]{2})|(.))", character, literal)


def literals(text):
    """The literals of a module: key, file, line, and whether it is a phrase or at least no prose."""
    name, functions, values, strings = "", {}, {}, []
    for line in text.splitlines():
        if line.startswith("} // end sil function"):
            yield from ((string.key, *place, False) for string, place in strings if not string.is_used)
            functions, values, strings = {}, {}, []
            continue
        found = INSTRUCTION.match(line)
        if not found:
            continue
        value = found["value"]
        if found["name"] is not None:
            name = found["name"]
        elif found["literal"] is not None:
            values[value] = Text(unescaped(found["literal"]))
        elif found["function"]:
            functions[value] = name
        elif found["callee"]:
            called = functions.get(found["callee"], "")
            given = [values.get(number) for number in re.findall(r"%(\d+)", found["arguments"])]
            texts = [argument for argument in given if isinstance(argument, Text)]
            function = PHRASE.match(called)
            if "_builtinStringLiteral" in called:
                values[value] = texts[0]
                strings.append((texts[0], PLACE.search(line).groups("")))
            elif not function:
                for string in texts if PROGRAMS.search(f".{called}") else []:
                    string.is_used = True
            elif function[1] == "init(literalCapacity":
                values[value] = Text()
            elif function[1] == "appendInterpolation" and isinstance(given[-1], Text):
                given[-1].key += f"{{{given[-1].count}}}"
                given[-1].count += 1
            elif function[1] == "appendLiteral" and len(texts) == 2:
                texts[1].key += texts[0].key
                texts[0].is_used = True
            elif function[1] in ("init(stringLiteral", "init(stringInterpolation") and texts:
                texts[0].is_used = True
                yield (texts[0].key, *PLACE.search(line).groups(""), True)
        else:
            source, copy = (found["same"], value) if value else (found["stored"], found["place"])
            if source in values:
                values[copy] = values[source]


def catalogue(file):
    """The entries of a catalogue: key, text, and whether it is uncertain."""
    for entry in pathlib.Path(file).read_text().split("\n\n"):
        fields = {"msgid": "", "msgstr": ""}
        for line in re.findall(r'^(?:(?:msgid|msgstr) )?".*"$', entry, re.MULTILINE):
            field = line.split(" ")[0] if line[0] == "m" else field
            fields[field] += json.loads(line[line.index('"'):])
        if fields["msgid"]:
            yield fields["msgid"], fields["msgstr"], "#, fuzzy" in entry


def shape(text):
    """A translation keeps the arguments, and the spaces at both ends."""
    return set(re.findall(r"\{\d+\}", text)), re.match(" *", text)[0], re.search(" *$", text)[0]


def main():
    faults, places, logged = [], {}, set()
    targets = [
        target for target in plan(BUILD).values()
        if f"{ROOT}/Sources/" in target["sources"][0]
        and any(entry["name"].endswith("/Translation.swiftmodule") for entry in target["inputs"])]
    # The largest first, as the others can be compiled beside it.
    targets.sort(key=lambda target: -len(target["sources"]))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for text in pool.map(intermediate_language, targets):
            for key, file, line, is_phrase in literals(text):
                if not is_phrase:
                    reads = re.search("[a-z]{2} [a-z]{2}", key) and not NAMES.match(key)
                    if reads and re.match("Sources/(?:KanalCommand|Terminal)/", file):
                        faults.append(f"{file}:{line}: {key!r} reads like a phrase, and is a String")
                elif LOGGED.match(file):
                    logged.add(key)
                elif re.search("[A-Za-z]", re.sub(r"\{\d+\}", "", key)):
                    places.setdefault(key, f"{file}:{line}")
    for file in glob.glob("Sources/KanalCommand/**/*.swift", recursive=True):
        for found in re.finditer(r"static let \w+[^=\n]*=\s*(?:CommandConfiguration|translated)\(",
                                 pathlib.Path(file).read_text()):
            faults.append(f"{file}: {found[0]!r} keeps the language of the first command that uses it: compute it")
    # Whole texts of others.
    for line in pathlib.Path("Translations/system.txt").read_text().splitlines():
        if not line.startswith("#"):
            places.setdefault(line, "Translations/system.txt")

    if "--template" in sys.argv[1:]:
        for key, place in sorted(places.items(), key=lambda item: item[1]):
            print(f'#: {place}\nmsgid {json.dumps(key, ensure_ascii=False)}\nmsgstr ""\n')
        return
    for file in glob.glob("Translations/*.po"):
        said = set()
        for key, text, is_uncertain in catalogue(file):
            wrong = {
                "has two translations": key in said,
                "is in no source": key not in places and key not in logged,
                "has an uncertain translation (fuzzy)": is_uncertain,
                "is not translated": not text,
                "has other arguments, or spaces at its ends, than its translation": text and shape(key) != shape(text),
            }
            faults += [f"{file}: {key!r} {fault}" for fault, is_so in wrong.items() if is_so]
            said.add(key)
        faults += [f"{place}: {key!r} is missing in {file}" for key, place in places.items() if key not in said]
    sys.exit("\n".join(faults) or None)


if __name__ == "__main__":
    os.chdir(ROOT)
    main()
