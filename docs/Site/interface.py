# SPDX-License-Identifier: Apache-2.0
"""The interfaces of modules, from DocC's Markdown: a page for each type, with its members, and article."""

import json
import os
import re

from markdown import Page

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
            raise SystemExit(f"interface.py: {self.identifier} is of an unknown kind, {self.role}")

    def name(self):
        return re.sub(r"[^a-z0-9_-]+", "-", self.identifier.removeprefix(ROOT).lower()).strip("-")


class Interface:
    """All symbols, and their addresses in the site."""

    def __init__(self, archives):
        self.symbols = {}
        for archive in archives:
            self.read(archive)
        self.addresses = {}
        for symbol in self.symbols.values():
            self.addresses[symbol.identifier.lower()] = self.place(symbol)
        if len(set(self.addresses.values())) != len(self.addresses):
            raise SystemExit("interface.py: two symbols have one address")

    def read(self, archive):
        for folder, _, files in sorted(os.walk(os.path.join(archive, "data", "documentation"))):
            for file in sorted(files):
                if file.endswith(".md"):
                    with open(os.path.join(folder, file), encoding="utf-8") as handle:
                        symbol = Symbol(handle.read())
                    # Groups of members that implement a protocol; the type's page has the members.
                    if symbol.role != "collectionGroup":
                        self.symbols[symbol.identifier.lower()] = symbol

    def place(self, symbol):
        if symbol.is_page:
            return f"interface/{symbol.name()}.html"
        parent = self.symbols.get(symbol.parent.lower())
        if not parent or not parent.is_page:
            raise SystemExit(f"interface.py: {symbol.identifier} is the member of no type")
        return f"interface/{parent.name()}.html#{symbol.name()}"

    def members(self, parent):
        found = [one for one in self.symbols.values() if one.parent == parent.identifier and one.role != "article"]
        return sorted(found, key=lambda one: one.title.lower())

    def pages(self, resolve):
        """The pages. `resolve` maps addresses other than symbols', from the page, the folder of articles and the address."""
        for symbol in self.symbols.values():
            if symbol.is_page:
                yield self.page(symbol, resolve)

    def page(self, symbol, resolve):
        page = Page(self.addresses[symbol.identifier.lower()])

        module = symbol.identifier.removeprefix(ROOT).split("/")[0]
        folder = f"Sources/{module}/{module}.docc/"

        def target(address):
            place = self.addresses.get(address.lower())
            return resolve(page, folder, address) if place is None else relative(page.path, place)

        page.add(plain(symbol.markdown), target)
        listed = symbol.markdown.lower()
        members = self.members(symbol)
        types = [one for one in members if one.is_page and f"({one.identifier.lower()})" not in listed]
        if types:
            page.add("## Types\n\n" + "\n".join(
                f"- [`{one.title}`]({one.identifier})" + first_sentence(one) for one in types), target)
        for kind, heading in KINDS.items():
            group = [one for one in members if one.role == kind]
            if group:
                page.add(f"## {heading}", target)
            for one in group:
                page.add(plain(one.markdown), target, level=2, anchor=one.name())
        return page


def plain(markdown):
    """DocC's Markdown in a readable form: no empty headings, proper lists, and links."""
    # A note behind a heading lacks its line, and links in it lack their text.
    markdown = re.sub(r"^(## \w+)> ", r"\1\n\n> ", markdown, flags=re.M)
    markdown = re.sub(r"``doc://[^/`]+(/documentation/[^`]+)``", link, markdown)
    markdown = re.sub(r"^> (\w+:.*(?:\n>.*)*)", lambda match: match[1].replace("\n>", "\n"), markdown, flags=re.M)
    markdown = re.sub(r"^## (?:Overview|Discussion)\n", "", markdown, flags=re.M)
    markdown = re.sub(r"^```\n(?=[a-z@])", "```declaration\n", markdown, count=1, flags=re.M)
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


def relative(start, place):
    """The address of a place of the site, relative to the page `start`."""
    path, _, anchor = place.partition("#")
    result = "" if path == start else os.path.relpath(path, os.path.dirname(start) or ".")
    return result + ("#" + anchor if anchor else "")
