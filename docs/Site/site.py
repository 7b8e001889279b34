#!/usr/bin/python3 -B
# SPDX-License-Identifier: Apache-2.0
"""Makes the site: all pages of docs and their targets, the manual pages, and the interfaces of KanalKit and KanalESIA, as HTML
that needs no network.

    site.py MANUAL ARCHIVE... SITE  MANUAL is a directory of manual pages, each ARCHIVE one of DocC, with its Markdown; SITE
                                    is the directory to make
"""

import json
import os
import posixpath
import re
import shutil
import sys
from html import escape

import check
import manual
import template
from interface import Interface, relative
from markdown import BrokenPage, Page

CATALOGUE = re.compile(r"Sources/(\w+)/\1\.docc/(.*)\.md")
# Pages that belong to the site even without a link to them.
ROOTS = ["README.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md"]


def address(source):
    """The place of a file of the tree in the site."""
    if source.endswith(".md"):
        return source.removeprefix("docs/").removesuffix(".md") + ".html"
    if source.endswith(".svg"):
        return source.removeprefix("docs/")
    return f"source/{source}.html"


def in_russian(source):
    """The page in Russian of a page in English, if it is written."""
    page = "docs/ru/" + posixpath.basename(source)
    return page if os.path.exists(page) and not source.startswith("docs/ru/") else None


class Site:
    def __init__(self, pages_of_manual, archives):
        self.pages_of_manual = pages_of_manual
        self.interface = Interface(archives)
        self.pages = {}             # by address
        self.errors = []
        self.waiting = []           # files of the tree that are still to be made
        self.pictures = []
        self.known = set()

    def want(self, source):
        if source not in self.known:
            self.known.add(source)
            self.waiting.append(source)

    def resolve(self, page, folder, link):
        """The address of a link in a file in a folder of the tree."""
        if re.match(r"https?://|mailto:", link) or link.startswith("#"):
            return link
        path, _, anchor = link.partition("#")
        source = posixpath.normpath(posixpath.join(folder, path))
        article = CATALOGUE.fullmatch(source)
        if article:
            module, name = article.groups()
            identifier = f"/documentation/{module}" + ("" if name == module else f"/{name}")
            place = self.interface.addresses.get(identifier.lower(), "")
        elif source.startswith("..") or not os.path.exists(source):
            place = ""
        else:
            self.want(source)
            place = address(source)
            # Readers of Russian keep their contents on pages that are in English alone.
            if page.language == "ru" and source.endswith(".md") and not source.startswith("docs/ru/") and not in_russian(source):
                place = "ru/" + place
        if not place:
            self.errors.append(f"{page.path}: a link to {link}, which leads nowhere")
            return "#"
        return relative(page.path, place + ("#" + anchor if anchor else ""))

    def make(self):
        for source in ROOTS:
            self.want(source)
        for folder, _, files in sorted(os.walk("docs")):
            for file in sorted(files):
                if file.endswith(".md"):
                    self.want(posixpath.join(folder, file))
        for page in self.interface.pages(self.resolve):
            self.pages[page.path] = page
        while self.waiting:
            source = self.waiting.pop()
            if source.endswith(".svg"):
                self.pictures.append(source)
                continue
            page = self.page_of(source) if source.endswith(".md") else self.listing_of(source)
            self.pages[page.path] = page
            if source.endswith(".md") and page.language == "en" and not in_russian(source):
                self.frame(page, source)
        for page in manual.pages(self.pages_of_manual):
            self.pages[page.path] = page

    def frame(self, page, source):
        """The page in English once more, with the Russian contents around it."""
        framed = self.page_of(source, Page("ru/" + page.path, "ru"))
        framed.text_language = "en"
        framed.translation = (relative(framed.path, page.path), "In English")
        self.pages[framed.path] = framed
        page.is_framed = True

    def page_of(self, source, page=None):
        page = page or Page(address(source), "ru" if source.startswith("docs/ru/") else "en")
        with open(source, encoding="utf-8") as handle:
            text = handle.read()
        # A line behind the heading that leads to the same page in the other language belongs to the top of the page.
        match = re.match(r"(# .*\n)\n\[([^]]*)\]\(([^)]*)\)\n\n", text)
        if match:
            text = match[1] + "\n" + text[match.end():]
            page.translation = (self.resolve(page, posixpath.dirname(source), match[3]), match[2])
        try:
            page.add(text, lambda link: self.resolve(page, posixpath.dirname(source), link))
        except BrokenPage as error:
            self.errors.append(f"{source}: {error}")
        return page

    def listing_of(self, source):
        """A page that shows another file, or the content of a directory."""
        page = Page(address(source))
        if os.path.isdir(source):
            entries = [
                posixpath.join(folder, file).removeprefix(source + "/")
                for folder, _, files in sorted(os.walk(source)) for file in sorted(files)
                if "/." not in folder.removeprefix(source)]
            page.add(f"# {source}\n\n" + "\n".join(f"- [{entry}]({entry})" for entry in entries),
                     lambda link: self.resolve(page, source, link))
        else:
            with open(source, encoding="utf-8") as handle:
                text = handle.read()
            page.title = source
            page.body = f'<h1>{escape(source)}</h1>\n<pre tabindex="0"><code>{escape(text)}</code></pre>\n'
        return page

    def contents(self, language):
        """The order of reading: groups with their pages, from the entry page. [heading, [[text, address]…]]."""
        prefix = "ru/" if language == "ru" else ""
        groups = {}
        for heading, text, link in self.pages[prefix + "index.html"].links:
            if heading and not link.startswith(("http", "#")):
                place = self.resolve(self.pages[prefix + "index.html"], "docs/" + prefix, link)
                place = posixpath.normpath(posixpath.join(prefix, place.partition("#")[0]))
                groups.setdefault(heading, [])
                if all(other != place for _, other in groups[heading]):
                    groups[heading].append([text, place])
        return list(groups.items())

    def write(self, target):
        shutil.rmtree(target, ignore_errors=True)
        contents = {language: self.contents(language) for language in template.WORDS}
        for language in template.WORDS:
            for page in template.special_pages(language, list(self.pages.values())):
                self.pages[page.path] = page
        for page in self.pages.values():
            path = os.path.join(target, page.path)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as handle:
                handle.write(template.whole(page, contents[page.language]))
        for source in self.pictures:
            path = os.path.join(target, address(source))
            os.makedirs(os.path.dirname(path), exist_ok=True)
            shutil.copyfile(source, path)
        here = os.path.dirname(__file__)
        for file in ("style.css", "search.js", "copy.js"):
            shutil.copyfile(os.path.join(here, file), os.path.join(target, file))
        index = [
            [page.path, page.title, page.language, page.is_framed, [
                [anchor, heading, " ".join(text.split())] for anchor, heading, text in page.sections]]
            for page in self.pages.values()
            if not page.path.startswith("source/") and page.sections and page.language == page.text_language]
        with open(os.path.join(target, "search-index.js"), "w", encoding="utf-8") as handle:
            handle.write("const searchIndex = " + json.dumps(index, ensure_ascii=False, separators=(",", ":")) + ";\n")


def main():
    pages_of_manual, *archives, target = sys.argv[1:]
    site = Site(pages_of_manual, archives)
    site.make()
    site.write(target)
    errors = sorted(set(site.errors)) + check.problems(target)
    for error in errors:
        print(f"site.py: {error}", file=sys.stderr)
    if errors:
        sys.exit(1)
    print(f"site.py: {len(site.pages)} pages in {target}")


main()
