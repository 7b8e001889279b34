# SPDX-License-Identifier: Apache-2.0
# OpenSSL's engine "kanal" as it is installed: the library beside its directory. Files load it behind common.

export OPENSSL_ENGINES=$work/lib/engines-3

# Lays it there, with the program that uses it, and writes kanal.cnf: more lines of the engine's section.
install_engine() {
    mkdir -p "$OPENSSL_ENGINES"
    ln -s "$(pkg-config libcrypto --variable=enginesdir)/gost.so" "$products/engines-3/kanal.so" "$OPENSSL_ENGINES"
    ln -s "$module" lib
    engine_settings "$@"
    cc -O2 -Wall -Wextra -Werror "$root/Tests/Programs/Engine/engine.c" -o engine -pthread -lcrypto
}

engine_settings() {
    printf '%s\n' 'openssl_conf = main' '[main]' 'engines = engines' '[engines]' 'kanal = kanal' '[kanal]' \
        'engine_id = kanal' "$@" '[req]' 'distinguished_name = name' '[name]' > kanal.cnf
}

# A command with the engine's settings, and its exit status; and one of OpenSSL with a key of the engine.
with() { OPENSSL_CONF=$work/kanal.cnf expect "$@"; }
key() { with 0 openssl "$1" -engine kanal -keyform engine "${@:2}"; }
