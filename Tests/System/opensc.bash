# SPDX-License-Identifier: Apache-2.0
# OpenSC's programs with the token in the reader.

so_pin=87654321

init() { expect 0 pkcs15-init --auth-id 02 --pin $pin "$@"; }

# Formats the token the way OpenSC does, with this label.
format() {
    expect 0 pkcs15-init --erase-card
    expect 0 pkcs15-init --create-pkcs15 --so-pin $so_pin --so-puk "" --label "$1"
    expect 0 pkcs15-init --store-pin --label User --auth-id 02 --pin $pin --puk "" --so-pin $so_pin --finalize
}

# The bytes of hexadecimal digits.
# shellcheck disable=SC2059
bytes() { printf "$(sed 's/../\\x&/g' <<< "$1")"; }

# Writes OpenSSL's form of the public GOST key with this identifier and parameter set, of the file "output" in which
# pkcs11-tool lists public keys, into public.der.
gost_public_key() {
    local value
    value=$(awk -v id="$1" '/VALUE:/ { value = ""; isValue = 1 } /label:/ { isValue = 0 }
        isValue { sub(/.*VALUE:/, ""); gsub(/ /, ""); value = value $0 }
        $1 == "ID:" && $2 == id { print value }' output)
    bytes "3063301c06062a8503020213301206072a85030202230${2}06072a850302021e010343000440${value#0440}" > public.der
}
