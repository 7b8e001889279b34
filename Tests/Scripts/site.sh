#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The site of the documentation, which "make docs" has left in .build/site, as a browser shows it without a network:
# its search finds pages, narrow windows need no scrolling, and a broken link keeps the site from being made. Leaves
# pictures of the entry page in .build/docs/pictures.
set -euo pipefail
cd "$(dirname "$0")/../.."
. Tests/Scripts/common.sh

site=$root/.build/site
pictures=$root/.build/docs/pictures
[ -e "$site/index.html" ] || fail "there is no site: make docs"
mkdir -p "$pictures"

# Runs the browser, without any network.
browse() {
    HOME=$work timeout 120 chromium --headless=new --no-sandbox --disable-gpu --hide-scrollbars \
        --user-data-dir="$work/profile" --host-resolver-rules='MAP * ~NOTFOUND' --virtual-time-budget=10000 "$@" \
        2> "$work/browser.log"
}

# A picture: name, size of the window, page, more options.
picture() {
    rm -f "$pictures/$1.png"
    browse --window-size="$2" --screenshot="$pictures/$1.png" "${@:4}" "file://$site/$3" > /dev/null
    # A page that is empty takes a few kilobytes.
    [ "$(stat -c %s "$pictures/$1.png")" -gt 20000 ] || fail "the picture of $3 is empty"
}

picture english 1280,1000 index.html
picture russian 1280,1000 ru/index.html
picture dark 1280,1000 index.html --blink-settings=preferredColorScheme=0
picture narrow 400,900 index.html
for page in Doctor Start/Programs man/kanal-sign.1 ru/Configuration ru/Owner; do
    picture "$(basename "$page")" 1280,1400 "$page.html"
    picture "$(basename "$page")-narrow" 400,1400 "$page.html"
done
if cmp -s "$pictures/english.png" "$pictures/dark.png"; then fail "the dark page is the light one"; fi
passed "the entry page is shown: English, Russian, dark, narrow; other pages wide and narrow"

# The contents stay Russian on a page in English, which says so of its text.
grep -q '<html lang="ru">' "$site/ru/Configuration.html" && grep -q '<main id="text" lang="en">' "$site/ru/Configuration.html" \
    && grep -q 'У меня есть токен' "$site/ru/Configuration.html" || fail "the contents of ru/Configuration.html are not Russian"
if grep -oE 'href="\.\./[A-Z][^"#]*\.html"' "$site/ru/index.html" | grep -vE 'index.html'; then
    fail "the Russian entry page leads out of the Russian contents"
fi
passed "pages without a translation have the Russian contents"

# Searches: words as the address has them, the page of the search, a link that must be among the results.
finds() {
    browse --dump-dom "file://$site/$2?q=$1" > "$work/found"
    sed -n '/<ol id="results"/,/<\/ol>/p' "$work/found" > "$work/results"
    grep -q -e "href=\"$3" "$work/results" || fail "no $3 for \"$1\":"$'\n'"$(cat "$work/results")"
}

finds 'activation+password' search.html 'Start/Owner.html'
finds 'reconnect_window' search.html 'Configuration.html#'
finds 'ActivationPassword' search.html 'interface/kanalkit-activationpassword.html'
finds '%D0%BF%D0%BE%D0%B4%D0%BF%D0%B8%D1%81%D1%8F%D0%BC%D0%B8' ru/search.html '../ru/Owner.html'
browse --dump-dom "file://$site/search.html?q=qqqzzz" > "$work/found"
grep -q '<p id="nothing">' "$work/found" || fail "a search for nonsense does not say that nothing was found"
passed "the search finds pages, settings, types and an inflected Russian word, and says so if there is nothing"

scripted=$(find "$site" -name '*.html' ! -name search.html -exec grep -hoE '<script src="[^"]*"' {} + \
    | grep -vE 'src="(\.\./)*copy\.js"' | sort -u || true)
[ -z "$scripted" ] || fail "pages other than the search need a script: $scripted"
browse --dump-dom "file://$site/Start/Programs.html" > "$work/found"
[ "$(grep -c '<button type="button" class="copy">Copy' "$work/found")" -ge 3 ] || fail "no buttons that copy in Start/Programs.html"
browse --dump-dom "file://$site/ru/Owner.html" > "$work/found"
grep -q '<button type="button" class="copy">Копировать' "$work/found" || fail "no buttons that copy in ru/Owner.html"
grep -q '<noscript>.*pages.html' "$site/search.html" || fail "the search says nothing without JavaScript"
passed "all pages but the search do without JavaScript; with it, blocks of code have a button that copies them"

# Each page in a frame as narrow as a telephone; the widths of those that are too wide.
{
    echo '<!DOCTYPE html><body><script>const wide = []; let waiting = 0; function look(frame) {'
    echo 'const width = frame.contentDocument.documentElement.scrollWidth;'
    echo 'if (width > 360) { wide.push(frame.src + " " + width); }'
    echo 'waiting -= 1; if (waiting === 0) { document.body.textContent = "wide: " + wide.join(", ") + "."; } }'
    echo 'for (const page of ['
    (cd "$site" && find . -name '*.html' ! -path './source/*' | sed 's/.*/"&",/')
    echo ']) { const frame = document.createElement("iframe"); frame.width = 360; waiting += 1;'
    echo "frame.onload = () => look(frame); frame.src = 'file://$site/' + page; document.body.append(frame); }</script>"
} > "$work/frames.html"
browse --allow-file-access-from-files --dump-dom "file://$work/frames.html" > "$work/found"
grep -q 'wide: \.' "$work/found" || fail "pages are wider than the window: $(cat "$work/found")"
passed "no page is wider than a telephone"

mkdir "$work/tree"
tar --exclude='./.build*' --exclude=./.git -c . | tar -x -C "$work/tree"
cd "$work/tree"
docs/Site/site.py "$root/.build/docs/root/usr/share/man" "$root"/.build/docs/*.interface.doccarchive "$work/again" > /dev/null \
    || fail "the site cannot be made again"
for link in 'none.md' 'Doctor.md#none' '../Sources/KanalKit/KanalKit.docc/None.md'; do
    cp "$root/docs/Suites.md" docs/Suites.md
    printf '\n[A link](%s).\n' "$link" >> docs/Suites.md
    expect 1 docs/Site/site.py "$root/.build/docs/root/usr/share/man" "$root"/.build/docs/*.interface.doccarchive "$work/again"
    printed '^site.py: Suites.html: a link to .*, wh[ei][rc][eh]'
done
passed "a link to a page, a heading or a type that does not exist fails"
