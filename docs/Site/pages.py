#!/usr/bin/python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Writes pages of the site in Markdown: the interfaces of modules, with a page for each article and for each type with
its members, from DocC's Markdown; and the manual pages.

    pages.py MANUAL ARCHIVE... PAGES    MANUAL is a directory of manual pages, each ARCHIVE one of DocC with its Markdown
"""

import json
import os
import posixpath
import re
import shutil
import subprocess
import sys

TYPES = (
    "Framework", "Structure", "Class", "Enumeration", "Protocol", "article", "Extended Module", "Extended Structure",
    "Extended Class")
# The headings of kinds of members, in the order of a page.
KINDS = {
    "Case": "Cases", "Initializer": "Initialisers", "Type Property": "Properties of the type",
    "Instance Property": "Properties", "Type Method": "Methods of the type", "Instance Method": "Methods",
    "Instance Subscript": "Subscripts", "Operator": "Operators", "Type Alias": "Names for types",
    "Associated Type": "Associated types", "Function": "Functions",
}
ROOT = "/documentation/"


class Symbol:
    """DocC's data of one symbol or article."""

    def __init__(self, text):
        comment, self.markdown = text.split("-->", 1)
        facts = json.loads(comment.removeprefix("<!--"))
        self.identifier = facts["identifier"]
        self.role = facts["role"]
        self.title = facts["title"]
        self.parent = self.identifier.rsplit("/", 1)[0]
        self.is_page = self.role in TYPES
        if not self.is_page and self.role not in KINDS and self.role != "collectionGroup":
            raise SystemExit(f"pages.py: {self.identifier} is of an unknown kind, {self.role}")

    def name(self):
        # Markdown takes two underscores for emphasis.
        name = self.identifier.removeprefix(ROOT).lower().replace("_", "x")
        return re.sub(r"[^a-z0-9-]+", "-", name).strip("-")

    def module(self):
        return self.identifier.removeprefix(ROOT).split("/")[0]


class Interface:
    """All symbols, and their places among the pages."""

    def __init__(self, archives):
        self.symbols = {}
        for archive in archives:
            for folder, _, files in sorted(os.walk(os.path.join(archive, "data", "documentation"))):
                for file in sorted(files):
                    if file.endswith(".md"):
                        with open(os.path.join(folder, file), encoding="utf-8") as handle:
                            symbol = Symbol(handle.read())
                        # Groups of members that implement a protocol; the type's page has the members.
                        if symbol.role != "collectionGroup":
                            self.symbols[symbol.identifier.lower()] = symbol
        self.places = {identifier: self.place(symbol) for identifier, symbol in self.symbols.items()}
        if len(set(self.places.values())) != len(self.places):
            raise SystemExit("pages.py: two symbols have one address")

    def place(self, symbol):
        if symbol.is_page:
            return f"{symbol.name()}.md"
        parent = self.symbols.get(symbol.parent.lower())
        if not parent or not parent.is_page:
            raise SystemExit(f"pages.py: {symbol.identifier} is the member of no type")
        return f"{parent.name()}.md#{symbol.name()}"

    def page(self, symbol):
        listed = symbol.markdown.lower()
        members = sorted(
            (one for one in self.symbols.values() if one.parent == symbol.identifier and one.role != "article"),
            key=lambda one: one.title.lower())
        parts = [plain(symbol.markdown)]
        types = [one for one in members if one.is_page and f"({one.identifier.lower()})" not in listed]
        if types:
            parts.append("## Types\n\n" + "\n".join(
                f"- [`{one.title}`]({one.identifier})" + first_sentence(one) for one in types))
        for kind, heading in KINDS.items():
            group = [one for one in members if one.role == kind]
            parts += [f"## {heading}"] if group else []
            for one in group:
                text = re.sub(r"^#+ ", r"##\g<0>", plain(one.markdown), flags=re.M)
                parts.append(re.sub(r"^### .*", f"### `{one.title}` {{#{one.name()}}}", text.strip(), count=1))
        folder = f"Sources/{symbol.module()}/{symbol.module()}.docc"

        def target(match):
            place = self.places.get(match[1].lower())
            if place is None and ":" not in match[1]:
                place = posixpath.relpath(posixpath.join(folder, match[1]), "interface")
            return f"]({place or match[1]})"
        return re.sub(r"\]\(([^()\s]*(?:\([^()\s]*\)[^()\s]*)?)\)", target, "\n\n".join(parts)) + "\n"


def plain(markdown):
    """DocC's Markdown in a readable form: no empty headings, proper lists, and links."""
    # A note behind a heading lacks its line, and links in it lack their text.
    markdown = re.sub(r"^(## \w+)> ", r"\1\n\n> ", markdown, flags=re.M)
    markdown = re.sub(r"``doc://[^/`]+(/documentation/[^`]+)``", link, markdown)
    markdown = re.sub(r"^> (\w+:.*(?:\n>.*)*)", lambda match: match[1].replace("\n>", "\n"), markdown, flags=re.M)
    markdown = re.sub(r"^## (?:Overview|Discussion)\n", "", markdown, flags=re.M)
    markdown = re.sub(r"^```\n(?=[a-z@])", "```swift\n", markdown, count=1, flags=re.M)
    parts = re.split(r"^(?=## )", markdown, flags=re.M)
    for number, part in enumerate(parts):
        if part.startswith("## Parameters"):
            part = re.sub(r"^(`\w+`)\n\n(?=\S)", r"- \1: ", part, flags=re.M)
        elif part.startswith("## Topics"):
            part = re.sub(r"^(\[.*\]\(/documentation/.*\))\n\n(?=[^\[#\n])", r"- \1: ", part, flags=re.M)
        parts[number] = part
    return "".join(parts)


def link(match):
    """A link to a symbol, by its name and that of the type around it."""
    path = match[1].removeprefix(ROOT).split("/")
    return f"[`{'.'.join(path[1:]) or path[0]}`]({match[1]})"


def first_sentence(symbol):
    blocks = [block for block in plain(symbol.markdown).strip().split("\n\n")[1:] if not block.startswith(("```", "#"))]
    return ": " + blocks[0].replace("\n", " ") if blocks else ""


def manual_page(source):
    """A manual page, with links to others of the project."""
    name, section = os.path.basename(source).rsplit(".", 1)
    text = subprocess.run(
        ["mandoc", "-K", "utf-8", "-T", "markdown", source], check=True, capture_output=True, text=True).stdout
    text = re.sub(r"^#+ ", r"#\g<0>", text.partition("\n")[2], flags=re.M)

    def other(match):
        path = os.path.join(os.path.dirname(os.path.dirname(source)), f"man{match[2]}", f"{match[1]}.{match[2]}")
        return f"[{match[0]}]({match[1]}.{match[2]}.md)" if os.path.exists(path) and path != source else match[0]
    return f"# {name}({section})\n" + re.sub(r"\b(kanal[\w.-]*)\((\d)\)", other, text)


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as handle:
        handle.write(text)


def main():
    manual, *archives, target = sys.argv[1:]
    shutil.rmtree(target, ignore_errors=True)
    interface = Interface(archives)
    for symbol in interface.symbols.values():
        if symbol.is_page:
            write(os.path.join(target, "interface", symbol.name() + ".md"), interface.page(symbol))
    for language, heading in {"": "Manual pages", "ru": "Страницы руководства"}.items():
        listing = f"# {heading}\n\n"
        for section in ("man1", "man5"):
            folder = os.path.join(manual, language, section)
            for name in sorted(os.listdir(folder)):
                write(os.path.join(target, language, "man", name + ".md"), manual_page(os.path.join(folder, name)))
                listing += f"- [{name[:-2]}({name[-1]})]({name}.md)\n"
        write(os.path.join(target, language, "man", "index.md"), listing)


main()
