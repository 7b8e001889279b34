# SPDX-License-Identifier: Apache-2.0
"""Pages of the site from Markdown: cmark-gfm converts; this file adds anchors, links and the search's data."""

import html
import re
import subprocess
from html.parser import HTMLParser

HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
# Blocks of code with a style of their own.
STYLES = {"language-console": "terminal", "language-declaration": "declaration"}


class BrokenPage(Exception):
    """A page has content that the site cannot show."""


class Page:
    """A page: its address in the site, its body in HTML, and its sections as text, which are searched."""

    def __init__(self, path, language="en"):
        self.path = path
        self.language = language
        self.title = path
        self.body = ""
        self.sections = []          # [anchor, heading, text]
        self.links = []             # of lists: [heading of the section, text, address as it was written]
        self.translation = None     # (address, text)
        self.text_language = language
        self.is_framed = False      # whether it is there again with the Russian contents
        self.taken = {}             # how often each anchor was wanted

    def add(self, markdown, resolve, level=0, anchor=None):
        """Adds Markdown. `resolve` turns an address that the text has into one of the site. Headings go down by
        `level`; the first one gets the anchor that is given."""
        writer = Writer(self, resolve, level, anchor)
        writer.feed(convert(markdown))
        writer.close()
        self.body += "".join(writer.output)


def convert(markdown):
    """HTML of a Markdown text, of GitHub's kind, without any HTML that the text itself may have."""
    run = subprocess.run(
        ["cmark-gfm", "--extension", "table", "--to", "html"], input=markdown.encode(), capture_output=True, check=True)
    result = run.stdout.decode()
    if "<!-- raw HTML omitted -->" in result:
        raise BrokenPage("HTML within Markdown")
    return result


def anchor_of(heading, taken):
    """The anchor of a heading, by the rule of GitHub. The lint has the same rule."""
    anchor = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
    number = taken.get(anchor, 0)
    taken[anchor] = number + 1
    return f"{anchor}-{number}" if number else anchor


class Writer(HTMLParser):
    """Rewrites converted Markdown, with anchors, links into the site, and scrollable tables."""

    def __init__(self, page, resolve, level, anchor):
        super().__init__(convert_charrefs=False)
        self.page, self.resolve, self.level, self.first_anchor = page, resolve, level, anchor
        self.output = []
        self.taken = page.taken
        self.heading = None         # pieces of the heading that is being read
        self.heading_start = 0
        self.link = None            # [address, pieces of text]
        self.lists = 0              # how many lists this is in
        self.columns = []           # the headings of the table that is being read
        self.column = 0             # the cells of the row that were read
        self.heading_cell = 0       # where the text of a heading begins
        if not page.sections:
            page.sections.append(["", "", ""])

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if tag in HEADINGS:
            self.heading, self.heading_start = [], len(self.output)
            return
        if tag == "a":
            address = values.get("href", "")
            self.link = [address, []]
            self.output.append(f'<a href="{html.escape(self.resolve(address))}">')
        elif tag == "img":
            words = values.get("alt", "")
            if not words:
                raise BrokenPage("a picture without words for it")
            source = self.resolve(values.get("src", ""))
            self.output.append(f'<img src="{html.escape(source)}" alt="{html.escape(words)}">')
            self.text(words)
        elif tag == "table":
            self.columns = []
            self.output.append('<div class="table" tabindex="0"><table>')
        elif tag == "tr":
            self.column = 0
            self.output.append("<tr>")
        elif tag == "th":
            self.heading_cell = len(self.page.sections[-1][2])
            self.output.append("<th>")
        elif tag == "td":
            # A narrow window shows the cells of a row below each other, each with its column's heading.
            label = self.columns[self.column] if self.column < len(self.columns) else ""
            self.column += 1
            self.output.append(f'<td data-label="{html.escape(label)}">')
        elif tag == "pre":
            self.output.append('<pre tabindex="0">')
        elif tag == "code" and values.get("class") in STYLES:
            self.output[-1] = f'<pre class="{STYLES[values["class"]]}" tabindex="0">'
            self.output.append("<code>")
        else:
            self.lists += tag in ("ol", "ul")
            self.output.append(self.get_starttag_text())

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)

    def handle_endtag(self, tag):
        if tag in HEADINGS:
            self.end_heading(int(tag[1]) + self.level)
            return
        if tag == "a" and self.link:
            if self.lists:
                self.page.links.append([self.page.sections[-1][1], "".join(self.link[1]), self.link[0]])
            self.link = None
        if tag == "th":
            self.columns.append(self.page.sections[-1][2][self.heading_cell:].strip())
        self.lists -= tag in ("ol", "ul")
        self.output.append("</table></div>" if tag == "table" else f"</{tag}>")
        if tag in ("p", "li", "td", "th", "pre", "tr"):
            self.page.sections[-1][2] += " "

    def end_heading(self, level):
        text = "".join(self.heading)
        inner = "".join(self.output[self.heading_start:])
        del self.output[self.heading_start:]
        anchor, self.first_anchor = self.first_anchor, None
        self.heading = None
        anchor = anchor or anchor_of(text, self.taken)
        name = f"h{min(level, 6)}"
        self.output.append(f'<{name} id="{html.escape(anchor)}">{inner}</{name}>')
        if level == 1:
            self.page.title = text
        elif level <= 3:
            self.page.sections.append([anchor, text, ""])

    def text(self, text):
        if self.link:
            self.link[1].append(text)
        if self.heading is not None:
            self.heading.append(text)
        else:
            self.page.sections[-1][2] += text

    def handle_data(self, data):
        self.output.append(data)
        self.text(data)

    def handle_entityref(self, name):
        self.output.append(f"&{name};")
        self.text(html.unescape(f"&{name};"))

    def handle_charref(self, name):
        self.output.append(f"&#{name};")
        self.text(html.unescape(f"&#{name};"))

    def handle_comment(self, data):
        raise BrokenPage("a comment within Markdown")
