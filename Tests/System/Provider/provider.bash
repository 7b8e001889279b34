# SPDX-License-Identifier: Apache-2.0
# OpenSSL's provider "kanal" as it is installed. With ROOT=DIRECTORY the commands of OpenSSL run in that system, which has
# another version of it, with this machine's pcscd and tokens; PROVIDER=FILE is the provider that is tried. Files load it
# behind common.

export ROOT=${ROOT:-} work
# For what is computed without the provider: the engine gost, where it is.
gost=$work/openssl.cnf
# Behind a URI.
ask="?pin-value=$pin"

teardown_file() {
    clean_up
    take_back
}

# there [NAME=VALUE…] COMMAND…: runs a command of this machine, or of the other system without this one's environment. With
# $become set to "exec" it replaces the shell.
become=
there() {
    if [ -z "$ROOT" ]; then
        $become env "$@"
    else
        $become chroot "$ROOT" env -i PATH=/usr/bin:/bin HOME="$HOME" XDG_CONFIG_HOME="$XDG_CONFIG_HOME" \
            XDG_DATA_HOME="$XDG_DATA_HOME" XDG_STATE_HOME="$XDG_STATE_HOME" LC_ALL=C.UTF-8 LD_LIBRARY_PATH="$work/lib" \
            sh -c 'cd "$0" && exec env "$@"' "$PWD" "$@"
    fi
}
# OpenSSL's command with the settings of a file.
openssl_with() { there OPENSSL_CONF="$1" OPENSSL_MODULES="$work/lib/ossl-modules" openssl "${@:2}"; }
export -f there openssl_with
# The provider as it is installed: the library beside its directory. The configuration names neither library nor PIN. Keeps
# $version, of OpenSSL.
provider_settings() {
    mkdir -p lib/ossl-modules
    cp "${PROVIDER:-$products/ossl-modules/kanal.so}" lib/ossl-modules
    cp "$module" lib
    printf '%s\n' 'openssl_conf = main' '[main]' 'providers = providers' '[providers]' 'default = default_provider' \
        'kanal = kanal' '[default_provider]' 'activate = 1' '[kanal]' 'activate = 1' '[req]' 'distinguished_name = name' \
        'x509_extensions = authority' '[name]' '[authority]' 'basicConstraints = critical,CA:TRUE' > provider.cnf
    [ -z "$ROOT" ] || lend
    version=$(openssl_with /dev/null version | cut -d ' ' -f 2)
    keep version
}
# Whether this version of OpenSSL is at least the argument.
is_since() { printf '%s\n' "$1" "$version" | sort --version-sort --check=quiet; }

# Lends the other system the directory of the checks, processes, and the socket of pcscd, if it runs, with the library that
# speaks its language.
lend() {
    cp "$(ldconfig -p | sed -n 's/.*x86-64.* => \(.*libpcsclite\.so\.1\)$/\1/p' | head -n 1)" lib
    lent=("$ROOT$work" "$ROOT/proc")
    mkdir -p "$ROOT$work" "$ROOT/run/pcscd"
    mount --bind "$work" "$ROOT$work"
    mount -t proc proc "$ROOT/proc"
    if [ -d /run/pcscd ]; then
        mount --bind /run/pcscd "$ROOT/run/pcscd"
        lent+=("$ROOT/run/pcscd")
    fi
    keep lent
}
lent=()
take_back() {
    if [ ${#lent[@]} != 0 ]; then
        umount "${lent[@]}"
        rmdir "$ROOT$work"
    fi
}

# by STATUS COMMAND…: what OpenSSL does by the provider; and with the settings of another file.
by() { by_settings provider.cnf "$@"; }
by_settings() { expect "$2" bash -c 'openssl_with "$@"' sh "$work/$1" "${@:3}"; }
# unopened KEY CERTIFICATE TEXT: a message is not opened by this key, with a certificate or without one, and the text is the
# reason.
unopened() {
    local recipient
    for recipient in "-recip $2" ""; do
        by 4 cms -decrypt -inkey "$1" $recipient -inform der -in enveloped -out noise
        printed "the key of the message was not opened: .*$3"
        [ ! -s noise ] || fail "noise was written in place of the message"
    done
}
# Whether the engine gost of this machine agrees with what the provider has made.
agrees() { expect 0 env OPENSSL_CONF="$gost" openssl "$@"; }

# uri_file URI FILE: a file that holds a URI, of another program.
uri_file() {
    printf '%s\n' 'asn1 = SEQUENCE:file' '[file]' 'version = VISIBLE:PKCS\#11 Provider URI v1.0' \
        "uri = FORMAT:UTF8,UTF8:$1" > file.cnf
    openssl asn1parse -genconf file.cnf -noout -out file.der
    {
        echo '-----BEGIN PKCS#11 PROVIDER URI-----'
        base64 -w 64 file.der
        echo '-----END PKCS#11 PROVIDER URI-----'
    } > "$2"
}

# generate ID LABEL TYPE OPTION…: a key pair of the token that signs.
generate() {
    expect 0 pkcs11-tool --module "$module" --slot "$slot" --login --pin $pin --keypairgen --id "$1" --label "$2" \
        --key-type "$3" --usage-sign "${@:4}"
}
