#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# provider-use.sh [checked]: the provider "kanal" under AddressSanitizer: modules that lie about lengths, hostile keys, keys in
# memory, several library contexts, threads, forks, want of memory, a token that leaves; loaded ten thousand times, and beside the
# engine gost. With "checked" under ThreadSanitizer and valgrind.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. Tests/Scripts/common.sh
. Tests/Scripts/Provider/settings.sh

export SOFTHSM2_CONF=$work/softhsm2.conf
soft=$(dpkg-query --listfiles libsofthsm2 | grep -m 1 '/libsofthsm2\.so$')
sanitized=(clang -g -O1 -Wall -Wextra -Werror -fsanitize=address,undefined -fno-sanitize=function,shift-base -fno-sanitize-recover=all)

module_settings() {
    sed "s|^\[kanal\]|&\nMODULE_PATH = $1\nPIN = $pin|" provider.cnf > module.cnf
}
# What Swift's runtime keeps in the library is no leak of the provider, and not seen as kept.
use() {
    OPENSSL_CONF=$work/module.cnf OPENSSL_MODULES=$work/checked LSAN_OPTIONS=suppressions=$work/kept:print_suppressions=0 \
        expect "$@"
}

# compile DIRECTORY COMPILER…: the provider, with this compiler and its options.
compile() {
    mkdir -p "$1/objects"
    # shellcheck disable=SC2016
    find "$root"/Sources/OpenSSL{Provider,Keys} "$root/Sources/GOSTKernels" -name '*.c' -print0 \
        | nice xargs -0 -P 2 -I{} sh -c 'out=$1/objects/$(echo "$0" | tr / _).o; shift; exec "$@" -c "$0" -o "$out"' {} \
            "$1" "${@:2}" -std=gnu11 -fPIC -fvisibility=hidden -DOPENSSL_API_COMPAT=10101 '-DKANAL_VERSION="0"' \
            -I"$root"/Sources/{OpenSSLProvider,OpenSSLProvider/GOST,OpenSSLKeys,GOSTKernels/include} $(pkg-config --cflags p11-kit-1)
    "${@:2}" -fuse-ld=lld -shared "$1"/objects/*.o -Wl,-z,nodelete \
        "-Wl,--version-script=$root/Sources/OpenSSLProvider/exports.map" $(pkg-config --libs p11-kit-1) -o "$1/kanal.so"
}

# SoftHSM2 throws, for which AddressSanitizer wants the library that catches to be there from the start.
builds() {
    local source flags
    mkdir -p checked tokens
    flags=$(pkg-config --cflags p11-kit-1)
    compile checked "${sanitized[@]}"
    "${sanitized[@]}" -fuse-ld=lld -std=gnu11 "$root/Tests/Programs/Provider/use.c" -o use -pthread -lcrypto -Wl,--no-as-needed -lstdc++
    "${sanitized[@]}" -fuse-ld=lld -std=gnu11 "$root/Tests/Programs/Engine/lies.c" $flags -o lies -pthread -lcrypto \
        -Wl,--no-as-needed -lstdc++
    "${sanitized[@]}" -fuse-ld=lld -std=gnu11 "$root/Tests/Programs/Provider/software.c" -o software -pthread -lcrypto
    "${sanitized[@]}" -fuse-ld=lld -std=gnu11 "$root/Tests/Programs/Provider/shortage.c" -o shortage -lcrypto -Wl,--no-as-needed \
        -lstdc++
    cc -O2 -Wall -Wextra -Werror "$root/Tests/Programs/Provider/software.c" -o unchecked -pthread -lcrypto
    for source in soft:$soft kanal:$module; do
        cc -g -O1 -Wall -Wextra -Werror -shared -fPIC "-DLIBRARY=\"${source#*:}\"" "$root/Tests/Programs/Engine/liar.c" \
            $flags -o liar-${source%%:*}.so
    done
    cc -g -O1 -Wall -Wextra -Werror -shared -fPIC "-DLIBRARY=\"$module\"" "$root/Tests/Programs/Provider/slow.c" $flags -o slow.so
    echo "directories.tokendir = $work/tokens" > softhsm2.conf
    echo leak:libkanal-pkcs11.so > kept
}

lies() {
    use 0 ./lies "$@"
    told=$((told + $(tail -n 1 output | cut -d ' ' -f 1)))
}
lengths() {
    local operation uri=pkcs11:token=lies
    expect 0 softhsm2-util --init-token --free --label lies --so-pin 87654321 --pin $pin
    token() { expect 0 pkcs11-tool --module "$soft" --token-label lies --login --pin $pin "$@"; }
    token --keypairgen --id 01 --label rsa --key-type rsa:2048
    token --keypairgen --id 02 --label ec --key-type EC:prime256v1 --usage-derive --usage-sign
    module_settings "$work/liar-soft.so"
    told=0
    for operation in sign pss decrypt oaep; do lies ./liar-soft.so $operation "$uri;object=rsa"; done
    for operation in sign derive; do lies ./liar-soft.so $operation "$uri;object=ec"; done
    module_settings "$work/liar-kanal.so"
    for kind in gost256 gost512; do
        PIN=$pin expect 0 "$kanal" key generate --agree --kind $kind --label $kind --pin-source env:PIN
        lies ./liar-kanal.so sign "pkcs11:object=$kind"
        lies ./liar-kanal.so derive "pkcs11:object=$kind"
        # What the engine gost encrypts for the key.
        OPENSSL_CONF=$work/module.cnf OPENSSL_MODULES=$work/lib/ossl-modules expect 0 openssl pkey -in "pkcs11:object=$kind" \
            -pubout -out $kind.pub
        printf '0123456789abcdef0123456789abcde\0' > secret
        agrees pkeyutl -encrypt -pubin -inkey $kind.pub -in secret -out transported
        TRANSPORTED=$work/transported lies ./liar-kanal.so decrypt "pkcs11:object=$kind"
    done
    lies ./liar-kanal.so sign "pkcs11:object=gost256" hidden
    passed "of $told lies of a module none does harm"
}

programs() {
    local mode
    for mode in contexts twice threads forks alone properties; do use 0 ./use $mode "pkcs11:object=gost256$where" 5; done
    PIN=$pin expect 0 "$kanal" key generate --kind rsa2048 --label rsa --pin-source env:PIN
    for mode in contexts twice threads forks; do use 0 ./use $mode "pkcs11:object=rsa$where" 3; done
    PIN=$pin expect 0 "$kanal" key generate --agree --kind p256 --label p256 --pin-source env:PIN
    use 0 ./use peer "pkcs11:object=p256$where"
    use 1 ./use alone "pkcs11:object=rsa$where"
    printed "activate OpenSSL's default provider"
    passed "several contexts, threads, forks, and properties that exclude the provider"
    module_settings "$module"
    uri_file "pkcs11:object=gost256" own.key
    use 0 ./use file own.key
    uri_file "pkcs11:object=gost256?pin-value=87654321" own.key
    use 1 ./use file own.key
    printed 'the PIN is wrong'
    uri_file "pkcs11:object=gost256?module-path=$module" own.key
    use 1 ./use file own.key
    printed 'a file names a module'
    passed "a key file that fails has an error that names the cause"
    module_settings "$work/slow.so"
    use 0 ./use settings "pkcs11:object=gost256" 40
    passed "a context that begins while the last one ends has its own PIN, and a module that works"
}

# The provider's own allocations fail, one in each round.
shortage() {
    local name count=0
    use 0 ./shortage
    count=$(sed -n 's/^good //p' output)
    for name in gost256 rsa p256; do
        use 0 ./shortage "pkcs11:object=$name"
        count=$((count + $(sed -n 's/^good //p' output)))
    done
    [ "$count" -gt 100 ] || fail "only $count allocations failed"
    passed "each of $count allocations fails without harm"
}

hostile() {
    local round
    for round in 1 2 3 4; do use 0 ./use mutations "pkcs11:object=gost256$where" 5000 $round; done
    use 0 ./use mutations "pkcs11:object=gost512$where" 5000
    passed "of 50000 changed public keys and files with a URI none does harm"
}

# Private keys in memory. AddressSanitizer keeps what is freed, so that traces are looked for without it.
software() {
    use 0 ./software data
    use 0 ./software parameters
    use 0 ./software copies
    use 0 ./software ends
    use 0 ./software threads 50
    use 0 ./software mutations 300
    OPENSSL_CONF=$work/module.cnf OPENSSL_MODULES=$work/lib/ossl-modules expect 0 ./unchecked traces
    passed "keys in memory: copies, threads, forks, 1200 changed files, and nothing is left of them"
}

loads() {
    OPENSSL_CONF=$work/module.cnf OPENSSL_MODULES=$work/lib/ossl-modules expect 0 ./plain loads '' 10000
    use 0 ./use loads '' 300
    passed "the provider is loaded 10000 times without a leak"
}

# A libcrypto whose structures differ: nothing is registered.
layouts() {
    local layout flags=(-I"$root"/Sources/{OpenSSLProvider,OpenSSLProvider/GOST,OpenSSLKeys,GOSTKernels/include})
    for layout in same digest cipher; do
        # shellcheck disable=SC2046
        clang -O1 -Wall -Wextra -Werror -std=gnu11 "${flags[@]}" -DLAYOUT_$layout "$root/Tests/Programs/Provider/layout.c" \
            "$root"/Sources/OpenSSLKeys/{errors,text,settings,module,calls,pin,refusals,token}.c \
            $(pkg-config --cflags --libs p11-kit-1) -o layout -pthread -lcrypto
        expect $([ $layout = same ] && echo 0 || echo 1) ./layout
        [ $layout = same ] || printed 'this libcrypto has another form of digests or ciphers'
    done
    passed "nothing is registered with a libcrypto whose structures differ"
}

# A token that was away.
absence() {
    mkfifo lines
    OPENSSL_CONF=$work/module.cnf OPENSSL_MODULES=$work/lib/ossl-modules ./plain lines "pkcs11:object=gost256$where" < lines > said \
        2> errors &
    local process=$!
    others+=($process)
    exec 9> lines
    wait_until grep -q ready said || fail "no key: $(cat errors)"
    echo sign >&9
    wait_until grep -q signed said || fail "no signature: $(cat errors)"
    detach
    echo sign >&9
    wait_until grep -q failed said || fail "a signature without a token"
    grep -q 'kanal:.*no such token' errors || fail "the cause is not told: $(cat errors)"
    attach usb usb 9>&-
    echo sign >&9
    wait_until sh -c '[ "$(grep -c signed said)" = 2 ]' || fail "no signature after a return: $(cat said errors)"
    exec 9>&-
    wait $process || fail "exit status $?"
    passed "the key signs again when its token is back"
}

# The provider and the program under ThreadSanitizer. What libraries without it do inside is not seen.
races() {
    # The runtime of gcc's has no function for memset.
    local mode thread=(clang -g -O1 -fsanitize=thread -mllvm -tsan-instrument-memintrinsics=0 -Wno-unused-command-line-argument)
    mkdir raced
    compile raced "${thread[@]}"
    # The runtime of Swift's clang wants libdispatch; that of gcc takes what clang has compiled.
    gcc -g -O1 -fsanitize=thread "$root/Tests/Programs/Provider/use.c" -o raced/use -pthread -lcrypto
    printf 'called_from_lib:%s\n' libpcsclite.so.1 libkanal-pkcs11.so libcrypto.so.3 > raced/known
    module_settings "$module"
    for mode in threads contexts; do
        OPENSSL_CONF=$work/module.cnf OPENSSL_MODULES=$work/raced TSAN_OPTIONS="exitcode=66 suppressions=$work/raced/known" \
            expect 0 raced/use $mode "pkcs11:object=gost256$where" 20
    done
    OPENSSL_CONF=$work/module.cnf OPENSSL_MODULES=$work/raced TSAN_OPTIONS="exitcode=66 suppressions=$work/raced/known" \
        expect 0 raced/use settings "pkcs11:object=gost256" 10
    passed "threads race for nothing"
}

# The engine gost has the digests first, or comes later.
beside_gost() {
    local order
    for order in 'engines = engines\nproviders = providers' 'providers = providers\nengines = engines'; do
        {
            printf 'openssl_conf = main\n[main]\n%b\n' "$order"
            printf '%s\n' '[engines]' 'gost = gost' '[gost]' 'engine_id = gost' 'default_algorithms = ALL' '[providers]' \
                'default = default_provider' 'kanal = kanal' '[default_provider]' 'activate = 1' '[kanal]' 'activate = 1' \
                "MODULE_PATH = $module" "PIN = $pin" '[req]' 'distinguished_name = name' '[name]'
        } > both.cnf
        both() { OPENSSL_CONF=$work/both.cnf OPENSSL_MODULES=$work/lib/ossl-modules expect 0 openssl "$@"; }
        both dgst -md_gost12_256 provider.cnf
        both req -new -key "pkcs11:object=gost256" -subj /CN=both -out request.pem
        both req -in request.pem -verify -noout
        both genpkey -propquery "provider!=kanal" -algorithm gost2012_256 -pkeyopt paramset:A -out file.key
        both req -new -x509 -key file.key -subj /CN=file -out file.pem
        both verify -CAfile file.pem -check_ss_sig file.pem
        # Keys of files stay the engine's, by which OpenSSL 3.0 signs messages, too.
        both genpkey -algorithm gost2012_512 -pkeyopt paramset:A -out file.key
        both req -new -x509 -key file.key -subj /CN=file -out file.pem
        both cms -sign -nodetach -inkey file.key -signer file.pem -in file.pem -binary -outform der -out signed
        both cms -verify -inform der -in signed -CAfile file.pem -purpose any -binary -out opened
        both pkcs12 -export -inkey file.key -in file.pem -passout pass:secret -out file.p12
        both pkcs12 -in file.p12 -passin pass:secret -nodes -out read.pem
    done
    passed "the engine gost before and after the provider"
}

memory() {
    local mode checked=(valgrind --quiet --error-exitcode=9 --suppressions=known --leak-check=full --show-leak-kinds=definite
        --errors-for-leak-kinds=definite ./plain)
    # As they are installed: valgrind of Debian 12 cannot read what clang writes for debuggers, and does not see what Swift
    # still points at.
    mkdir -p stripped/ossl-modules
    strip --strip-debug -o stripped/ossl-modules/kanal.so lib/ossl-modules/kanal.so
    strip -o stripped/libkanal-pkcs11.so "$module"
    printf '{\n library\n Memcheck:Leak\n ...\n obj:*/libkanal-pkcs11.so\n}\n' > known
    local -x OPENSSL_CONF=/dev/null OPENSSL_MODULES=$work/stripped/ossl-modules
    expect 0 "${checked[@]}" loads '' 5
    for mode in twice threads contexts forks; do expect 0 "${checked[@]}" $mode "pkcs11:object=gost256?pin-value=$pin" 2; done
    expect 0 "${checked[@]}" mutations "pkcs11:object=gost256?pin-value=$pin" 200
    passed "valgrind finds no leak and no error"
}

checked=
[ "${1:-}" != checked ] || { checked=yes && shift; }
prepare
start_pcscd
provider_settings
cc -O2 -Wall -Wextra -Werror "$root/Tests/Programs/Provider/use.c" -o plain -pthread -lcrypto
attach usb usb
where="?pin-value=$pin&module-path=$module"
if [ -n "$checked" ]; then
    PIN=$pin expect 0 "$kanal" key generate --kind gost256 --label gost256 --pin-source env:PIN
    races
    memory
else
    builds
    lengths
    programs
    hostile
    software
    shortage
    absence
    layouts
    loads
    beside_gost
fi
detach
echo "provider-use.sh: passed"
