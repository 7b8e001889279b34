# SPDX-License-Identifier: Apache-2.0
"""Hooks of MkDocs: the pages of the tree with the files that they name, the order of reading, and a search that needs no
server.

The names of pages are their paths in the tree. The Russian site has the pages that are written in Russian, and in English
those that have no translation; links from each site to the other pages lead to the other site.
"""

import glob
import json
import logging
import os
import posixpath
import re

from mkdocs.structure.files import File, Files

LINK = re.compile(r"\]\(([^()\s#]+)((?:#[^()\s]*)?)\)")
CATALOGUE = re.compile(r"Sources/(\w+)/\1\.docc/(.*)\.md")
ROOT = os.path.normpath(os.path.join(os.path.dirname(__file__), "..", ".."))
# What pages.py writes.
WRITTEN = ".build/docs/pages"
log = logging.getLogger("mkdocs.hooks")
logging.getLogger("mkdocs").setLevel(logging.WARNING)


class Source(File):
    """A file of the tree, or one that was written for it in another folder, at its place in the site."""

    def __init__(self, source, folder, place, config):
        self.is_elsewhere = place.startswith(("../", "ru/"))
        super().__init__(source, os.path.join(ROOT, folder), config.site_dir, False)
        self.dest_uri = self.url = place
        self.abs_dest_path = os.path.normpath(os.path.join(config.site_dir, place))

    def is_documentation_page(self):
        return not self.is_elsewhere and super().is_documentation_page()

    def url_relative_to(self, other):
        if self.is_elsewhere:
            return posixpath.relpath(self.url, posixpath.dirname(other.url) or ".")
        return super().url_relative_to(other)

    def copy_file(self, dirty=False):
        if not self.is_elsewhere:
            super().copy_file(dirty)


def is_russian(config):
    return config.theme["language"] == "ru"


def place_of(source, config):
    """The place of a file in the site that is being built, or relative to it in the other one."""
    place = source.removeprefix("docs/").removesuffix(".md") + ("" if source.endswith(".svg") else ".html")
    if not is_russian(config):
        return place
    if place.startswith("ru/"):
        return place.removeprefix("ru/")
    has_translation = any(
        os.path.exists(os.path.join(ROOT, folder, "ru", path)) for folder, path in (
            ("docs", posixpath.basename(source)), (WRITTEN, source)))
    return "../" + place if has_translation or source.endswith(".svg") else place


def target(source, link):
    """The file or directory of the tree that a link in a file leads to."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(source), link))


def links(source, text):
    return [target(source, link) for link, _ in LINK.findall(text)]


def page_of(path):
    """The page for a file of the tree, by its name in the site."""
    article = CATALOGUE.fullmatch(path)
    if article:
        module, name = article.groups()
        return f"interface/{module}{'' if name == module else '-' + name}.md".lower()
    return f"{path}.md" if is_shown(path) else path


def text_of(source):
    with open(os.path.join(ROOT, source), encoding="utf-8") as handle:
        return handle.read()


def is_shown(path):
    """Whether a file or a directory that a page names is shown on a page of its own."""
    return not path.endswith((".md", ".svg")) and not path.startswith("..") and os.path.exists(os.path.join(ROOT, path))


def listing(path):
    """The page that shows a file, or the files of a directory."""
    if not os.path.isdir(os.path.join(ROOT, path)):
        return f"# {path}\n\n````{path.rpartition('.')[2] if '.' in path else ''}\n{text_of(path)}\n````\n"
    files = [
        os.path.relpath(os.path.join(folder, file), os.path.join(ROOT, path))
        for folder, _, names in sorted(os.walk(os.path.join(ROOT, path))) for file in sorted(names)
        if "/." not in folder.removeprefix(ROOT)]
    return f"# {path}\n\n" + "".join(f"- [{file}]({posixpath.basename(path)}/{file})\n" for file in files)


def on_files(files, config):
    """The files of the site: those of the theme, the pages of docs and of the project, and all that they name."""
    found = Files([file for file in files if not file.abs_src_path.startswith(config.docs_dir)])
    waiting = sorted(glob.glob("docs/**/*.md", root_dir=ROOT, recursive=True))
    waiting += ["README.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md"]
    for path in sorted(glob.glob("**/*.md", root_dir=f"{ROOT}/{WRITTEN}", recursive=True)):
        if not path.startswith("source/"):
            found.append(Source(path, WRITTEN, place_of(path, config), config))
            waiting += links(path, text_of(f"{WRITTEN}/{path}"))
    known = set()
    while waiting:
        source = waiting.pop()
        is_in_tree = not source.startswith("..") and ":" not in source and os.path.exists(os.path.join(ROOT, source))
        if source in known or not is_in_tree:
            continue
        known.add(source)
        if is_shown(source):
            path = f"{ROOT}/{WRITTEN}/source/{source}.md"
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as handle:
                handle.write(listing(source))
            waiting += links(source, listing(source))
            found.append(Source(f"{source}.md", f"{WRITTEN}/source", place_of(f"source/{source}.md", config), config))
        elif not CATALOGUE.fullmatch(source):
            found.append(Source(source, "", place_of(source, config), config))
            if source.endswith(".md"):
                waiting += links(source, text_of(source))
    found.append(Source("docs/Site/site.css", "", "site.css", config))
    config.nav = contents(found, config)
    return found


def contents(files, config):
    """The order of reading: the lists of the entry page. A page belongs to the first list that names it; later ones have a
    link to it."""
    start = "docs/ru/index.md" if is_russian(config) else "docs/index.md"
    groups = [start]
    known = set()
    for heading, body in re.findall(r"^## (.*)\n((?:(?!## ).*\n)*)", text_of(start), re.M):
        entries = {}
        lists = "\n".join(re.findall(r"^(?:\d+\.|  ).*", body, re.M))
        for text, link, _ in re.findall(r"\[([^]]*)" + LINK.pattern, lists):
            source = page_of(target(start, link))
            if source in files.src_uris and source not in entries:
                file = files.src_uris[source]
                is_page = file.is_documentation_page() and source not in known
                entries[source] = {text.replace("`", ""): source if is_page else "/" + file.url}
        known |= set(entries)
        groups += [{heading: list(entries.values())}] if entries else []
    return groups + [("ru/" if is_russian(config) else "") + "man/index.md"]


def on_nav(nav, config, files):
    """Makes the links of the order of reading, which MkDocs takes for broken ones, relative to the site."""
    for group in nav:
        for item in group.children or []:
            if item.is_link:
                item.url = item.url.removeprefix("/")


def on_page_markdown(markdown, page, config, files):
    """Leads links to other files to the pages that show them, and refuses what is shown otherwise than elsewhere."""
    source = page.file.src_uri
    text = re.sub(r"^ *(```+).*?^ *\1$|^ {4}[^\n]*$|`[^`\n]*`", "", markdown, flags=re.M | re.S)
    if re.search(r"(?<!\\)<(?!https?:|mailto:)[a-zA-Z/!]", text):
        log.warning(f"HTML within the Markdown of {source}")
    for line in re.findall(r"^(?![ #]|[-*] |\d+\. ).+\n((?:[-*]|1\.) .*)", text, re.M):
        log.warning(f"a list without an empty line before it in {source}: {line}")

    def link(match):
        path = target(source, match[1])
        name = page_of(path)
        return match[0] if name == path else f"]({posixpath.relpath(name, posixpath.dirname(source) or '.')}{match[2]})"
    return LINK.sub(link, markdown)


def on_post_page(output, page, config):
    """Loads the search before the theme's own script, and says of a page in English that it is."""
    if is_russian(config) and not page.file.src_uri.startswith(("docs/ru/", "ru/")):
        output = output.replace("<article ", '<article lang="en" ', 1)
    output = output.replace('"trimmer, stopWordFilter"', '"trimmer, stopWordFilter, stemmer"')
    bundle = r'<script src="([^"]*)assets/javascripts/bundle'
    return re.sub(bundle, r'<script src="\1search/index.js"></script>\n      \g<0>', output)


# Words count by their stems, and the last one also as the beginning of one; a query has no operators.
TRANSFORM = r"""(query) => {
    const words = query.replace(/[^\p{L}\p{N}_]+/gu, " ").trim();
    return words && `${words} ${words}`;
}"""


def on_post_build(config):
    """Makes the theme's search work without a server: a page of a directory may neither read a file nor start a worker from
    one, so a script has the index, and the theme's worker with its languages."""
    os.remove(os.path.join(config.site_dir, "404.html"))
    scripts = os.path.join(config.site_dir, "assets", "javascripts")
    index = json.loads(text_of(os.path.join(config.site_dir, "search", "search_index.json")))
    names = []
    if is_russian(config):
        index["config"]["lang"] = ["en", "ru"]
        names = ["stemmer.support", "ru", "multi"]
    languages = "\n".join(text_of(os.path.join(scripts, "lunr", "min", f"lunr.{name}.min.js")) for name in names)
    [path] = glob.glob(os.path.join(scripts, "workers", "*.js"))
    index["docs"] = [entry for entry in index["docs"] if not entry["location"].startswith("source/")]
    # A word in a title weighs a thousand times as much as one in the text, which the many names of types are not to.
    for entry in index["docs"]:
        entry["weight"] = 0.001 if entry["location"].startswith("interface/") else 1
    worker, count = re.subn(r"this\.add\((\w+)\)", r"this.add(\1, {boost: \1.weight})", text_of(path))
    if count != 1:
        raise SystemExit(f"hooks.py: {path} has no weights to set")
    worker = f"importScripts = function () {{\n{languages}\n}};\n{worker}"
    with open(os.path.join(config.site_dir, "search", "index.js"), "w", encoding="utf-8") as handle:
        handle.write(
            f"var __search = {{index: Promise.resolve({json.dumps(index, ensure_ascii=False, separators=(',', ':'))}), "
            f"worker: URL.createObjectURL(new Blob([{json.dumps(worker)}])), transform: {TRANSFORM}}};\n")
