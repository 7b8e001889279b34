#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The site of the documentation, which "make docs" has left in .build/site, as a browser shows it without a network:
# its search finds pages, narrow windows need no scrolling, and a broken link keeps the site from being made. Leaves
# pictures of pages in .build/docs/pictures.
# bats file_tags=night
load ../common

site=$root/.build/site
pictures=$root/.build/docs/pictures

setup_file() {
    [ -e "$site/index.html" ] || fail "there is no site: make docs"
    mkdir -p "$pictures"
}

# Runs the browser, without any network.
browse() {
    HOME=$work timeout 120 chromium --headless=new --no-sandbox --disable-gpu --hide-scrollbars \
        --user-data-dir="$work/profile" --host-resolver-rules='MAP * ~NOTFOUND' "$@" \
        2> browser.log 3>&-
}

# A picture: name, size of the window, page, more options.
picture() {
    rm -f "$pictures/$1.png"
    browse --virtual-time-budget=10000 --window-size="$2" --screenshot="$pictures/$1.png" "${@:4}" "file://$site/$3" > /dev/null
    # An empty page has a few kilobytes.
    [ "$(stat -c %s "$pictures/$1.png")" -gt 20000 ] || fail "the picture of $3 is empty"
}

@test "the entry page is shown: English, Russian, dark, narrow; other pages wide and narrow" {
    picture english 1280,1000 index.html
    picture russian 1280,1000 ru/index.html
    picture dark 1280,1000 index.html --user-data-dir="$work/dark" --blink-settings=preferredColorScheme=0
    picture narrow 400,900 index.html
    for page in Doctor Start/Programs man/kanal-sign.1 ru/Configuration ru/Owner; do
        picture "$(basename "$page")" 1280,1400 "$page.html"
        picture "$(basename "$page")-narrow" 400,1400 "$page.html"
    done
    if cmp -s "$pictures/english.png" "$pictures/dark.png"; then fail "the dark page is the light one"; fi
}

@test "pages without a translation have the Russian contents" {
    # The contents stay Russian on a page in English, which marks its text as English.
    grep -q '<html lang="ru"' "$site/ru/Configuration.html" && grep -q '<article lang="en"' "$site/ru/Configuration.html" \
        && grep -q 'У меня есть токен' "$site/ru/Configuration.html" || fail "the contents of ru/Configuration.html are not Russian"
    if grep -oE 'href="\.\./[A-Z][^"#]*\.html"' "$site/ru/index.html" | grep -vE 'index.html'; then
        fail "the Russian entry page leads out of the Russian contents"
    fi
}

# Has the browser show pages in frames, one at a time, without scripts of their own unless they are named, until a
# function of the frame's document answers: the function, the attributes of the frames, pages. Prints the answers.
frames() {
    {
        echo '<!DOCTYPE html><body><iframe id="wait"></iframe><script>const answers = []; const answer = '"$1"';'
        # The browser prints its page when all of it is loaded.
        echo 'const wait = document.getElementById("wait").contentDocument; wait.open();'
        echo 'const pages = ['
        printf '"%s",\n' "${@:3}"
        echo ']; function next() { if (pages.length === 0) { document.body.textContent = answers.join("\n"); wait.close(); return; }'
        echo "const frame = document.createElement('iframe'); $2; frame.width = 360; frame.src = 'file://$site/' + pages.shift();"
        echo 'frame.onload = () => { const end = Date.now() + 20000; const look = () => {'
        echo 'const found = answer(frame.contentDocument, frame.src);'
        echo 'if (found === null && Date.now() < end) { setTimeout(look, 50); return; }'
        echo 'answers.push(found ?? "nothing in " + frame.src); frame.remove(); next(); }; look(); }; document.body.append(frame); }'
        echo 'next();</script>'
    } > "frames.html"
    browse --allow-file-access-from-files --dump-dom "file://$work/frames.html"
}

# Searches: words as the address has them, the entry page, a link or a text that must be among the results. The list of
# results goes on as it is scrolled.
finds() {
    frames '(page) => { const list = page.querySelector(".md-search__scrollwrap"); list.scrollTop = list.scrollHeight;
        const found = [...page.querySelectorAll(".md-search-result__link")].map((link) => link.href).join(" ")
            + page.querySelector(".md-search-result__meta").textContent;
        return found.includes("'"$3"'") ? found : null; }' '' "$2?q=$1" > "results"
    grep -q -F -e "$3" "results" || fail "no $3 for \"$1\":"$'\n'"$(cat "results")"
}

@test "the search finds pages, settings, types and an inflected Russian word, and says so if there is nothing" {
    finds 'activation+password' index.html 'site/Start/Owner.html'
    finds 'reconnect_window' index.html 'site/Configuration.html#'
    finds 'ActivationPassword' index.html 'site/interface/kanalkit-activationpassword.html'
    finds '%D0%BF%D0%BE%D0%B4%D0%BF%D0%B8%D1%81%D1%8F%D0%BC%D0%B8' ru/index.html 'site/ru/Owner.html'
    finds 'reconnect_window' ru/index.html 'site/ru/Configuration.html#'
    finds 'qqqzzz' index.html 'No matching documents'
    finds 'qqqzzz' ru/index.html 'Совпадений не найдено'
}

@test "blocks of code have a button that copies them" {
    # A button comes when all of its block is in view.
    frames '(page) => { const blocks = page.querySelectorAll("pre > code:not(.language-console *)"); const number = window.number ?? 0;
        if (number < blocks.length) { blocks[number].scrollIntoView({ block: "center" }); window.number = number + 1; return null; }
        const buttons = [...page.querySelectorAll(".md-clipboard")];
        if (buttons.length < 3) { window.number = 0; return null; }
        window.number = 0; return buttons.length + " " + buttons[0].title; }' 'frame.height = 500' Start/Programs.html ru/Owner.html > found
    grep -qE '([3-9]|[1-9][0-9]+) Copy' found || fail "no buttons that copy in Start/Programs.html: $(cat found)"
    grep -q 'Копировать' found || fail "no buttons that copy in ru/Owner.html: $(cat found)"
}

@test "no page needs a script to be read, and none is wider than a telephone" {
    # Each page in a frame as narrow as a telephone, without scripts: its text is there, and not too wide.
    (cd "$site" && find . -name '*.html' ! -path './source/*' ! -path './ru/source/*' -printf '%P\n' | sort) > pages
    mapfile -t pages < pages
    frames '(page, name) => { const width = page.documentElement.scrollWidth; const text = page.querySelector("article").innerText;
        return width > 360 || text.length < 20 ? "wrong: " + name + " " + width : "right"; }' \
        'frame.sandbox = "allow-same-origin"' "${pages[@]}" > found
    [ "$(grep -c right found)" -eq ${#pages[@]} ] || fail "pages are empty or wider than the window: $(grep -v right found)"
}

# Makes the site in a copy of the sources, and stays there.
copy_tree() {
    rm -rf tree
    mkdir -p tree/.build/docs
    tar --exclude='./.build*' --exclude=./.git -c -C "$root" . | tar -x -C tree
    cp -r "$root/.build/docs/pages" tree/.build/docs
    cd tree
    expect 0 make site
}

@test "a link to a page, a heading or a type that does not exist fails" {
    copy_tree
    for link in 'none.md' 'Doctor.md#none' '../Sources/KanalKit/KanalKit.docc/None.md'; do
        cp "$root/docs/Suites.md" docs/Suites.md
        printf '\n[A link](%s).\n' "$link" >> docs/Suites.md
        expect 2 make site
        printed 'Suites.* a link to .* wh[ei][rc][eh]'
    done
}

@test "HTML, a list that Markdown of other kinds does not take for one, and a picture without words fail" {
    copy_tree
    for text in 'A <b>word</b>.' $'A paragraph\n- and a list' '![](../docs/demo.svg)'; do
        cp "$root/docs/Suites.md" docs/Suites.md
        printf '\n%s\n' "$text" >> docs/Suites.md
        expect 2 make site
        printed 'Suites'
    done
}
