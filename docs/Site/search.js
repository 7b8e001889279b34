/* SPDX-License-Identifier: Apache-2.0 */
// Searches the pages of the site in the browser. searchIndex, of search-index.js, has for each page its address, its
// title, its language, whether it is there with the Russian contents too, and its sections: anchor, heading, text.
"use strict";

const endings = new RegExp(
    "(?:иями|ями|ами|ией|его|ого|ему|ому|ыми|ими|ов|ев|ей|ом|ем|ам|ям|ах|ях|ый|ий|ой|ая|яя|ое|ее|ые|ие|ую|юю|ия|ию|ии|" +
    "[аеиоуыьэюяй])$");
const root = document.querySelector(".home").getAttribute("href").replace(/index\.html$/, "");
const language = document.documentElement.lang;
const site = language === "ru" ? root + "../" : root;

// The search form of a word: a Russian one without its ending, an English one without the "s" of a plural.
function stem(word) {
    if (/^[а-яё]{5,}$/.test(word)) { return word.replace(/ё/g, "е").replace(endings, ""); }
    return /^[a-z]{4,}[^s]s$/.test(word) ? word.slice(0, -1) : word;
}

function folded(text) {
    return text.toLowerCase().replace(/ё/g, "е");
}

// The rank of a section: 0 if a word is missing.
function score(words, title, heading, text) {
    let sum = 0;
    for (const word of words) {
        const points =
            (title.includes(word) ? 20 : 0) + (heading.includes(word) ? 8 : 0) + (text.includes(word) ? 2 : 0);
        if (points === 0) { return 0; }
        sum += points;
    }
    return sum + (text.includes(words.join(" ")) ? 3 : 0);
}

// The best section of each page, the best page first; those in the reader's language before others.
function find(words) {
    const found = [];
    for (const [page, title, pageLanguage, isFramed, sections] of searchIndex) {
        const address = language === "ru" && isFramed ? "ru/" + page : page;
        let best = null;
        sections.forEach(([anchor, heading, text], number) => {
            let points = score(words, number === 0 ? folded(title) : "", folded(heading), folded(text));
            if (points === 0 && score(words, folded(title), folded(heading), folded(text)) > 0) { points = 1; }
            if (points > (best?.points ?? 0)) { best = { address, title, anchor, heading, text, points }; }
        });
        if (best) {
            best.points += (pageLanguage === language ? 5 : 0) - (page.startsWith("interface/") ? 4 : 0);
            found.push(best);
        }
    }
    return found.sort((left, right) => right.points - left.points).slice(0, 40);
}

// The text around the first of the words, in which each of them is marked.
function excerpt(words, text) {
    const places = words.map((word) => folded(text).indexOf(word)).filter((place) => place >= 0);
    const start = places.length === 0 ? 0 : Math.max(0, Math.min(...places) - 60);
    const end = Math.min(text.length, start + 200);
    const paragraph = document.createElement("p");
    let piece = (start > 0 ? "…" : "") + text.slice(start, end) + (end < text.length ? "…" : "");
    while (piece !== "") {
        const hits = words.map((word) => [folded(piece).indexOf(word), word.length]).filter(([place]) => place >= 0);
        if (hits.length === 0) { break; }
        const [place, length] = hits.sort((left, right) => left[0] - right[0] || right[1] - left[1])[0];
        const mark = document.createElement("mark");
        mark.textContent = piece.slice(place, place + length);
        paragraph.append(piece.slice(0, place), mark);
        piece = piece.slice(place + length);
    }
    paragraph.append(piece);
    return paragraph;
}

function show(query) {
    const words = folded(query).split(/[\s,;:"'«»()]+/).filter((word) => word !== "").map(stem);
    const found = words.length === 0 ? [] : find(words);
    document.getElementById("nothing").hidden = words.length === 0 || found.length > 0;
    document.getElementById("results").replaceChildren(...found.map((result) => {
        const item = document.createElement("li");
        const link = document.createElement("a");
        link.href = site + result.address + (result.anchor === "" ? "" : "#" + result.anchor);
        link.textContent = result.title + (result.heading === "" ? "" : ": " + result.heading);
        item.append(link, excerpt(words, result.text));
        return item;
    }));
}

const input = document.querySelector("input[type=search]");
input.value = new URLSearchParams(location.search).get("q") ?? "";
input.addEventListener("input", () => show(input.value));
input.focus();
show(input.value);
