#!/usr/bin/python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Checks what MkDocs does not: each link of the finished site has its file and anchor, an anchor is there once, pictures
have words for them, and nothing is loaded from elsewhere.

    check.py SITE
"""

import os
import posixpath
import sys
from html.parser import HTMLParser
from urllib.parse import unquote


class Reader(HTMLParser):
    """The anchors of a page, its links, and its loaded files."""

    def __init__(self):
        super().__init__()
        self.anchors, self.links, self.loads, self.pictures = [], [], [], []

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if "id" in values:
            self.anchors.append(values["id"])
        if tag == "a":
            self.links += [values["href"]] if "href" in values else []
        elif "href" in values or "src" in values:
            self.loads.append(values.get("href") or values.get("src") or "")
        if tag == "img" and not values.get("alt"):
            self.pictures.append(values.get("src"))


def problems(site):
    """The faults, a line for each."""
    readers = {}
    for folder, _, files in os.walk(site):
        for file in files:
            path = posixpath.relpath(posixpath.join(folder, file), site)
            readers[path] = reader = Reader()
            if path.endswith(".html"):
                with open(posixpath.join(folder, file), encoding="utf-8") as handle:
                    reader.feed(handle.read())
    for path, reader in sorted(readers.items()):
        for one in sorted(set(reader.anchors)):
            if reader.anchors.count(one) > 1:
                yield f"{path}: the anchor {one} twice"
        for one in reader.pictures:
            yield f"{path}: the picture {one} without words for it"
        for link in reader.links + reader.loads:
            if link.startswith(("https://", "http://", "mailto:")):
                if link in reader.loads:
                    yield f"{path}: loads {link}"
                continue
            file, _, anchor = unquote(link).partition("#")
            target = posixpath.normpath(posixpath.join(posixpath.dirname(path), file)) if file else path
            if target not in readers:
                yield f"{path}: a link to {link}, where no file is"
            elif anchor and anchor not in readers[target].anchors:
                yield f"{path}: a link to {link}, where no such anchor is"


def main():
    found = list(problems(sys.argv[1]))
    for problem in found:
        print(f"check.py: {problem}", file=sys.stderr)
    sys.exit(1 if found else 0)


main()
