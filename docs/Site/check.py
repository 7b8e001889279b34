# SPDX-License-Identifier: Apache-2.0
"""Checks the finished site: each link has its file and anchor, and nothing is loaded from elsewhere."""

import os
import posixpath
from html.parser import HTMLParser
from urllib.parse import unquote


class Reader(HTMLParser):
    """The anchors of a page, its links, and its loaded files."""

    def __init__(self):
        super().__init__()
        self.anchors, self.links, self.loads = [], [], []

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if "id" in values:
            self.anchors.append(values["id"])
        if tag == "a":
            self.links.append(values.get("href") or "")
        elif tag == "form":
            self.loads.append(values.get("action") or "")
        elif "href" in values or "src" in values:
            self.loads.append(values.get("href") or values.get("src") or "")


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
    found = []
    for path, reader in sorted(readers.items()):
        found += [
            f"{path}: the anchor {one} twice" for one in sorted(set(reader.anchors)) if reader.anchors.count(one) > 1]
        for link in reader.links + reader.loads:
            if link.startswith(("https://", "http://", "mailto:")):
                if link in reader.loads:
                    found.append(f"{path}: loads {link}")
                continue
            file, _, anchor = unquote(link).partition("#")
            target = posixpath.normpath(posixpath.join(posixpath.dirname(path), file)) if file else path
            if target not in readers:
                found.append(f"{path}: a link to {link}, where no file is")
            elif anchor and anchor not in readers[target].anchors:
                found.append(f"{path}: a link to {link}, where no such anchor is")
    return found
