#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# logins.sh [MILLISECONDS]: the commands to the token that a login costs, and its time with such a delay of each reply: by pam_p11,
# by pam_pkcs11, by p11_child in both calls that SSSD makes of it, and by a signature of OpenSSH's agent. OpenSC and Kanal, each with an emulated token that has an
# RSA key and its certificate, alone and beside two GOST keys. Kanal's token is in a reader, and its own reader on USB. It is run
# by Tests/System/apart.
set -euo pipefail
cd "$(dirname "$0")/.."
. Tests/Scripts/common.sh
. Tests/System/usb-reader.bash
. Tests/System/opensc.bash
. Tests/System/Logins/logins.bash
[ -n "${KANAL_APART:-}" ] || fail "users and services of its own need mounts of their own: Tests/System/apart"

latency=${1:-30}
operations=(pam_p11 pam_pkcs11 'p11_child --pre' 'p11_child --auth' ssh-agent)

# Puts GOST keys, and an RSA key with its certificate, on the token in the reader: library, number of GOST keys.
fill() {
    local tool=(pkcs11-tool --module "$1") number
    for ((number = 1; number <= $2; ++number)); do
        expect 0 "${tool[@]}" --login --pin $pin --keypairgen --key-type GOSTR3410:A --id "1$number" --label "GOST $number"
    done
    expect 0 "${tool[@]}" --login --pin $pin --keypairgen --key-type rsa:2048 --id 02 --label ann
    expect 0 "${tool[@]}" --read-object --type pubkey --id 02 --output-file key.der
    expect 0 openssl pkey -pubin -inform der -in key.der -out ann.key
    issue "$kind.pem" ann.key ann Company
    expect 0 openssl x509 -in "$kind.pem" -outform der -out certificate.der
    expect 0 "${tool[@]}" --login --pin $pin --write-object certificate.der --type cert --id 02 --label ann
}

# Makes a token for each library, with this number of GOST keys.
make_token() {
    kind=opensc-$1
    insert usb "$kind"
    format Token
    fill "$opensc" "$1"
    detach
    kind=kanal-$1
    insert usb "$kind" --label Token
    fill "$module" "$1"
    detach
}

milliseconds() { echo $((${EPOCHREALTIME/./} / 1000)); }

# Counts a login, which prints this text: column, operation, text, file of the PIN, command.
count() {
    local before begin end
    before=$(grep -c '^>' trace || true)
    begin=$(milliseconds)
    timeout 100 "${@:5}" > output 2>&1 < "$4" || fail "$1, $2: $(cat output)"
    end=$(milliseconds)
    printed "$3"
    echo "$(($(grep -c '^>' trace) - before)) $((end - begin))" > "$1.$2"
}

# Counts the second signature of an agent, as for a login by ssh: column, library.
count_agent() {
    local module=$2
    start_agent
    expect 0 ssh-keygen -Y sign -f key.pub -n file < typed
    count "$1" ssh-agent 'BEGIN SSH SIGNATURE' typed ssh-keygen -Y sign -f key.pub -n file
    stop_agent
}

# Measures logins with the token $kind: column, library.
measure() {
    local child=(/usr/libexec/sssd/p11_child --debug-level=0 --debug-fd=2 --chain-id=1 --ca_db="$work/Company.pem")
    rm -rf now trace
    cp -a "$kind" now
    insert usb now --trace "$work/trace" --latency "$latency"
    echo $pin > typed
    printf $pin > piped
    if [ "$1" != opensc-2 ]; then
        write_services pam_p11.so "$2"
        install -D "$kind.pem" "$own/home/ann/.eid/authorized_certificates"
        count "$1" pam_p11 'successfully' typed "$(program_of login)" login ann authenticate
        count_agent "$1" "$2"
    fi
    sed -i "s|module = /.*|module = $2;|" /etc/pam_pkcs11/pam_pkcs11.conf
    write_services pam_pkcs11.so
    count "$1" pam_pkcs11 'successfully' typed "$(program_of login)" login ann authenticate
    echo "module: $2" > "$modules/token.module"
    count "$1" 'p11_child --pre' '^02$' /dev/null "${child[@]}" --pre
    # It prints its status, the names of token and module, the key's identifier, the label and the certificate.
    mapfile -t shown < output
    count "$1" 'p11_child --auth' '^02$' piped "${child[@]}" --auth --pin --token_name="${shown[1]}" \
        --module_name="${shown[2]}" --key_id="${shown[3]}" --label="${shown[4]}"
    detach
}

prepare
own_machine || fail "$no_tests"
trap 'leave_machine; end_script' EXIT
hide_p11_kit_modules
modules=$(pkg-config p11-kit-1 --variable=p11_module_configs)
make_authority Company
write_pam_pkcs11 "$module"
seem_usb
touch controls/virtual
start_pcscd --config "$work/reader.conf"
opensc=$(dpkg-query --listfiles opensc-pkcs11 | grep '/lib/[^/]*/opensc-pkcs11\.so$')
for keys in 0 2; do
    make_token $keys
    kind=opensc-$keys
    measure opensc-$keys "$opensc"
    kind=kanal-$keys
    measure reader-$keys "$module"
    rm controls/virtual
    measure usb-$keys "$module"
    touch controls/virtual
done

# The costs of operations of a column together.
cell() {
    cat "${@/#/$column.}" 2> /dev/null | awk '{ commands += $1; time += $2 } END { if (NR) printf "%d, %d ms", commands, time; else printf "–" }'
}

printf 'Commands and milliseconds of a login by an RSA key, %s ms a reply:\n\n' "$latency"
printf '| login | GOST keys beside | OpenSC %s | Kanal, reader | Kanal, on USB |\n| --- | ---: | ---: | ---: | ---: |\n' \
    "$(dpkg-query --show --showformat='${Version}' opensc-pkcs11)"
for keys in 0 2; do
    for operation in "${operations[@]}" SSSD; do
        names=("$operation")
        [ "$operation" != SSSD ] || names=('p11_child --pre' 'p11_child --auth')
        printf '| %s | %s |' "${operation/SSSD/SSSD, both}" $keys
        for column in {opensc,reader,usb}-$keys; do printf ' %s |' "$(cell "${names[@]}")"; done
        echo
    done
done
