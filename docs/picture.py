#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""picture.py COMMAND: draws what a demonstration prints, from standard input, as a terminal in SVG to standard output.
COMMAND is the line with which the terminal begins. Values that differ from run to run become those of one run: serial
numbers, activation passwords, dates, temporary directories, and whether pcscd was already running."""
import re
import sys
from html import escape

COLUMNS = 100
CHARACTER, LINE, SIZE = 7.2, 16, 12
EDGE, BAR = 14, 30
FONTS = "ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
SERIAL = "0e5f21a7"
PASSWORDS = ("1BCD-EFGH-JKLM-NPQR", "2CDE-FGHJ-KLMN-PQRS")

COLOURS = {"prompt": "#7ee787", "heading": "#79c0ff", "output": "#c9d1d9"}


def steadied(text):
    """The text without what differs from run to run. A value that is repeated stays the same value."""
    serials = re.findall(r"^ *serial: ([0-9a-f]{8}) ", text, re.MULTILINE)
    for serial in serials:
        text = text.replace(f"decimal {int(serial, 16)}", f"decimal {int(SERIAL, 16)}").replace(serial, SERIAL)
    found = dict.fromkeys(re.findall(r"\b[0-9A-Z]{4}(?:-[0-9A-Z]{4}){3}\b", text))
    if len(serials) > 1 or len(found) > len(PASSWORDS):
        sys.exit("picture.py: more serial numbers or activation passwords than one token has")
    for password, steady in zip(found, PASSWORDS):
        text = text.replace(password, steady)
    text = re.sub(r"\d{4}-\d\d-\d\dT[0-9:]{8}(?:Z|[+-]\d\d:\d\d)", "2026-01-01T12:00:00Z", text)
    text = re.sub(r"/\S*/tmp\.\w+", "/tmp/demonstration", text)
    return text.replace("It is running.", "Started; it ends with this demonstration.")


def kind_of(line):
    if re.match(r" *\$ ", line):
        return "prompt"
    return "heading" if re.match(r"\d+\. ", line) else "output"


def rows(text):
    """Lines as a terminal of so many columns shows them, each with its kind."""
    continued = False
    for line in text.rstrip("\n").split("\n"):
        kind = "prompt" if continued else kind_of(line)
        continued = kind == "prompt" and line.endswith("\\")
        for start in range(0, max(len(line), 1), COLUMNS):
            yield kind, line[start:start + COLUMNS]


def blanks_kept(line):
    return re.sub(r" {2,}", lambda blanks: "\N{NO-BREAK SPACE}" * len(blanks[0]), line)


def drawn(text):
    lines = list(rows(text))
    width, height = round(COLUMNS * CHARACTER + 2 * EDGE), BAR + len(lines) * LINE + EDGE
    yield "<!-- SPDX-License-Identifier: Apache-2.0 -->"
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
           'role="img">')
    yield "<title>The output of make demo</title>"
    yield f'<rect width="{width}" height="{height}" rx="8" fill="#0d1117"/>'
    for place, colour in enumerate(("#ff5f57", "#febc2e", "#28c840")):
        yield f'<circle cx="{EDGE + 6 + 18 * place}" cy="16" r="5" fill="{colour}"/>'
    yield f'<g font-family="{FONTS}" font-size="{SIZE}">'
    for number, (kind, line) in enumerate(lines):
        content = line.lstrip(" ")
        if not content:
            continue
        # Every font gives the same columns, and no blank of a table is lost.
        left, length = EDGE + (len(line) - len(content)) * CHARACTER, len(content) * CHARACTER
        weight = ' font-weight="bold"' if kind == "heading" else ""
        shown = blanks_kept(escape(content, quote=False))
        yield (f'<text x="{left:.1f}" y="{BAR + number * LINE + SIZE}" fill="{COLOURS[kind]}"{weight} '
               f'textLength="{length:.1f}" lengthAdjust="spacingAndGlyphs">{shown}</text>')
    yield "</g>"
    yield "</svg>"


print("\n".join(drawn(f"$ {sys.argv[1]}\n" + steadied(sys.stdin.read()))))
