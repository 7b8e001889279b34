#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# docs/ru/Journey.md is what the command prints in Russian today, from a new token to a signed and verified file, and through
# a locked PIN and an expired certificate. Dates, serial numbers and identifiers differ from run to run. With
# KANAL_JOURNEY=accept the page is written again.
# bats file_tags=command
load ../common

setup_file() {
    prepare
    start_pcscd
    insert usb usb
    make_authority
}

heading() { printf '## %s\n\n' "$1" >> "$transcript"; }
text() { printf '%s\n\n' "$1" >> "$transcript"; }
# shows STATUS COMMAND…: the command as it is typed, and its output.
shows() {
    local wanted=$1 status=0
    shift
    {
        echo '```console'
        # Quoted where the shell wants it, and readable.
        echo "$ $(printf '%s\n' "$@" | sed "s/.* .*/'&'/" | paste -sd ' ')"
        timeout 60 "$@" 2>&1 || status=$?
        echo '```'
        echo
    } >> "$transcript"
    [ "$status" = "$wanted" ] || fail "exit status $status instead of $wanted from: $*"$'\n'"$(tail -n 15 "$transcript")"
}
# Without what differs from run to run. Dates of today and in a year are fixed, in their width.
settled() {
    sed -E "s/$serial/0e81a027/g; s/T[0-9]{2}:[0-9]{2}:[0-9]{2}Z/T12:00:00Z/g
        s/$(date -u +%F)/2026-11-28/g; s/$(date -u -d '+365 days' +%F)/2027-11-28/g
        s/[0-9]{5} байт/85849 байт/; s/\b[0-9a-f]{16,}\b/…/g" | sed '$d'
}

# An authority, with gost-engine.
make_authority() {
    mkdir -p authority/new
    touch authority/index
    echo 'unique_subject = no' > authority/index.attr
    # Beside the engine of the scripts' settings.
    cat openssl.cnf - > authority.cnf << 'END'
[ca]
default_ca = here
[here]
dir = authority
database = $dir/index
new_certs_dir = $dir/new
rand_serial = yes
certificate = root.pem
private_key = root.key
default_md = md_gost12_256
policy = any
unique_subject = no
copy_extensions = copy
x509_extensions = leaf
[any]
commonName = supplied
[leaf]
basicConstraints = CA:FALSE
keyUsage = critical,digitalSignature
[authority]
basicConstraints = critical,CA:TRUE
keyUsage = critical,keyCertSign,cRLSign
END
    openssl_ genpkey -algorithm gost2012_256 -pkeyopt paramset:A -out root.key
    openssl_ req -new -x509 -extensions authority -key root.key -subj '/CN=Удостоверяющий центр' -utf8 -days 3650 -out root.pem
}
openssl_() { LANGUAGE=en OPENSSL_CONF=authority.cnf openssl "$@" >> authority.log 2>&1 || fail "$(cat authority.log)"; }
# issues REQUEST CERTIFICATE [OPTION…]
issues() { openssl_ ca -batch -notext -utf8 -in "$1" -out "$2" "${@:3}"; }

@test "docs/ru/Journey.md shows what the command prints from a new token to a verified file, and on two bad days" {
    local page=$root/docs/ru/Journey.md transcript=$work/transcript
    unset NO_COLOR
    export LC_ALL=C.UTF-8 LANGUAGE=ru COLUMNS=100
    PATH=${kanal%/*}:$PATH
    cat > "$transcript" << 'END'
# Путь владельца

[In English](../Start/Owner.md)

Что печатает `kanal` на пути от нового токена до подписанного и проверенного файла, а потом — в два плохих дня: PIN-код
заблокирован, сертификат истёк. Эту страницу пишет тест (`journey.bats`) с эмулируемым токеном; PIN-коды он передаёт переменными
окружения, а вас `kanal` спросит в терминале. Даты, номера и идентификаторы будут другими.
END
    export PIN=12345678 NEW=24681357 OFFICER=87654321 WRONG=00000000

    heading "Новый токен"
    shows 0 kanal readers
    text "PIN-код от изготовителя знают все, поэтому сначала — собственный:"
    shows 0 kanal pin change --pin-source env:PIN --new-pin-source env:NEW

    heading "Ключ и сертификат"
    shows 0 kanal key generate --label mine --pin-source env:NEW
    shows 0 kanal cert request --subject 'CN=Анна Иванова' --output request.pem --pin-source env:NEW
    issues request.pem certificate.pem -days 365
    text "Удостоверяющий центр выпустил по этому запросу \`certificate.pem\`:"
    shows 0 kanal cert import certificate.pem --pin-source env:NEW
    shows 0 kanal list --pin-source env:NEW

    heading "Подписанный файл"
    printf 'Договор\n' > contract.txt
    shows 0 kanal sign --cms --detached contract.txt --pin-source env:NEW
    shows 0 kanal verify contract.txt --ca root.pem

    heading "PIN-код заблокирован"
    text "Кто-то десять раз ввёл неверный PIN-код. Первая ошибка:"
    shows 4 kanal sign --cms --detached --overwrite contract.txt --pin-source env:WRONG
    for _ in {2..9}; do expect 4 kanal list --pin-source env:WRONG; done
    text "Десятая:"
    shows 5 kanal list --pin-source env:WRONG
    shows 0 kanal info
    text "Администратор токена знает свой PIN-код и возвращает попытки:"
    shows 0 kanal pin unblock --pin-source env:OFFICER
    shows 0 kanal list --pin-source env:NEW

    heading "Сертификат истёк"
    expect 0 kanal key generate --label old --pin-source env:NEW
    expect 0 kanal cert request --key old --subject 'CN=Анна Иванова' --output old-request.pem --pin-source env:NEW
    issues old-request.pem old.pem -startdate 200101000000Z -enddate 210101000000Z
    expect 0 kanal cert import old.pem --pin-source env:NEW
    shows 0 kanal list --pin-source env:NEW
    printf 'Акт\n' > act.txt
    shows 1 kanal sign --cms --detached --key old act.txt --pin-source env:NEW
    text "Если подпись всё-таки нужна, например для проверки:"
    shows 0 kanal sign --cms --detached --expired --key old act.txt --pin-source env:NEW
    shows 12 kanal verify act.txt --ca root.pem

    settled < "$transcript" > "$work/settled"
    if [ "${KANAL_JOURNEY:-}" = accept ]; then
        cat "$work/settled" > "$page"
    elif ! diff -u "$page" "$work/settled"; then
        fail "the command prints something else than docs/ru/Journey.md shows: KANAL_JOURNEY=accept writes it"
    fi
}
