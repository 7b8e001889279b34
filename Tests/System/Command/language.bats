#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The texts for people in Russian: help, lists, errors with remedies, the doctor, questions by pinentry. Output for programs is
# the same in every language: JSON, logs, exit statuses. English stays as it is unless Russian is asked for.
# bats file_tags=command
load ../common
load terminal

setup_file() {
    prepare ask
    start_pcscd
    "$kanal" --help > plain
    echo $pin > pin
    echo 00000000 > wrong-pin
}

teardown() { detach; }

english=(env LC_ALL=C)
# No locale but C.UTF-8 need be installed.
russian=(env LC_ALL=C.UTF-8 LANGUAGE=ru)

russian_exits() { expect "$1" "${russian[@]}" "$kanal" "${@:2}"; }

# A token with a key.
insert_token() {
    rm -rf state
    insert usb state
    "${english[@]}" "$kanal" key generate --label key --id 01 --pin-source file:pin > /dev/null
}

# The catalogue is looked for beside the command; the system's differs.
another_installation() {
    mkdir -p other/bin other/share/locale/ru/LC_MESSAGES
    cp "$kanal" other/bin
    catalogue=$(readlink -f "$root/.build/release")/../share/locale/ru/LC_MESSAGES/kanal.mo
    place=other/share/locale/ru/LC_MESSAGES/kanal.mo
    cp "$catalogue" "$place"
}

# asked LANGUAGE TITLE COMMAND...: checks the title that the stand-in received.
asked() {
    rm -f commands
    timeout 60 env LC_ALL=C.UTF-8 LANGUAGE="$1" "${@:3}" > output 2>&1 < /dev/null || true
    grep -qx "SETTITLE $2" commands || fail "no title \"$2\": $(cat commands output)"
    # One right PIN restores the tries.
    "${english[@]}" "$kanal" list --pin-source file:pin > /dev/null
}

@test "every command's help is in Russian" {
    russian_exits 0 --help
    printed '^ОБЗОР: Работа с токенами ГОСТ семейства Рутокен\.$'
    printed '^ВЫЗОВ: kanal \[--json\] <подкоманда>$'
    printed '^ПАРАМЕТРЫ:$'
    printed 'Показать справку\.$'
    printed '^  5  У PIN-кода или пароля не осталось попыток\.$'
    for command in $("${english[@]}" "$kanal" help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
        russian_exits 0 help "$command"
        head -n 1 output | grep -qP '^ОБЗОР: \p{Cyrillic}' || fail "not in Russian: $(cat output)"
        # Sentences of English have a small word in them. Those in lines of two halves are lines to be copied.
        ! grep -P '(?<![<\[./-])\b(the|is|are|of|with|and|for)\b(?![>\]./=-])' output > rest || fail "English in: $(cat rest)"
    done
}

@test "the language is that of LC_ALL, LC_MESSAGES, LANG and LANGUAGE, where texts are in UTF-8" {
    for variables in LC_ALL=C "LC_ALL=C LANGUAGE=ru" LANG=ru_RU.KOI8-R LANG=ru_RU LANG=en_US.UTF-8 "LANG=ru_RU.UTF-8 LANGUAGE=en:ru" \
        "LANG=ru_RU.UTF-8 LC_MESSAGES=C" LANG=de_DE.UTF-8 LANG=../../x.UTF-8; do
        expect 0 env -u LC_ALL -u LANG $variables "$kanal" --help
        cmp -s plain output || fail "not English, octet for octet: $variables"
    done
    for variables in LANG=ru_RU.UTF-8 LC_ALL=ru_RU.utf8 "LANG=C.UTF-8 LANGUAGE=ru" "LANG=de_DE.UTF-8 LANGUAGE=xx:ru:en" \
        "LANG=en_US.UTF-8 LC_MESSAGES=ru_RU.UTF-8" "LC_ALL=C.UTF-8 LANGUAGE=ru_UA"; do
        expect 0 env -u LC_ALL -u LANG $variables "$kanal" --help
        printed '^ОБЗОР:'
    done
}

@test "a catalogue that is cut, damaged or no file does no harm" {
    another_installation
    expect 0 "${russian[@]}" other/bin/kanal --help
    printed '^ОБЗОР:'
    size=$(stat -c %s "$catalogue")
    for count in 0 10 28 5000 $((size / 2)) $((size - 1)); do
        head -c "$count" "$catalogue" > "$place"
        expect 0 "${russian[@]}" other/bin/kanal --help
        printed 'kanal'
    done
    for octet in '\377' '\000' '\200'; do
        { head -c 28 "$catalogue"; head -c 20000 /dev/zero | tr '\0' "$octet"; tail -c +20029 "$catalogue"; } > "$place"
        expect 0 "${russian[@]}" other/bin/kanal --help
        cmp -s plain output || printed '^ОБЗОР:'
    done
    rm "$place"
    mkfifo "$place"
    expect 0 "${russian[@]}" other/bin/kanal --help
    rm "$place"
}

@test "a set-user-ID program stays English" {
    [ "$(id -u)" = 0 ] || skip "that takes root"
    another_installation
    chmod 755 "$BATS_RUN_TMPDIR" "$work" other other/bin other/share
    as_nobody=(setpriv --reuid=nobody --regid=nogroup --clear-groups "${russian[@]}")
    expect 0 "${as_nobody[@]}" "$work/other/bin/kanal" --help
    printed '^ОБЗОР:'
    chmod 4755 other/bin/kanal
    expect 0 "${as_nobody[@]}" "$work/other/bin/kanal" --help
    printed '^OVERVIEW:'
}

@test "errors have causes and remedies in Russian" {
    russian_exits 2 info --no-such-option
    printed "^Ошибка: Неизвестный параметр '--no-such-option'"
    printed '^Вызов: kanal info'
    russian_exits 2 random 0
    printed '^Ошибка: количество — от 1 до 1048576$'
    russian_exits 1 cert import --pin-source file:missing "$work/missing"
    printed "^kanal: $work/missing: Нет такого файла или каталога\$"
    russian_exits 3 info
    printed '^kanal: ни в одном считывателе нет токена: следующий шаг покажет «kanal»$'
    expect 3 env PCSCLITE_CSOCK_NAME="$work/none" "${russian[@]}" "$kanal" readers
    printed 'pcscd не запущен: запустите его, например командой systemctl start pcscd'
}

@test "the doctor is in Russian, and its JSON stays as it is" {
    export PCSCLITE_CSOCK_NAME=$work/none
    russian_exits 1 doctor
    printed '^ошибка pcscd.running: pcscd не запущен: нет сокета '
    printed '^  что сделать: '
    "${russian[@]}" "$kanal" doctor --json > russian.json 2> said || true
    "${english[@]}" "$kanal" doctor --json > english.json 2> /dev/null || true
    cmp russian.json english.json || fail "JSON of the doctor is another one"
    [ -s english.json ] || fail "the doctor wrote nothing"
    printed 'kanal: найден' said
    unset PCSCLITE_CSOCK_NAME
    echo '2026-01-01 00:00:00 [1] error: [activation.needed] the token is not activated' > log
    russian_exits 1 doctor --log log
    printed '^ошибка log.activation: строка 1: токен требует защищённого канала'
}

@test "the guided first start, on 40 columns" {
    open_terminal 40 NO_COLOR=1 LANGUAGE=ru
    type_line kanal
    wait_for_screen 'Вставьте токен'
    insert bt state-bt
    wait_for_screen 'Пароль активации:'
    type_line "$password"
    wait_for_prompt
    sed "s/SERIAL/$serial/" > expected << 'END'
$ kanal
Нет токена в Virtual PCD 00 00, Virtual
PCD 00 01. Вставьте токен.
Найден: Rutoken ECP SERIAL в Virtual
PCD 00 00
Его защищённый канал не активирован для
этого пользователя. Пароль активации
есть у того, кто выдал токен.
Осталось попыток: 5.
Пароль активации:
С этим токеном теперь работает любая
программа этого пользователя.
В сценариях, где отвечать некому:
  kanal pair SERIAL --password-source
file:PATH
Дальше — собственный PIN-код:
  kanal pin change
$
END
    diff -u expected <(screen | sed '/^Ожидание токена/d') || fail "the screen is another one"
    close_terminal
    russian_exits 0 info
    printed '^канал: *активен, modern$'
}

@test "lists and facts are in Russian, and their JSON stays as it is" {
    insert_token
    russian_exits 0 readers
    printed '^краткое имя  *имя  *носитель  *признаки$'
    russian_exits 0 list --pin-source file:pin
    printed '^ключ  *id  *вид  *состояние$'
    printed '^key  *01  *ГОСТ Р 34.10-2012, 256 бит  *нет сертификата$'
    russian_exits 0 info
    printed '^PIN-код:  *осталось попыток: 10 из 10, от 6 до 249 байт'
    printed "^серийный номер: *$serial\$"
    # Values are aligned, above the findings.
    [ "$(LC_ALL=C.UTF-8 /usr/bin/python3 -c 'import re
for line in open("output").read().split("\n\n")[0].splitlines(): print(len(re.match(r"[^:]*: *", line)[0]))' | sort -u | wc -l)" = 1 ] || fail "not aligned: $(cat output)"
    for command in readers info "list --pin-source file:pin" "pin local" "licence" "cert show"; do
        "${english[@]}" "$kanal" $command --json > english.json
        "${russian[@]}" "$kanal" $command --json > russian.json
        cmp english.json russian.json || fail "JSON is another one: $command"
    done
}

@test "refusals of a token are in Russian" {
    insert_token
    russian_exits 4 list --pin-source file:wrong-pin
    printed '^kanal: PIN-код неверен; осталось попыток: 9$'
    russian_exits 2 key delete key --pin-source file:pin
    printed 'Чтобы сделать это, укажите --yes'
    russian_exits 1 key delete other --yes --pin-source file:pin
    printed '^kanal: на токене нет ключа с именем other: есть key (01)$'
}

@test "pinentry asks in the language of who runs the command or the library, whose log stays English" {
    insert_token
    expect 4 "$kanal" list --pin-source file:wrong-pin
    cp "$root/Tests/Programs/authenticator.sh" authenticator-record
    configure "authenticator = pinentry:$work/authenticator-record"
    asked ru 'PIN-код токена' "$kanal" list --pin-source authenticator
    printed '^SETDESC Токен: .*%0AСчитыватель: Virtual PCD.*%0AПрограмма: kanal (процесс [0-9]*)%0AДля чего: вход на токен%0AОсталось попыток: 9' commands
    printed '^SETPROMPT PIN-код:$' commands
    printed '^SETERROR PIN-код неверен\.$' commands
    asked en 'The PIN of a token' "$kanal" list --pin-source authenticator
    sed -i "s/D 1234\\\\n/D $pin\\\\n/" authenticator-record
    # The library, in another program's process, which has set no locale. Its log is for programs.
    KANAL_LOG=$work/log.ru asked ru 'PIN-код токена' ./ask "$serial"
    printed 'Программа: ask ' commands
    printed 'asked the user for The PIN of a token' log.ru
    ! grep -P '\p{Cyrillic}' log.ru || fail "Russian in the log"
    asked en 'The PIN of a token' ./ask "$serial"
}
