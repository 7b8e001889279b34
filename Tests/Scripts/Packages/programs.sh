#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Programs that use keys of a token, in a Debian of roots.sh that has Kanal's packages: a line for each, which says
# "passed", or "not there" with the reason.
#
#   programs.sh ABSENT
#
# ABSENT is a file with the packages that this Debian lacks, one on each line, and why. A program of another package that
# is missing has failed.
set -euo pipefail
cd "$(dirname "$0")/../../.."
absent=$(realpath "$1")
export KANAL_INSTALLED=yes
. Tests/Scripts/common.sh
. Tests/Scripts/Packages/provider.sh

failures=0
# row FUNCTION PACKAGES TITLE: carries out a function, in a directory and a process of its own. It prints what there is
# to say of the programs. The packages are those without which it is not there.
row() {
    local status=0 package reason line
    for package in $2; do
        reason=$(sed -n "s/^$package //p" "$absent")
        if [ -n "$reason" ]; then
            printf '%-9s  %s: %s\n' "not there" "$3" "$reason"
            return
        fi
    done
    rm -rf "${work:?}/$1"
    mkdir "$work/$1"
    set +e
    (
        set -e
        others=()
        trap 'for process in "${others[@]}"; do stop "$process"; done' EXIT
        cd "$work/$1"
        for package in $2; do
            [ "$(dpkg-query --show --showformat='${db:Status-Status}' "$package")" = installed ] \
                || fail "the package $package is not installed"
        done
        "$1"
    ) > "$work/$1/log" 2>&1
    status=$?
    set -e
    if [ $status = 0 ]; then
        line=$(sed -n 's/^ok: //p' "$work/$1/log" | paste -sd ' ')
        printf '%-9s  %s: %s\n' passed "$3" "$line"
    else
        failures=$((failures + 1))
        printf '%-9s  %s:\n' FAILED "$3"
        tail -n 25 "$work/$1/log" | sed 's/^/    /'
    fi
}

# What a program asks for at a terminal it shall not find.
alone() { expect 0 setsid --wait "$@" < /dev/null; }
as_user() { PIN=$pin expect 0 "$kanal" "$@" --pin-source env:PIN; }
version() { dpkg-query --show --showformat='${Version}' "$1" | sed 's/^[0-9]*://; s/[-+].*//'; }

# Starts a server: the file for what it prints, command.
start() {
    setsid "${@:2}" > "$1" 2>&1 < /dev/null &
    others+=($!)
}

# Whether a TLS server at a port proves to have the key of a certificate: port, file of the certificate, the server's log.
greets() {
    wait_until sh -c "openssl s_client -connect 127.0.0.1:$1 < /dev/null" || fail "no server: $(tail -n 20 "$3")"
    expect 0 openssl s_client -connect "127.0.0.1:$1" -CAfile "$work/authority.pem" -verify_return_error -brief < /dev/null
    printed 'Verification: OK'
    printed "Peer certificate: CN *= *$2"
}

# Makes an authority of RSA, in software.
authority() {
    expect 0 openssl req -x509 -newkey rsa:2048 -noenc -keyout authority.key -out authority.pem -subj /CN=Authority \
        -days 30 -addext basicConstraints=critical,CA:true
}

# certified LABEL: gives a key of the token a certificate of the authority, as LABEL.pem and on the token.
certified() {
    as_user cert request --key "$1" --subject "CN=$1" --output "$1.csr"
    expect 0 openssl req -in "$1.csr" -verify -noout
    expect 0 openssl x509 -req -CA authority.pem -CAkey authority.key -CAcreateserial -days 30 -in "$1.csr" -out "$1.pem"
    expect 0 openssl x509 -in "$1.pem" -pubkey -noout
    mv output "$1.pub"
    as_user cert import "$1.pem"
}

# ---- Kanal's own ----

demonstration() {
    expect 0 "$root/Tests/Scripts/demo.sh" --installed
    passed "$(tail -n 1 output | sed 's/\.$//')"
}

programs_in_c() {
    (cd "$root" && Packaging/debian/tests/development) || fail "Packaging/debian/tests/development"
    local programs
    for program in layout constants; do
        expect 0 cc -I/usr/include/kanal $(pkg-config --cflags kanal-pkcs11) "$root/Tests/Programs/Module/$program.c" \
            -o $program
    done
    passed "they compile with p11-kit $(version libp11-kit-dev), and run"
}

doctor() {
    local status=0
    timeout 60 "$kanal" doctor --json > output 2>&1 || status=$?
    [ $status -le 1 ] || fail "exit status $status: $(cat output)"
    ! grep -e '"pcscd\.' -e '"library\.' -e '"p11kit\.' output || fail "it finds fault with what is well"
    local found wanted=
    found=$(sed 's/"check"/\n&/g' output | sed -n 's/^"check" *: *"\(openssl\.[a-z]*\)".*/\1/p' | sort -u)
    if grep -q '^kanal-openssl-engine ' "$absent"; then
        wanted=openssl.engines
    elif grep -q '^libengine-gost-openssl ' "$absent"; then
        wanted=openssl.gost
    fi
    [ -z "$wanted" ] || grep -qx "$wanted" <<< "$found" || fail "it does not say $wanted: $(cat output)"
    passed "it finds no fault with the packages; of OpenSSL it says: $(xargs <<< "${found:-nothing}")"
}

# What the command signs, OpenSSL verifies, but for GOST signatures without gost-engine.
command_signs() {
    local name
    cp "$work/message" .
    for name in rsa ec; do
        as_user sign --key $name message
        expect 0 openssl dgst -sha256 -verify "$work/$name.pub" -signature message.sig message
        as_user sign --cms --key $name message
        expect 0 openssl cms -verify -inform der -in message.p7m -CAfile "$work/authority.pem" -purpose any -binary -out opened
        cmp message opened
        rm message.sig message.p7m
    done
    as_user sign --key gost message
    expect 0 "$kanal" verify --public-key "$work/gost.pub" message
    passed "it signs with RSA, P-256 and GOST, by OpenSSL $(version openssl)"
}

# ---- OpenSSL's engine ----

engine_works() {
    export OPENSSL_CONF=/usr/share/doc/kanal/kanal-openssl.cnf
    expect 0 openssl engine -t kanal
    printed '\[ available \]'
}

# engine_key LABEL HASH: a request, a certificate and a signature by a key of the token.
engine_key() {
    local key=(-engine kanal -keyform engine)
    local uri="pkcs11:object=$1;type=private?pin-value=$pin"
    expect 0 openssl req -new "-$2" "${key[@]}" -key "$uri" -subj /CN=Kanal -out request.pem
    expect 0 openssl req -x509 "-$2" "${key[@]}" -key "$uri" -subj /CN=Kanal -days 30 -out certificate.pem
    expect 0 openssl dgst "-$2" "${key[@]}" -sign "$uri" -out signature "$work/message"
    expect 0 openssl cms -sign -nodetach "${key[@]}" -inkey "$uri" -signer certificate.pem -in "$work/message" -binary \
        -outform der -out signed
    export OPENSSL_CONF=$work/openssl.cnf
    expect 0 openssl req -in request.pem -verify -noout
    expect 0 openssl dgst "-$2" -verify "$work/$1.pub" -signature signature "$work/message"
    expect 0 openssl cms -verify -inform der -in signed -CAfile certificate.pem -purpose any -binary -out opened
    cmp "$work/message" opened
    export OPENSSL_CONF=/usr/share/doc/kanal/kanal-openssl.cnf
}

engine_rsa() {
    engine_works
    engine_key rsa sha256
    engine_key ec sha256
    passed "both sign requests, certificates, files and messages"
}

engine_gost() {
    engine_works
    engine_key gost md_gost12_256
    passed "gost-engine $(version libengine-gost-openssl): the key signs requests, certificates, files and messages"
}

# ---- OpenSSL's provider kanal ----

# own_key LABEL DIGEST: what the package's settings make of a key. What is verified is so by the provider, too.
own_key() {
    local uri="pkcs11:object=$1;type=private?pin-value=$pin"
    expect 0 openssl req -new -key "$uri" -subj /CN=Kanal -out request.pem
    expect 0 openssl req -in request.pem -verify -noout
    expect 0 openssl req -x509 -key "$uri" -subj /CN=Kanal -days 30 -out certificate.pem
    expect 0 openssl dgst "-$2" -sign "$uri" -out signature "$work/message"
    expect 0 openssl dgst "-$2" -verify "$work/$1.pub" -signature signature "$work/message"
    expect 0 openssl pkey -in "$uri" -out "$1.key"
    expect 0 openssl dgst "-$2" -sign "$1.key" -passin pass:$pin -out signature "$work/message"
    # OpenSSL 3.0 signs messages by GOST keys of engines alone.
    [ "$1" != gost ] || ! openssl version | grep -q 'OpenSSL 3\.0' || return 0
    expect 0 openssl cms -sign -nodetach -inkey "$uri" -signer certificate.pem -in "$work/message" -binary -outform der -out signed
    expect 0 openssl cms -verify -inform der -in signed -CAfile certificate.pem -purpose any -binary -out opened
    cmp "$work/message" opened
}

provider_kanal() {
    export OPENSSL_CONF=/usr/share/doc/kanal/kanal-provider.cnf
    unset OPENSSL_MODULES
    own_key gost md_gost12_256
    own_key rsa sha256
    own_key ec sha256
    passed "GOST, RSA and P-256 sign requests, certificates, files and messages, by URIs and files that hold them"
}

# ---- PKCS #11 by other libraries ----

opensc() {
    expect 0 pkcs11-tool --module libkanal-pkcs11.so --slot "$slot" --login --pin $pin --sign -m SHA256-RSA-PKCS --id 01 \
        -i "$work/message" -o signature
    expect 0 openssl dgst -sha256 -verify "$work/rsa.pub" -signature signature "$work/message"
    passed "$(version opensc): pkcs11-tool signs with RSA"
}

p11_kit() {
    expect 0 p11-kit list-modules
    printed '^kanal: \|^module: kanal'
    printed "serial-number: $serial"
    passed "$(version p11-kit): it shows the library and its token"
}

gnutls() {
    export GNUTLS_PIN=$pin
    expect 0 p11tool --list-token-urls
    local url
    url=$(grep "serial=$serial" output)
    expect 0 p11tool --login --list-all "$url"
    printed 'Type: Private key (RSA-2048)'
    printed 'Type: X.509 Certificate (RSA-2048)'
    local key="$url;id=%01;type=private"
    alone p11tool --login --test-sign "$key"
    printed 'Verifying against public key in the token... ok'
    echo 'cn = "Kanal"' > template
    alone certtool --generate-request --load-privkey "$key" --template template --outfile request.pem
    expect 0 openssl req -in request.pem -verify -noout
    start server.log gnutls-serv --port 35971 --x509keyfile "$key" --x509certfile "$url;id=%01;type=cert" --http
    greets 35971 rsa server.log
    passed "$(version gnutls-bin): it finds the module by p11-kit, signs, makes a request and serves TLS with RSA"
}

nss() {
    local label=$token_name
    mkdir nss
    echo $pin > pin
    expect 0 certutil -N -d sql:nss --empty-password
    alone modutil -dbdir sql:nss -add kanal -libfile "$module" -force
    # It ends with an error because there is no token in the second reader.
    modutil -dbdir sql:nss -list kanal > output 2>&1 || true
    printed "Token Name: $label"
    expect 0 certutil -L -d sql:nss -h "$label" -f pin
    printed "$label:rsa .*u,u,u"
    expect 0 certutil -K -d sql:nss -h "$label" -f pin
    printed 'rsa *01 '
    expect 0 certutil -R -d sql:nss -h "$label" -f pin -k 01 -s CN=Kanal -a -o request.pem
    expect 0 openssl req -in request.pem -verify -noout
    expect 0 certutil -A -d sql:nss -n authority -t CT,C,C -i "$work/authority.pem"
    expect 0 cmsutil -S -d sql:nss -f pin -N "$label:rsa" -i "$work/message" -o signed -G
    expect 0 openssl cms -verify -inform der -in signed -CAfile "$work/authority.pem" -purpose any -binary -out opened
    cmp "$work/message" opened
    passed "$(version libnss3-tools): modutil, certutil and cmsutil list, make a request and sign with RSA"
}

# ---- OpenSSH, git, PAM ----

ssh_keys() {
    work=$PWD start_agent
    expect 0 ssh-add -l
    expect 0 ssh-keygen -Y sign -f key.pub -n file "$work/message"
    echo "user $(cat key.pub)" > allowed
    ssh-keygen -Y verify -f allowed -I user -n file -s "$work/message.sig" < "$work/message" > output \
        || fail "ssh: $(cat output)"
    passed "$(version openssh-client): ssh-keygen shows the keys, and ssh-agent signs"
}

git_commits() {
    work=$PWD start_agent
    expect 0 git init -q tree
    cd tree
    git config user.name Kanal
    git config user.email user@kanal.invalid
    git config gpg.format ssh
    git config user.signingkey "$(realpath ../key.pub)"
    git config gpg.ssh.allowedSignersFile "$(realpath ..)/allowed"
    echo "user@kanal.invalid $(cat ../key.pub)" > ../allowed
    expect 0 git commit -q -S --allow-empty -m signed
    expect 0 git verify-commit -v HEAD
    printed 'Good "git" signature for user@kanal.invalid'
    passed "$(version git): a commit is signed by the agent of OpenSSH"
}

pam() {
    local hidden=
    # libp11 of Debian 12 stops at a GOST key, and pam_p11 then looks for ever.
    if dpkg --compare-versions "$(version libpam-p11)" lt 0.6; then
        printf '[program pamtester]\nhide_gost_keys = on\n' >> /etc/kanal/kanal.conf
        hidden=", with GOST keys hidden"
    fi
    useradd --create-home kanal-user
    install -d -o kanal-user -m 700 /home/kanal-user/.eid
    install -o kanal-user -m 600 "$work/rsa.pem" /home/kanal-user/.eid/authorized_certificates
    echo "auth required pam_p11.so $module" > /etc/pam.d/kanal-test
    echo $pin | expect 0 timeout 60 pamtester kanal-test kanal-user authenticate
    printed 'successfully authenticated'
    echo 87654321 | expect 1 timeout 60 pamtester kanal-test kanal-user authenticate
    as_user list
    userdel --remove kanal-user
    passed "$(version libpam-p11): it lets in by the PIN, and not by a wrong one$hidden"
}

printf 'Debian %s, OpenSSL %s, pcscd %s\n' "$(. /etc/os-release; echo "${VERSION_CODENAME:-sid}")" "$(version openssl)" \
    "$(version pcscd)"
row demonstration "" "demonstration"
row programs_in_c "" "programs in C"
prepare
# Without gost-engine the file that names it is none that OpenSSL can read.
openssl dgst -md_gost12_256 /dev/null > /dev/null 2>&1 || printf '[req]\ndistinguished_name = name\n[name]\n' > openssl.cnf
echo "What is signed" > message
start_pcscd
attach usb usb
token_name=Programs
as_user label $token_name
for key in rsa:rsa2048 ec:p256 gost:gost256; do
    as_user key generate --label "${key%:*}" --kind "${key#*:}"
done
authority
certified rsa
certified ec
as_user key export --output gost.pub gost
row command_signs "" "kanal"
row doctor "" "kanal doctor"
row engine_rsa "kanal-openssl-engine" "engine kanal with RSA and P-256"
row engine_gost "kanal-openssl-engine libengine-gost-openssl" "engine kanal with GOST"
row provider_kanal "kanal-openssl-provider" "provider kanal"
row p11_kit "p11-kit" "p11-kit"
row opensc "opensc" "OpenSC"
row gnutls "gnutls-bin" "GnuTLS"
row nss "libnss3-tools" "NSS"
row ssh_keys "openssh-client" "OpenSSH"
row git_commits "openssh-client git" "git"
row pam "libpam-p11 pamtester" "pam_p11"
provider_rows
[ $failures = 0 ] || { echo "$failures have failed"; exit 1; }
