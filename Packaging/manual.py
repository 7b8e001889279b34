#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a man page for a command and for each of its subcommands, from the command's description of itself.

    kanal --experimental-dump-help | Packaging/manual.py VERSION DIRECTORY [LANGUAGE]

The description is in the language of the command's environment; the other words of a page are here. A paragraph of
several lines in a discussion is shown as it is; a line in capitals is a heading.
"""

import json
import pathlib
import re
import sys

LANGUAGES = {
    "ru": {
        "NAME": "ИМЯ", "SYNOPSIS": "СИНТАКСИС", "DESCRIPTION": "ОПИСАНИЕ", "EXIT STATUS": "КОД ЗАВЕРШЕНИЯ",
        "SEE ALSO": "СМОТРИТЕ ТАКЖЕ", "command": "команда", "The commands are:": "Команды:", "See": "См.",
        "default": "по умолчанию",
    },
}
CAPITAL = "A-ZА-ЯЁ"

version, directory, *language = sys.argv[1:]
words = LANGUAGES.get("".join(language), {})


def word(text):
    return words.get(text, text)


def heading(text):
    return f".Sh {word(text)}\n"


def collect(command, path=()):
    """The command and its subcommands, each with the names that lead to it."""
    if command["commandName"] == "help" or not command["shouldDisplay"]:
        return []
    path = (*path, command["commandName"])
    below = [page for other in command.get("subcommands", []) for page in collect(other, path)]
    return [(path, command), *below]


def text(words):
    """Text as mdoc has it: each sentence on a line of its own."""
    words = re.sub(rf"([.?][\"»]?\)?) +(?=[{CAPITAL}\"«-])", r"\1\n", words.replace("\\", "\\e"))
    return re.sub(r"^(?=[.'])", r"\\&", words, flags=re.M) + "\n"


def discussion(words):
    page, follows = "", False
    for paragraph in re.split("\n\n+", words):
        if found := re.match(rf"([{CAPITAL} ]+)\n(.*)", paragraph, re.S):
            page += f".Sh {found[1]}\n"
            paragraph, follows = found[2], False
        if "\n" in paragraph:
            escaped = paragraph.replace("\\", "\\e")
            page += f".Bd -literal -offset 2n\n{escaped}\n.Ed\n"
        else:
            page += (".Pp\n" if follows else "") + text(paragraph)
        follows = True
    return page


def item(argument, names):
    """An argument in mdoc: its value, or its names with the value behind them."""
    value = f"Ar {argument['valueName']}"
    if argument["kind"] == "positional":
        return value
    flags = " , ".join(f"Fl {'-' if name['kind'] == 'long' else ''}{name['name']}" for name in names)
    return flags + (f" {value}" if argument["kind"] == "option" else "")


def synopsis(argument):
    name = {**(argument.get("preferredName") or {}), "kind": "long"}
    line = item(argument, [name]) + (" ..." if argument["isRepeating"] else "")
    return f".Op {line}\n" if argument["isOptional"] else f".{line}\n"


def description(argument):
    words, default = argument.get("abstract", ""), argument.get("defaultValue")
    mark = f"({word('default')}: "
    if default is not None and mark not in words:
        words += f" {mark}{default})"
    return f".It {item(argument, argument.get('names', []))}\n{text(words)}"


def page(path, command, pages):
    name = "-".join(path)
    abstract = re.sub(r"\.$|\. .*", "", command.get("abstract", name), flags=re.S)
    arguments = [argument for argument in command.get("arguments", []) if argument["shouldDisplay"]]
    commands = [other for other in command.get("subcommands", []) if other["commandName"] != "help"]
    before, *after = re.split(
        rf"\n\n(?=[{CAPITAL} ]+\n)", command.get("discussion") or command.get("abstract", ""), maxsplit=1)
    lines = [
        f".Dd $Mdocdate$\n.Dt {name.upper()} 1\n.Os Kanal {version}\n", heading("NAME"),
        f".Nm {name}\n.Nd {abstract[:1].lower()}{abstract[1:]}\n", heading("SYNOPSIS"), f".Nm {' '.join(path)}\n",
        *map(synopsis, arguments), f".Op Ar {word('command')}\n" if commands else "",
        heading("DESCRIPTION"), discussion(before)]
    if arguments:
        lines += [".Bl -tag -width Ds\n", *map(description, arguments), ".El\n"]
    if commands:
        lines.append(f".Pp\n{word('The commands are:')}\n.Bl -tag -width Ds\n")
        lines += [f".It Cm {other['commandName']}\n{text(other['abstract'])}" for other in commands] + [".El\n"]
    lines += map(discussion, after)
    if len(path) > 1:
        lines.append(f"{heading('EXIT STATUS')}{word('See')}\n.Xr {path[0]} 1 .\n")
    near = sorted(" ".join(other) for other, _ in pages if other == path[:-1] or other[:-1] == path)
    links = " ,\n".join(f".Xr {other.replace(' ', '-')} 1" for other in near)
    pathlib.Path(directory, f"{name}.1").write_text("".join(lines) + heading("SEE ALSO") + f"{links}\n", "utf-8")


pages = collect(json.load(sys.stdin)["command"])
for path, command in pages:
    page(path, command, pages)
