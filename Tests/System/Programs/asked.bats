#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Programs ask of the library what the table of docs/Rules.md has, and get it. Tests/Programs/Module/spy.c is between them, and
# notes it. The table has Debian 12, and 13 and the next one, where Tests/System/Packages/roots.sh runs this file.
# bats file_tags=pcscd
load ../common

setup_file() {
    local key including
    prepare
    debian=$(. /etc/os-release; echo "${VERSION_ID:-next}")
    if ! grep -q "^| $debian | OpenSC |" "$root/docs/Rules.md"; then
        skip_all "docs/Rules.md has no table of this system"
        return
    fi
    keep debian
    read -ra including <<< "-I$root/Include/CCryptoki $(pkg-config --cflags p11-kit-1 | sed 's/-I/-isystem /g')"
    cc "${including[@]}" -include pkcs11v3.h -include p11-kit/pkcs11x.h -dM -E -x c /dev/null | grep -v GAMM \
        | sed -n 's/^#define \(CK[AMO]_[A-Z0-9_]*\) .*/NAMED(\1)/p' | sort > names
    expect 0 cc -Wall -Wextra -Werror -shared -fPIC -I. "${including[@]}" "$root/Tests/Programs/Module/spy.c" -o spy.so -ldl
    export SPY_MODULE=$module SPY_LOG=$work/asked GNUTLS_PIN=$pin
    echo "What is signed" > message
    printf %s $pin > pin
    printf '[req]\ndistinguished_name = name\n[name]\n' > openssl.cnf
    start_pcscd
    attach usb usb
    by_kanal label Asked
    for key in rsa:rsa2048 ec:p256 gost:gost256; do by_kanal key generate --label "${key%:*}" --kind "${key#*:}"; done
    expect 0 openssl req -x509 -newkey rsa:2048 -noenc -keyout authority.key -out authority.pem -subj /CN=Authority -days 30
    for key in rsa ec; do
        by_kanal cert request --key $key --subject "CN=$key" --output $key.csr
        expect 0 openssl x509 -req -CA authority.pem -CAkey authority.key -CAcreateserial -days 30 -in $key.csr -out $key.pem
        by_kanal cert import $key.pem
    done
}

# Runs a program without a terminal to ask at.
alone() { expect 0 setsid --wait "$@" < /dev/null; }

# ---- Programs, which show what is on the token, and sign with its RSA key ----

opensc() {
    alone pkcs11-tool --module ./spy.so --login --pin $pin --list-objects
    alone pkcs11-tool --module ./spy.so --login --pin $pin --sign --mechanism SHA256-RSA-PKCS --id 01 --input-file message \
        --output-file signature
}

gnutls() {
    alone p11tool --provider "$work/spy.so" --login --list-all "pkcs11:serial=$serial"
    alone p11tool --provider "$work/spy.so" --login --test-sign "pkcs11:serial=$serial;object=rsa;type=private"
}

# libp11 finds no key beside a GOST key.
libp11() {
    configure '[program openssl]' 'hide_gost_keys = on'
    sed "s|/usr/local/lib/libkanal-pkcs11.so|$work/spy.so|" "$root/Examples/openssl-pkcs11.cnf" > engine.cnf
    OPENSSL_CONF=engine.cnf alone openssl dgst -sha256 -engine pkcs11 -keyform engine \
        -sign "pkcs11:serial=$serial;object=rsa;type=private" -out signature message
    unconfigure
}

pkcs11_provider() {
    sed "s|/usr/local/lib/libkanal-pkcs11.so|$work/spy.so|; s|/etc/kanal/token.pin|$work/pin|" \
        "$root/Examples/openssl-provider.cnf" > provider.cnf
    OPENSSL_CONF=provider.cnf alone openssl pkey -pubin -in "pkcs11:serial=$serial;object=ec;type=public" -out public.pem
    OPENSSL_CONF=provider.cnf alone openssl dgst -sha256 -sign "pkcs11:serial=$serial;object=rsa;type=private" \
        -out signature message
}

openssh() { alone ssh-keygen -D ./spy.so; }

nss() {
    rm -rf nss
    mkdir nss
    expect 0 certutil -N -d sql:nss --empty-password
    alone modutil -dbdir sql:nss -add spy -libfile "$work/spy.so" -force
    alone certutil -L -d sql:nss -h Asked -f pin
    alone certutil -K -d sql:nss -h Asked -f pin
    alone certutil -R -d sql:nss -h Asked -f pin -k 01 -s CN=Kanal -a -o request.pem
}

# keytool_of VERSION
keytool_of() {
    local keytool=(/usr/lib/jvm/java-"$1"-openjdk-*/bin/keytool)
    local store=(-keystore NONE -storetype PKCS11 -providerClass sun.security.pkcs11.SunPKCS11 -providerArg java.cfg
        -storepass "$pin")
    printf '%s\n' 'name = Kanal' "library = $work/spy.so" "slot = $slot" > java.cfg
    alone "${keytool[0]}" -list "${store[@]}"
    alone "${keytool[0]}" -certreq "${store[@]}" -alias rsa -file request.pem
}

p11_kit() {
    local modules
    modules=$(pkg-config p11-kit-1 --variable=p11_module_configs)
    hide_p11_kit_modules
    echo "module: $work/spy.so" > "$modules/spy.module"
    alone p11-kit list-modules
    umount "$modules"
}

openvpn_ids() { alone openvpn --show-pkcs11-ids ./spy.so; }

# ---- The table ----

# by NAME PACKAGE FUNCTION…: runs a program, and adds its row, unless this Debian lacks the package.
by() {
    [ -z "$(absence "$2")" ] || return 0
    # On a busy machine pcscd 2.5.3 has seen no card for a moment.
    find_slot "$serial"
    : > asked
    "${@:3}"
    cut -f 1 asked >> "called-$SPY_OFFERS"
    awk -F '\t' -v begins="$debian | $1 | $(version "$1" "$2")" '
        function add(list, item, between) { return list (list == "" || item == "" ? "" : between) item }
        function once(list, item) { return index("; " list ";", "; " item ";") ? list : add(list, item, "; ") }
        # The members of a set in the order of their names.
        function sorted(set,    i, n, all, item, list) {
            for (item in set) {
                for (i = ++n; i > 1 && all[i - 1] > item; i--) all[i] = all[i - 1]
                all[i] = item
            }
            for (i = 1; i <= n; i++) list = add(list, all[i], ", ")
            return list
        }
        function cell(text) { return text == "" ? "–" : text }
        $1 == "C_GetFunctionList" { asks = once(asks, "`" $1 "`: 2.40") }
        $1 == "C_GetInterfaceList" { asks = once(asks, "`" $1 "`") }
        $1 == "C_GetInterface" {
            name = $2 == "any" ? $2 : "`" $2 "`"
            asks = once(asks, add(name, $3, " ") ($4 == 1 ? ", fork-safe" : $4 ? ", " $4 : "") ": " $5)
        }
        $1 == "C_SignInit" { mechanisms[substr($2, 5)] }
        $1 == "C_FindObjectsInit" {
            if ($2 !~ /CKO_/) classes["any"]
            n = split($2, template, " ")
            for (i = 1; i <= n; i++)
                if (template[i] ~ /^CKO_/) classes[substr(template[i], 5)]
                else attributes[substr(template[i], 5)]
        }
        $1 == "C_GetAttributeValue" {
            n = split($3, template, " ")
            for (i = 1; i <= n; i++) {
                name = substr(template[i], 5)
                # "!" is a refusal.
                if (sub(/!$/, "", name)) refused[name, substr($2, 5)]
                if (!(name in asked)) number++
                asked[name]
            }
        }
        END {
            for (pair in refused) {
                split(pair, parts, SUBSEP)
                of[parts[2]]
            }
            kinds = split(sorted(of), kind, ", ")
            for (k = 1; k <= kinds; k++) {
                split("", names)
                for (name in asked) if ((name, kind[k]) in refused) names[name]
                refusals = add(refusals, kind[k] ": " sorted(names), "; ")
            }
            searches = add(sorted(classes), sorted(attributes), " by ")
            printf "| %s | %s | %s | %s | %d | %s |\n", \
                begins, asks, cell(searches), cell(sorted(mechanisms)), number, cell(refusals)
        }' asked >> "rows-$SPY_OFFERS"
}

# version NAME PACKAGE: as far as the table has it.
version() {
    if [ "$1" = Java ]; then
        cut -d - -f 2 <<< "$2"
    else
        dpkg-query --show --showformat='${Version}' "$2" | sed 's/^[0-9]*://; s/^\([0-9]*\.[0-9]*\).*/\1/'
    fi
}

# Has the programs ask a library whose newest interface is of this version, once: files with the rows, and the called functions.
asked_of() {
    [ ! -e "done-$1" ] || return 0
    rm -f "rows-$1" "called-$1"
    export SPY_OFFERS=$1
    by OpenSC opensc opensc
    by GnuTLS gnutls-bin gnutls
    by OpenSSH openssh-client openssh
    by NSS libnss3-tools nss
    # Only root can change its directory of modules, in mounts that no other process sees.
    if [ "$(id -u)" = 0 ] && [ "${KANAL_APART:-}" = yes ]; then by p11-kit p11-kit p11_kit; fi
    if [ "$debian" = 12 ]; then
        by libp11 libengine-pkcs11-openssl libp11
        by OpenVPN openvpn openvpn_ids
        by Java openjdk-17-jre-headless keytool_of 17
    else
        by pkcs11-provider pkcs11-provider pkcs11_provider
        by Java openjdk-21-jre-headless keytool_of 21
        by Java openjdk-25-jre-headless keytool_of 25
    fi
    touch "done-$1"
}

unversioned() { sed 's/^\(| [^|]* | [^|]* |\)[^|]*|/\1/' | sort -u; }

@test "programs ask what the table says, and get it" {
    local program
    asked_of 3.0
    for program in $(cut -d '|' -f 3 rows-3.0); do
        grep "^| $debian | $program |" "$root/docs/Rules.md" || fail "docs/Rules.md has no row for $program"
    done | sort -u > table
    sort -u rows-3.0 > now
    diff <(unversioned < table) <(unversioned < now) || fail "docs/Rules.md has other rows, which are to be: $(cat now)"
    grep -vxFf table now | sed 's/^| [^|]* | \([^|]*\) | \([^|]*\) .*/# the table has another version than \1 \2/' >&3 || true
}

@test "no program calls a function that 3.0 or 3.2 adds, and each does the same if there is an interface of 3.2" {
    asked_of 3.0
    asked_of 3.2
    grep -q ': 3\.2' rows-3.2 || fail "no program gets the interface of 3.2"
    diff <(cut -d '|' -f 2-4,6- rows-3.0) <(cut -d '|' -f 2-4,6- rows-3.2) || fail "an interface of 3.2 changes what is asked"
    diff <(sort -u called-3.0) <(sort -u called-3.2) || fail "an interface of 3.2 changes what is called"
    not_printed '^C_\(LoginUser\|SessionCancel\|.*Message\)' called-3.2
    not_printed '^C_\(.*capsulateKey\|VerifySignature\|GetSessionV\|Async\|.*Authenticated\)' called-3.2
}
