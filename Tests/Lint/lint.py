#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the tree by rules that no compiler knows: each function of CHECKS is a rule.

lint.py [CHECK...]       runs all checks, or these
lint.py --add-licence    writes the name of the licence where it is missing
"""

import collections
import functools
import os
import pathlib
import re
import sys

import borrowing

LICENCE = "SPDX-License-Identifier: Apache-2.0"
COMMENTS = {
    r"\.(?:swift|java|modulemap|rules)$": "// {}",
    r"\.(?:c|cpp|h|inc|ld|pml|so|css|js)$": "/* {} */",
    r"\.pv$": "(* {} *)",
    r"\.svg$": "<!-- {} -->",
    r"\.[15](?:\.in)?$": '.\\" {}',
    r"\.(?:sh|bash|bats|py|yml|conf|cnf|cfg|dict|supp|map|po|(?:pc|service|spec)\.in|module|mk|prerm)$|(?:^|/)Makefile$|^\.ci/"
    r"|^Tests/System/apart$|^Packaging/debian/(?:rules|control|.*overrides|tests/.*)$": "# {}",
}
# Pages, data, and generated files that their tools read.
WITHOUT_LICENCE = re.compile(
    r"\.(?:md|json|gz|txt)$|(?:^|/)(?:LICENSE|\.gitignore|\.swift-format|Package\.resolved)$"
    r"|^Tests/Vectors/files/[a-z0-9-]+(?:\.(?:cer|key|p7[bms]|pfx|tsv))?$"
    r"|^Packaging/debian/(?:changelog|clean|copyright|source/format|.*\.(?:symbols|examples))$")
# The walks of Architecture.md: the first function, the function that the last row calls, and the most that a walk may have.
# A call upwards goes to a target that an earlier function of the walk is in, above the caller's.
WALKS = {
    "C_Sign": ("SCardTransmit", {"functions": 18, "files": 14, "targets": 7, "calls upwards": 1}),
    "C_Login": ("SCardTransmit", {"functions": 14, "files": 11, "targets": 6, "calls upwards": 0}),
    "Sign.run": ("transaction", {"functions": 24, "files": 15, "targets": 5}),
}
# Pages about promises and other names: the columns that are compared, counted from 0.
PAGES = {"docs/Promises.md": [1, 2], "docs/Start/Vendors.md": [1]}


@functools.cache
def content(file):
    return pathlib.Path(file).read_text()


@functools.cache
def files():
    found = []
    for folder, folders, names in os.walk("."):
        folders[:] = [name for name in folders if name not in (".git", "__pycache__") and not name.startswith(".build")]
        found += [os.path.relpath(os.path.join(folder, name)) for name in names]
    return sorted(found)


def below(folder, *endings):
    return [file for file in files() if file.startswith(f"{folder}/") and file.endswith(endings)]


def sources():
    return {file: content(file) for file in below("Sources", ".swift")}


def borrowings():
    """No throwing call's result is borrowed in one expression."""
    yield from borrowing.check(sources())


def licences(adds=False):
    """Sources, scripts, man pages and settings name their licence in the first line, or behind "#!"."""
    for file in files():
        if WITHOUT_LICENCE.search(file) or "/out/" in f"/{file}":
            continue
        comment = next((form for kind, form in COMMENTS.items() if re.search(kind, file)), None)
        if not comment:
            yield f"{file}: COMMENTS of lint.py has no form of comments for this kind of file"
            continue
        lines = content(file).splitlines(True)
        first = int(bool(lines) and lines[0].startswith(("#!", "// swift-tools-version")))
        line = comment.format(LICENCE) + "\n"
        if lines[first:first + 1] == [line]:
            continue
        if not adds:
            yield f'{file}: no "{LICENCE}" at the top; Tests/Lint/lint.py --add-licence writes it'
            continue
        # A blank line separates a comment about the file.
        gap = ["\n"] if comment == "// {}" and lines[first:] and lines[first].startswith("//") else []
        pathlib.Path(file).write_text("".join(lines[:first] + [line] + gap + lines[first:]))


def versions():
    """The list of changes and Debian's files have the version of CVersion.h."""
    number = ".".join(re.findall(r"^#define KANAL_VERSION_[A-Z]+ (\d+)$", content("Include/CVersion/CVersion.h"), re.M))
    changes = re.search("^## (.*)$", content("CHANGELOG.md"), re.M)[1]
    exact = re.escape(number)
    if not re.fullmatch(rf"\[Unreleased\]: {exact}|\[?{exact}\]? - \d{{4}}-\d\d-\d\d", changes):
        yield f'CHANGELOG.md: begins with "{changes}", and not with version {number}'
    package = re.match(r"kanal \(([^)]*)\)", content("Packaging/debian/changelog"))[1]
    if package != number:
        yield f"Packaging/debian/changelog: begins with version {package}, and not with {number}"
    symbols = "Packaging/debian/libkanal-pkcs11.symbols"
    for name, since in re.findall(r"^ (\S+) (\S+)$", content(symbols), re.M):
        if [int(part) for part in since.split(".")] > [int(part) for part in number.split(".")]:
            yield f"{symbols}: {name} is there since {since}, which is later than {number}"


def bodies(file, name):
    """The bodies of all functions of this name in a file, without comments and the texts of literals."""
    text = re.sub(r'"(?:[^"\\\n]|\\.)*"', '""', re.sub("//.*", "", content(file)))
    found = re.findall(rf"^( *)(?:[\w@()]+ )*func {name}\b[^\n]*\n(.*?)^\1\}}", text, re.M | re.S)
    return "".join(body for _, body in found)


def walks():
    """Each function of a walk of Architecture.md is in its file and called by one before it, within WALKS."""
    page = "docs/Architecture.md"
    text = content(page)
    for start, (end, limits) in WALKS.items():
        table = re.search(rf"^\| function of [^|]* \|.*\n\|[-|]+\n(\| `{start}` (?:.*\n\|)+.*\n)", text, re.M)
        rows = re.findall(r"^\| `([^`]+)`[^|]*\| `([^`]+)` \|", table[1] if table else "", re.M)
        if not table or len(rows) != table[1].count("\n"):
            yield f"{page}: no table of the walk of {start}, or a row in another form"
        before, places, last, upwards = "", {}, 0, 0
        for function, file in rows:
            place = places.setdefault(file.split("/")[0], len(places))
            upwards += place < last
            last = place
            name = re.search(r"(\w+)(?:\(.*)?$", function)[1]
            if not os.path.isfile(f"Sources/{file}"):
                yield f"{page}: Sources/{file} does not exist"
                continue
            body = bodies(f"Sources/{file}", name)
            if not body:
                yield f"{page}: {file} does not declare {function}"
            if before and not re.search(rf"(?<![\w`]){name}(?:\(| \{{)", before):
                yield f"{page}: no function before it calls {function}"
            before += body
        if not re.search(rf"\b{end}\(", before):
            yield f"{page}: no function of the walk of {start} calls {end}"
        counts = {"functions": len(rows), "files": len({file for _, file in rows}), "targets": len(places),
                  "calls upwards": upwards}
        for kind, limit in limits.items():
            if counts[kind] > limit:
                yield f"{page}: the walk of {start} has {counts[kind]} {kind}, and at most {limit} are wanted"
        sentence = "{functions} named functions of {files} files in {targets} targets".format(**counts)
        if sentence not in " ".join(text.split()):
            yield f'{page}: the sentence above the walk of {start} does not say "{sentence}"'


def anchors(text):
    """The anchors of a page's headings, and the numbers of its sections with their items."""
    counts, found, sections, section = collections.Counter(), set(), set(), ""
    for line in re.sub("^```.*?^```", "", text, flags=re.M | re.S).splitlines():
        if heading := re.match(r"#+ (.*?)\s*$", line):
            anchor = re.sub(r"[^\w\- ]", "", heading[1].lower()).replace(" ", "-")
            found.add(f"{anchor}-{counts[anchor]}" if counts[anchor] else anchor)
            counts[anchor] += 1
            number = re.match(r"(\d+(?:\.\d+)*)\.? ", heading[1])
            section = number[1] if number else section
            sections.add(section)
        elif item := re.match(r"([a-z])\. ", line):
            sections.add(f"{section} {item[1]}")
    return found, sections


def references():
    """What pages, comments and scripts refer to exists: links, anchors, sections, rules, files and suites."""
    pages = {file: anchors(content(file)) for file in files() if file.endswith(".md")}
    ends = {file[start:] for file in files() for start in [0, *(m.end() for m in re.finditer("/", file))]}
    suites = {part.removesuffix(".swift") for file in files() for part in file.split("/")}
    for page in pages:
        text = content(page)
        prose = re.sub("(?ms)^```.*?^```$", "", text)
        prose = re.sub("(?m)^ {4}.*$|`[^`\n]*`", "", prose)
        for link in re.findall(r"\]\((?!https?://)([^()\s]*)\)", prose):
            path, mark, anchor = link.partition("#")
            target = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
            if not os.path.exists(target):
                yield f"{page}: the link {link} leads nowhere"
            elif mark and (target not in pages or anchor not in pages[target][0]):
                yield f"{page}: no such heading is at the end of the link {link}"
        for name in re.findall(r"`((?:[\w+.-]+/)*[\w+-]+\.(?:swift|c|py|pml|ld|supp|inc))`", text):
            if name not in ends:
                yield f"{page}: {name} is not a file"
        for name in re.findall(r"`(\w+Tests)`", text):
            if name not in suites:
                yield f"{page}: {name} is not a suite of tests"

    cited = {"GSC/1": pages["docs/GSC1.md"][1], "Card": pages["docs/Card.md"][1]}
    rules = set(re.findall(r"^\| R(\d+) \|", content("docs/Rules.md"), re.M))
    number = r"\d+(?:\.\d+)*(?: [a-z]\b)?"
    section = re.compile(rf"\b(GSC/1|Card), ({number}(?:(?:, | and | to ){number}(?![\w.]*\w))*)")
    place = re.compile(r"(?<![\w/.$}*-])((?:Tests|Sources|Benchmarks|Include|docs|Examples)/[\w+-]+(?:[/.][\w+-]+)*)"
                       r"(?![\w/]*[$*{<\\])")
    for file in files():
        try:
            # Comments go on in the next line.
            text = re.sub(r"\n[ \t]*(?://+|\*|#|;)?[ \t]*", " ", content(file))
        except UnicodeDecodeError:
            continue
        if file.endswith(".json"):
            continue
        for page, numbers in section.findall(text):
            for wrong in set(re.split(", | and | to ", numbers)) - cited[page]:
                yield f"{file}: {page}, {wrong} is not a section"
        for form in re.findall(r"\b(?:gsc1|card reference), \d", text):
            yield f'{file}: "{form}" is to be "GSC/1, N" or "Card, N"'
        for rule in re.findall(r'["( ]R(\d+)(?=[,:] )', text) if file.startswith("Tests/") else []:
            if rule not in rules:
                yield f"{file}: R{rule} is not a rule of docs/Rules.md"
        for path in place.findall(text):
            if not os.path.exists(path):
                yield f"{file}: {path} does not exist"


def names():
    """Tests, scripts, functions, types, commands and settings that PAGES name exist; each promise has its test."""
    tests = collections.defaultdict(set)
    group = borrowing.nested("(", ")")
    for file in below("Tests/Unit", ".swift"):
        if found := re.match(r"Tests/Unit/(\w+)/(?:.*/)?(\w*?Tests\w*?)(?:\+\w+)?\.swift$", file):
            text = re.sub(r'"(?:[^"\\\n]|\\.)*"', '""', content(file))
            for test in re.findall(rf"^ *@Test(?:{group})?\s+(?:static )?func (\w+)", text, re.M):
                for name in (f"{found[2]}/{test}", f"{found[1]}.{found[2]}/{test}"):
                    tests[name].add(found[1])
    scripts = {os.path.basename(file) for file in below("Tests", ".sh", ".bats")}
    functions = set(re.findall(r"ENTRY\((C_\w+),", content("Tests/Programs/Module/functions.h")))
    values = set(re.findall(r"\bCKR_\w+", content("Sources/Tokens/Errors/ReturnValue.swift")))
    settings = set(re.findall(r"^#(\w+) =", content("Packaging/kanal.conf"), re.M)) | {"rutoken_ecp_"}
    statuses = set(re.findall(r"^\| (\d+) \|", content("docs/Command.md"), re.M))
    members = set()
    for listed in ("Tests/Lint/interface.txt", "Tests/Lint/interface-esia.txt"):
        for member in re.findall(r"^([^\s:]+(?:\([^)]*\))?): ", content(listed), re.M):
            members |= {member, member.split("(")[0]}
    # Options by their command, as the screen of all helps shows them.
    commands, command = {"kanal": {"--version", "--help"}}, "kanal"
    for line in content("Tests/Unit/KanalCommandTests/Screens/help.txt").splitlines():
        if found := re.match(r"\$ kanal help ?([a-z ]*)$", line):
            command = f"kanal {found[1]}".strip()
        commands.setdefault(command, set()).update(re.findall("--[a-z][a-z-]+", line))

    def faults(span):
        if re.fullmatch(r"(?:\w+\.)?\w+Tests/\w+", span):
            targets = tests.get(span, ())
            return [] if len(targets) == 1 else ["is a test of several targets" if targets else "is not a test"]
        if re.match("kanal(?: |$)", span):
            # A command is the longest that the words begin with; its help has its options.
            name, *words = span.split(" ")
            while words and f"{name} {words[0]}" in commands:
                name += f" {words.pop(0)}"
            is_group = any(other.startswith(f"{name} ") for other in commands)
            wrong = ["is not a command"] if is_group and words and re.match("[a-z]", words[0]) else []
            return wrong + [f"has no option {word}" for word in words
                            if word.startswith("--") and word not in commands.get(name, ())]
        kinds = [
            (r"([\w-]+\.(?:sh|bats))", scripts, "a script"), (r"(C_\w+)", functions, "a function"),
            (r"(CKR_\w+)", values, "a return value"), (r"(--.*)", set().union(*commands.values()), "an option"),
            (r"([a-z]+(?:_[a-z]+)+)(?: = .*)?", settings, "a setting"),
            (r"(?![A-Z_0-9]+$)([A-Z]\w+(?:\.\w+)*(?:\([\w:]*\))?)", members, "of KanalKit or KanalESIA")]
        for pattern, known, kind in kinds:
            if found := re.fullmatch(pattern, span):
                return [] if found[1] in known else [f"is not {kind}"]
        return []

    for page, columns in PAGES.items():
        text = re.sub("^```.*?^```", "", content(page), flags=re.M | re.S)
        rows = 0
        for line in text.splitlines():
            cells = [cell.strip() for cell in line.strip("|").split("|")] + ["", ""]
            if re.match(r"\|(?:-+\|)+$", line):
                continue
            if line.startswith("|"):
                spans = re.findall("`([^`]+)`", "\n".join(cells[column] for column in columns))
                for status in set(re.findall(r"exit status (\d+)", line)) - statuses:
                    yield f"{page}: docs/Command.md has no exit status {status}"
            else:
                spans = re.findall(r"`((?:\w+\.)?\w+Tests/\w+|[\w-]+\.(?:sh|bats))`", line)
            yield from (f"{page}: {span} {fault}" for span in spans for fault in faults(span))
            if page == "docs/Promises.md" and line.startswith("|") and cells[0] != "promise":
                rows += 1
                if not re.search(r"`[^`]*(?:Tests/\w+|\.(?:sh|bats))`", cells[2]) \
                        and not re.search(r"\*\*Not kept\*\*|of iOS alone", cells[1]):
                    yield f'{page}: "{cells[0]}" has neither a test nor the reason why it is not kept'
        if page == "docs/Promises.md" and not rows:
            yield f"{page}: no promise"


def twins():
    """Pages in two languages have the same rows, and both first pages the same table."""
    row = re.compile(r"^\| (\d+|`[a-z][a-z .-]*`(?:, `[a-z][a-z .-]*`)*) \|", re.M)
    for page in ("Command.md", "Doctor.md"):
        if row.findall(content(f"docs/{page}")) != row.findall(content(f"docs/ru/{page}")):
            yield f"docs/ru/{page}: other rows than docs/{page}"
    tables = []
    for page, folder in (("README.md", ""), ("docs/index.md", "docs/")):
        section = re.search(r"^## Never seen on a real token\n(.*?)^## ", content(page), re.M | re.S)
        lines = re.findall(r"^\|.*$", section[1] if section else "", re.M)
        tables.append([re.sub(r"\]\((?=\w)", f"]({folder}", line) for line in lines])
    if tables[0] != tables[1] or not tables[0]:
        yield "docs/index.md: another table of what was never seen on a real token than README.md"


def starters():
    """Architecture.md lists the files that start threads or processes, or register handlers of fork."""
    page = "docs/Architecture.md"
    found = re.search(r"^### Threads, processes and handlers of fork\n(.*?)^## ", content(page), re.M | re.S)
    listed = set(re.findall(r"`([\w+-]+\.(?:swift|c))`", found[1] if found else ""))
    starts = re.compile(r"\b(?:pthread_atfork|pthread_create|thrd_create|v?fork|clone|posix_spawnp?)\(")
    starting = {os.path.basename(file) for file in below("Sources", ".swift", ".c")
                if starts.search(re.sub(r"//.*|/\*.*?\*/", "", content(file)))}
    for file in sorted(listed - starting):
        yield f"{page}: {file} starts nothing, and registers no handler"
    for file in sorted(starting - listed):
        yield f"{page}: {file} starts a thread or process, or registers a handler of fork, and is not listed"


def types():
    """A type that two other files name is in a file of its name, Name.swift or Name+Part.swift, in its module."""
    declaration = re.compile(r"^((?:(?:public|package|internal|final|indirect|@\w+(?:\([^)]*\))?)\s+)*)"
                             r"(?:struct|class|enum|actor|protocol)\s+(\w+)", re.M)
    words = {file: set(re.findall(r"\w+", re.sub("//.*", "", text))) for file, text in sources().items()}
    for file, text in sources().items():
        stem = os.path.basename(file).removesuffix(".swift").split("+")[0]
        module = file.split("/")[1]
        for access, name in declaration.findall(text):
            # Other modules see what is exported, where they import it.
            users = [other for other, its in words.items() if other != file and name in its
                     and (other.split("/")[1] == module or module in its and re.search("public|package", access))]
            if name != stem and len(users) > 1:
                yield f"{file}: {name}, which {len(users)} other files name, belongs in {name}.swift of {module}"


def layouts():
    """No type of GOST stores a type of the kernels itself, by which modules would differ about its layout."""
    stored = re.compile(r"^ +(?:(?:public|package|internal|private|fileprivate)(?:\(set\))? )*(?:let|var) \w+: gost_\w+\??$", re.M)
    for file in below("Sources/GOST", ".swift"):
        for property in stored.findall(content(file)):
            yield f"{file}: {property.strip()} has a layout that other modules do not see"


def merges():
    """No file has both sides of a merge that nobody has finished."""
    for file in files():
        text = pathlib.Path(file).read_bytes()
        if b"\0" not in text and re.search(rb"^(?:<{7}|>{7}) ", text, re.M):
            yield f"{file}: a merge is not finished"


CHECKS = [borrowings, licences, versions, walks, references, names, twins, starters, types, layouts, merges]


def main():
    os.chdir(pathlib.Path(__file__).resolve().parents[2])
    if sys.argv[1:] == ["--add-licence"]:
        faults = list(licences(adds=True))
    else:
        known = {check.__name__: check for check in CHECKS}
        if unknown := set(sys.argv[1:]) - set(known):
            sys.exit(f"lint.py: no check {', '.join(unknown)}; there are {', '.join(known)}")
        wanted = [known[name] for name in sys.argv[1:]] or CHECKS
        faults = [fault for check in wanted for fault in check()]
    sys.exit("\n".join(faults) or None)


if __name__ == "__main__":
    main()
