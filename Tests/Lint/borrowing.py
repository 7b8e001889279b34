# SPDX-License-Identifier: Apache-2.0
"""Finds an expression in Sources that Swift 6.3.1 compiles wrongly.

A property that borrows, such as "span", is read in one expression with the throwing call whose result it borrows from:

    try PublicKeyInfo(der: Certificate(der: bytes).subjectPublicKeyInfo.span)

The result lives in a temporary for as long as the span does. The compiler ends that life on the path of the call's
error as well, before the value exists: the memory's content is released as if it were an array. Without a stored
property in between the compiler stops ("Instruction does not dominate all uses", or an assertion); with one it is
silent, in debug builds and in release. The result of a computed property, a subscript or another call is not
affected, nor is an error that is thrown before or after: w(try f()).x.span is sound.

The rule: a throwing call or getter before ".span" or a similar property has a "let" of its own. "bytes" counts for
every type, because Secret's borrows.
"""

import collections
import re


def nested(opening, closing):
    """Balanced brackets, at most 20 deep."""
    pattern = "(?!)"
    for _ in range(20):
        pattern = rf"\{opening}(?:[^{opening}{closing}]++|{pattern})*+\{closing}"
    return pattern


GROUP, BLOCK, GENERICS = nested("(", ")"), nested("{", "}"), r"(?:<[^<>()]*>)?"
FUNCTION = re.compile(rf"\bfunc\s+(\w+)\s*{GENERICS}\s*({GROUP})\s*(?:async\s+)?throws\b")
PROPERTY = re.compile(r"\bvar\s+(\w+)\s*:[^={}]*\{\s*get\s+throws\b")
TYPE_OR_INITIALISER = re.compile(
    r"^\s*(?:[\w@()]+\s+)*(?:struct|class|enum|extension|actor)\s+(?:\w+\.)*(?P<type>\w+)"
    rf"|\binit[?]?\s*{GENERICS}\s*(?P<list>{GROUP})\s*throws\b", re.MULTILINE)
BORROWING = re.compile(
    rf"(?:(?P<call>\b\w+)\s*{GENERICS}(?:\s*(?P<list>{GROUP})(?:\s*{BLOCK})?|\s*{BLOCK})"
    r"|(?P<property>\.\w+\b)(?!\s*[<({]))"
    r"(?:\s*\.\s*\w+(?![\w(]))*?\s*\.\s*(?:span|bytes|mutableSpan|mutableBytes|utf8Span)\b(?!\s*\()")
NESTED = re.compile(rf"{GROUP}|{BLOCK}|\[[^\[\]]*\]|<[^<>]*>")


def labels(group):
    """The labels of arguments or parameters, "_" for one without."""
    return [(re.match(r"\s*(\w+)[^:]*:", part) or " _")[1] for part in NESTED.sub("", group[1:-1]).split(",") if part]


def throwing(texts):
    """Throwing declarations by their names: functions and types with initialisers, each with the labels of its
    parameters, and properties, with a dot before their names."""
    names = collections.defaultdict(set)
    for text in texts:
        for name, group in FUNCTION.findall(text):
            names[name].update(["", *labels(group)])
        for name in PROPERTY.findall(text):
            names[f".{name}"].add("")
        kind = ""
        for found in TYPE_OR_INITIALISER.finditer(text):
            if found["type"]:
                kind = found["type"]
            else:
                names[kind].update(["", *labels(found["list"])])
    return names


def is_tried(text):
    """Whether "try" covers the code behind this text."""
    *lines, statement = text.split("\n")
    while lines and (re.search(r"[(\[,=:?&|+]\s*$", lines[-1]) or re.match(r"\s*[.:?&|+)\]]", statement)):
        statement = f"{lines.pop()}\n{statement}"
    return re.search(r"\btry\b", statement)


def violations(text, names):
    """The expressions of a text that break the rule, each with its line."""
    found = BORROWING.search(text)
    while found:
        name = found["call"] or found["property"]
        label = (labels(found["list"] or "()") or [""])[0]
        if label in names.get(name, ()) and is_tried(text[:found.start()]):
            yield 1 + text.count("\n", 0, found.start()), found[0]
        # There may be others inside the parentheses.
        found = BORROWING.search(text, found.start() + len(name))


def code(text):
    """Comments and strings count for nothing, and keep their lines."""
    return re.sub(r'//[^\n]*|"(?:[^"\\\n]|\\.)*"', lambda found: "" if found[0][0] == "/" else '""', text)


KNOWN = throwing(["""
struct Sound { init(_ bytes: Span<UInt8>) {} }
extension Outer.Inner { init(der bytes: Span<UInt8>) throws(Failure) {} }
func made<T>(_ size: Int, by body: (Int) -> T) throws -> T {}
var parsed: Inner { get throws(Failure) { } }
func other() -> Inner {}
"""])
SAMPLES = [
    (1, "try Key(der: Inner(der: octets.span).content.octets.span)"),
    (1, "try Key(Inner(der: octets.span)\n    .content\n    .span)"),
    (1, "let first = try made(3) .secret.bytes[0]"),
    (1, "try use(made(f(3)).span)"),
    (1, "try use(octets.parsed.content.span)"),
    (0, "let inner = try Inner(der: octets.span)"),
    (0, "try use(Sound(try made(2)).octets.span)"),
    (0, "try use(Inner(der: octets.span).copy().span)"),
    (1, "let x = try use(\n    octets,\n    made(2).span)"),
    (0, "use(made(2).span)"),
    (0, "try made(other().span)"),
    (0, "try use(other().content.span, made(1))"),
    (0, "let octets = try made(8).bytes(4)"),
    (0, "try use(made(labelled: 8).span)"),
    (1, "try use(made(8) { $0 }.span)"),
]


def check(sources):
    """Finds the expression in texts by their files."""
    for count, sample in SAMPLES:
        if count != len(list(violations(sample, KNOWN))):
            yield f"Tests/Lint/borrowing.py: its own sample is judged wrongly: {sample}"
    texts = {file: code(text) for file, text in sources.items()}
    names = throwing(texts.values())
    for file, text in texts.items():
        for line, expression in violations(text, names):
            yield f"{file}:{line}: the result of a throwing call is borrowed in one expression: {expression}"
