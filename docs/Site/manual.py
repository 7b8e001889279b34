# SPDX-License-Identifier: Apache-2.0
"""Pages of the site from manual pages, which mandoc converts."""

import os
import re
import subprocess

from markdown import Page

# Manual pages of a directory "man" by their language: its own folders, and the folder "ru".
PLACES = {"en": ("", "man/"), "ru": ("ru/", "ru/man/")}


def pages(directory):
    """The pages in all languages."""
    for language, (folder, place) in PLACES.items():
        for section in ("man1", "man5"):
            path = os.path.join(directory, folder, section)
            for name in sorted(os.listdir(path)):
                yield page(os.path.join(path, name), place + name + ".html", language)


def page(source, path, language):
    result = Page(path, language)
    name, section = os.path.basename(source).rsplit(".", 1)
    result.title = f"{name}({section})"
    text = subprocess.run(
        ["mandoc", "-K", "utf-8", "-T", "html", "-O", "fragment,man=%N.%S.html", source],
        check=True, capture_output=True, text=True).stdout
    # The page has one heading of the first level, its title.
    text = re.sub(r"<(/?)h([12])\b", lambda match: f"<{match[1]}h{int(match[2]) + 1}", text)
    result.body = f'<h1>{result.title}</h1>\n<div class="manual">{checked_links(text, source)}</div>\n'
    result.sections.append(["", "", re.sub(r"<[^>]*>", " ", text)])
    return result


def checked_links(text, source):
    """The text without links to the manual pages of other projects."""
    def link(match):
        return match[0] if os.path.exists(os.path.join(os.path.dirname(source), match[1])) else match[2]
    return re.sub(r'<a class="Xr" href="([^"]*)\.html">(.*?)</a>', link, text, flags=re.S)
