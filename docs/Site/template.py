# SPDX-License-Identifier: Apache-2.0
"""The frame of a page: its head, the search, the order of reading, and the words for it in both languages."""

from html import escape

from interface import relative
from markdown import Page

WORDS = {
    "en": {
        "skip": "To the text", "search": "Search", "pages": "Pages", "all": "All pages", "next": "Next",
        "no-script": "The search needs JavaScript. Without it, the list of all pages helps:",
        "nothing": "Nothing found.", "interface": "KanalKit's interface", "others": "Other files of the project", "other-language": "In English",
        "results": "Pages found", "manual": "Manual pages", "copy": "Copy", "copied": "Copied",
    },
    "ru": {
        "skip": "К тексту", "search": "Поиск", "pages": "Страницы", "all": "Все страницы", "next": "Дальше",
        "no-script": "Для поиска нужен JavaScript. Без него поможет список всех страниц:",
        "nothing": "Ничего не найдено.", "interface": "Интерфейс KanalKit", "others": "Другие файлы проекта",
        "other-language": "На английском языке", "results": "Найденные страницы",
        "manual": "Страницы руководства", "copy": "Копировать", "copied": "Скопировано",
    },
}


def prefix(language):
    return "" if language == "en" else language + "/"


def link(page, place, text, more=""):
    return f'<a href="{escape(relative(page.path, place))}"{more}>{escape(text)}</a>'


def order_of_reading(page, contents):
    """The groups of the entry page. The open one is the reader's."""
    parts = []
    current = ' aria-current="page"'
    for heading, entries in contents:
        start = "interface/kanalkit.html" if page.path.startswith("interface/") else page.path
        here = any(place in (page.path, start) for _, place in entries)
        items = "".join(
            f"<li>{link(page, place, text, current if place == page.path else '')}</li>" for text, place in entries)
        parts.append(
            f'<details{" open" if here else ""}><summary>{escape(heading)}</summary><ol>{items}</ol></details>')
    return "".join(parts)


def next_pages(page, contents):
    """The next pages, one for each group that has this page."""
    parts = {}
    for heading, entries in contents:
        places = [place for _, place in entries]
        if page.path in places[:-1]:
            text, place = entries[places.index(page.path) + 1]
            parts[place] = f"<li>{link(page, place, text)} <small>{escape(heading)}</small></li>"
    if not parts:
        return ""
    heading = WORDS[page.language]["next"]
    return f'<nav class="next" aria-label="{heading}"><h2>{heading}</h2><ul>{"".join(parts.values())}</ul></nav>'


def whole(page, contents):
    """The whole page in HTML."""
    words = WORDS[page.language]
    start = prefix(page.language)
    translation = ""
    if page.translation:
        place, text = page.translation
        other = "en" if page.language == "ru" else "ru"
        translation = f'<a class="language" href="{escape(place)}" lang="{other}" hreflang="{other}">{escape(text)}</a>'
    scripts = ""
    if page.path == start + "search.html":
        scripts = "".join(
            f'<script src="{relative(page.path, file)}" defer></script>' for file in ("search-index.js", "search.js"))
    elif "<pre" in page.body:
        scripts = (f'<script src="{relative(page.path, "copy.js")}" defer data-copy="{words["copy"]}" '
                   f'data-copied="{words["copied"]}"></script>')
    title = page.title if page.path == start + "index.html" else f"{page.title} · Kanal"
    return f"""<!DOCTYPE html>
<html lang="{page.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escape(title)}</title>
<link rel="stylesheet" href="{relative(page.path, "style.css")}">
{scripts}</head>
<body>
<a class="skip" href="#text">{words["skip"]}</a>
<header>
{link(page, start + "index.html", "Kanal", ' class="home"')}
<form action="{relative(page.path, start + "search.html")}" role="search">
<input type="search" name="q" aria-label="{words["search"]}" placeholder="{words["search"]}"></form>
<a class="to-pages" href="#pages">{words["pages"]}</a>
{translation}
</header>
<div class="columns">
<main id="text" lang="{page.text_language}">
{page.body}
{next_pages(page, contents)}
</main>
<nav id="pages" aria-label="{words["pages"]}">
{order_of_reading(page, contents)}
<p>{link(page, start + "pages.html", words["all"])}</p>
<p>{link(page, start + "man/index.html", words["manual"])}</p>
</nav>
</div>
</body>
</html>
"""


def is_main(page):
    """Whether a page is one of the project's own pages, and not a file that one of them names."""
    return page.path.startswith(("ru/", "Start/")) and "/man/" not in page.path or "/" not in page.path


def is_manual(page):
    return page.path.startswith(("man/", "ru/man/"))


def listing_of(listing, pages):
    items = "".join(
        f"<li>{link(listing, page.path, page.title)}</li>" for page in sorted(pages, key=lambda page: page.title.lower()))
    return f'<ul class="listing">{items}</ul>\n' if items else ""


def special_pages(language, pages):
    """The page of the search, the list of all pages, which works without it, and the list of manual pages."""
    words = WORDS[language]
    manual = Page(prefix(language) + "man/index.html", language)
    manual.title = words["manual"]
    manual.body = f"<h1>{words['manual']}</h1>\n" + listing_of(
        manual, [page for page in pages if is_manual(page) and page.language == language])
    search = Page(prefix(language) + "search.html", language)
    search.title = words["search"]
    search.body = f"""<h1>{words["search"]}</h1>
<noscript><p>{words["no-script"]} {link(search, prefix(language) + "pages.html", words["all"])}</p></noscript>
<p id="nothing" hidden>{words["nothing"]}</p>
<ol id="results" aria-label="{words["results"]}" aria-live="polite"></ol>
"""
    listing = Page(prefix(language) + "pages.html", language)
    listing.title = words["all"]
    groups = {
        "": [page for page in pages if is_main(page) and page.language == language],
        words["other-language"]: [
            page for page in pages if is_main(page) and page.language != language == "ru" and not page.is_framed],
        words["interface"]: [page for page in pages if page.path.startswith("interface/")],
        words["others"]: [page for page in pages if page.path.startswith("source/")],
    }
    listing.body = f"<h1>{words['all']}</h1>\n"
    for heading, group in groups.items():
        if group:
            listing.body += (f"<h2>{escape(heading)}</h2>\n" if heading else "") + listing_of(listing, group)
    return [search, listing, manual]
