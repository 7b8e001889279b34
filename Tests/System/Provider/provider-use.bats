#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The provider "kanal" under AddressSanitizer: modules that lie about lengths or change what they answer, hostile keys,
# certificates and files, keys in memory, several library contexts, threads, forks, want of memory, a token that leaves; loaded
# ten thousand times, and beside the engine gost; by night under ThreadSanitizer and valgrind, too. COUNT is the number of
# changed inputs. With ROOT=DIRECTORY all of it runs in that system, with its OpenSSL, gcc and valgrind; checks with the tag
# "here" are not meant for that.
# bats file_tags=share
load ../common
load provider

count=${COUNT:-$(amount 10000 50000)}
own=$work/lib/libkanal-pkcs11.so
where="$ask&module-path=$own"

# The provider and the programs under AddressSanitizer, once.
setup_file() {
    local name
    prepare
    start_pcscd
    provider_settings
    compilers
    provider_by checked sanitized
    for name in Provider/{use,rights,parameters,hostile,software,orders,shortage} Engine/lies; do
        compiled "${sanitized[@]}" "${linking[@]}" -std=gnu11 "$tree/Tests/Programs/$name.c" $p11_kit -o "${name#*/}" -pthread \
            -lcrypto "${catching[@]}"
    done
    for name in Engine/liar Provider/{slow,changed}; do around "$own" $name "${name#*/}.so"; done
    program use plain
    # Memory that Swift's runtime keeps in the library is not a leak of the provider, and is not seen as kept.
    echo leak:libkanal-pkcs11.so > kept
}

# Clang of this machine, or gcc of the other system. The kernels, which know nothing of OpenSSL, are clang's in both.
compilers() {
    local flags=(-g -O1 -Wall -Wextra -Werror "-fsanitize=address,undefined" -fno-sanitize-recover=all)
    kernels_sanitized=(clang "${flags[@]}" "-fno-sanitize=function,shift-base")
    # The runtime of gcc's ThreadSanitizer has no function for memset.
    kernels_raced=(clang -g -O1 -fsanitize=thread -mllvm -tsan-instrument-memintrinsics=0)
    tree=$root
    if [ -z "$ROOT" ]; then
        sanitized=("${kernels_sanitized[@]}")
        raced=("${kernels_raced[@]}" -Wno-unused-command-line-argument)
        linking=(-fuse-ld=lld)
        # SoftHSM2 throws, for which AddressSanitizer wants the library that catches to be there from the start.
        catching=("-Wl,--no-as-needed" -lstdc++)
    else
        sanitized=(gcc "${flags[@]}" -fno-sanitize=shift-base)
        raced=(gcc -g -O1 -fsanitize=thread)
        linking=()
        catching=()
        tree=$work/tree
        mkdir tree
        (cd "$root" && cp -r --parents Sources/{OpenSSLProvider,OpenSSLKeys,GOSTKernels,COpenSSL,CProcess} Tests/Programs/{Engine,Provider} "$tree")
    fi
    p11_kit=$(there pkg-config --cflags p11-kit-1)
    p11_kit_library=$(there pkg-config --libs p11-kit-1)
    headers=$(printf -- "-I$tree/Sources/%s " OpenSSLProvider OpenSSLKeys GOSTKernels/include)
    keep kernels_sanitized kernels_raced sanitized raced linking tree p11_kit p11_kit_library headers
}
compiled() { expect 0 bash -c 'there "$@"' sh "$@"; }
# program NAME FILE: a program as it is used, without a sanitizer.
program() { compiled cc -O2 -Wall -Wextra -Werror "$tree/Tests/Programs/Provider/$1.c" -o "$2" -pthread -lcrypto; }
# around MODULE SOURCE FILE: a module around another one.
around() {
    compiled cc -g -O1 -Wall -Wextra -Werror -shared -fPIC "-DLIBRARY=\"$1\"" "$tree/Tests/Programs/$2.c" $p11_kit -o "$3"
}

# objects_of FOLDER DIRECTORY COMPILER…: objects of all sources of a folder, in a directory.
objects_of() {
    # shellcheck disable=SC2016
    find "$tree/Sources/$1" -name '*.c' -print0 \
        | nice xargs -0 -P 2 -I{} bash -c 'out=$1/$(echo "$0" | tr / _).o; shift; "$@" -c "$0" -o "$out"' {} "${@:2}" \
            -std=gnu11 -fPIC -fvisibility=hidden -DOPENSSL_API_COMPAT=10101 '-DKANAL_VERSION="0"' -DREFUSALS_PATIENCE=500 $headers $p11_kit
}
# provider_by DIRECTORY NAME: the provider, by compilers with their options: NAME and kernels_NAME.
provider_by() {
    local -n compiler=$2 kernels=kernels_$2
    mkdir -p "$1/objects"
    objects_of GOSTKernels "$1/objects" "${kernels[@]}"
    objects_of OpenSSLKeys "$1/objects" there "${compiler[@]}"
    objects_of OpenSSLProvider "$1/objects" there "${compiler[@]}"
    compiled "${compiler[@]}" "${linking[@]}" -shared "$1"/objects/*.o -Wl,-z,nodelete \
        "-Wl,--version-script=$tree/Sources/OpenSSLProvider/exports.map" $p11_kit_library -o "$1/kanal.so"
}

# A token with keys of all kinds.
bring() {
    local key
    attach_paired
    for key in gost256 gost512 p256; do
        by_kanal key generate --agree --kind $key --label $key
    done
    by_kanal key generate --kind rsa2048 --label rsa
}

# module_settings MODULE [SERIAL]: the PIN, and the token that it is for.
module_settings() {
    sed "s|^\[kanal\]|&\nMODULE_PATH = $1\nPIN = $pin${2:+\nSERIAL = $2}|" provider.cnf > module.cnf
}
# with SETTINGS MODULES STATUS COMMAND…
with() {
    expect "$3" bash -c 'there "$@"' sh "OPENSSL_CONF=$1" "OPENSSL_MODULES=$2" "TRANSPORTED=$work/transported" \
        "LSAN_OPTIONS=suppressions=$work/kept:print_suppressions=0" "${@:4}"
}
use() { with "$work/module.cnf" "$work/checked" "$@"; }
installed() { with "$work/module.cnf" "$work/lib/ossl-modules" "$@"; }
without_settings() { with /dev/null "$work/lib/ossl-modules" "$@"; }

# ---- Modules with false answers ----

# A token of SoftHSM2.
soft_token() {
    local soft
    soft=$(dpkg-query --listfiles libsofthsm2 | grep -m 1 '/libsofthsm2\.so$')
    export SOFTHSM2_CONF=$work/softhsm2.conf
    rm -rf tokens
    mkdir tokens
    echo "directories.tokendir = $work/tokens" > softhsm2.conf
    expect 0 softhsm2-util --init-token --free --label lies --so-pin 87654321 --pin $pin
    generate_softly() { expect 0 pkcs11-tool --module "$soft" --token-label lies --login --pin $pin --keypairgen "$@"; }
    generate_softly --id 01 --label rsa --key-type rsa:2048
    generate_softly --id 02 --label p256 --key-type EC:prime256v1 --usage-derive --usage-sign
    around "$soft" Engine/liar liar-soft.so
}

# The keys are in SoftHSM2, or, in another system, on the token.
lies_with_others() {
    local operation liar=./liar.so
    [ -n "$ROOT" ] || { soft_token && liar=./liar-soft.so; }
    module_settings "$work/$liar"
    for operation in sign pss decrypt oaep; do use 0 ./lies $liar $operation "pkcs11:object=rsa"; done
    for operation in sign derive; do use 0 ./lies $liar $operation "pkcs11:object=p256"; done
}

lies_with_gost() {
    local kind
    module_settings "$work/liar.so"
    for kind in gost256 gost512; do
        use 0 ./lies ./liar.so sign "pkcs11:object=$kind"
        use 0 ./lies ./liar.so derive "pkcs11:object=$kind"
        # Texts that the engine gost encrypts for the key.
        by 0 pkey -in "pkcs11:object=$kind$ask" -pubout -out $kind.pub
        printf '0123456789abcdef0123456789abcde\0' > secret
        agrees pkeyutl -encrypt -pubin -inkey $kind.pub -in secret -out transported
        use 0 ./lies ./liar.so decrypt "pkcs11:object=$kind"
        python3 "$root/Tests/Programs/Engine/moved_point.py" transported moved
        by 1 pkeyutl -decrypt -inkey "pkcs11:object=$kind$ask" -in moved
        printed 'not a point of the curve'
    done
    use 0 ./lies ./liar.so sign "pkcs11:object=gost256" hidden
}

# ---- Programs ----

programs() {
    local mode
    module_settings "$own"
    for mode in contexts twice threads forks alone properties; do use 0 ./use $mode "pkcs11:object=gost256$where" 5; done
    for mode in contexts twice threads forks properties; do use 0 ./use $mode "pkcs11:object=rsa$where" 3; done
    use 0 ./use peer "pkcs11:object=p256$where"
    use 1 ./use alone "pkcs11:object=rsa$where"
    printed "activate OpenSSL's default provider"
}

key_files() {
    uri_file "pkcs11:object=gost256" own.key
    module_settings "$own"
    use 1 ./use file own.key
    printed 'add SERIAL'
    module_settings "$own" $serial
    use 0 ./use file own.key
    uri_file "pkcs11:object=gost256$ask" own.key
    use 1 ./use file own.key
    printed 'remove pin-value from the file'
    uri_file "pkcs11:object=gost256?module-path=$own" own.key
    use 1 ./use file own.key
    printed 'remove module-path from the file'
}

contexts_in_turn() {
    module_settings "$work/slow.so"
    use 0 ./use settings "pkcs11:object=gost256" 40
}

# A worker that has become another user writes into what it shares with root's process. Locks are kept for half a second
# instead of the 30 that a program waits.
rights() {
    module_settings "$own"
    compiled "${sanitized[@]}" "${linking[@]}" -std=gnu11 -DREFUSALS_PATIENCE=500 "-I$tree/Sources" $headers $p11_kit \
        "$tree/Tests/Programs/Provider/refusals.c" -o refusals -pthread -lcrypto
    compiled ./refusals
    use 0 ./rights scribble "pkcs11:object=gost256$where" 30 60
    use 0 ./rights hold "pkcs11:object=gost256$where" 3 60
}

# A token that was away.
# The program that signs or loads for each line of descriptor 9, with the provider by SETTINGS and a key by a URI.
begin_lines() {
    rm -f lines
    mkfifo lines
    exec 9<> lines
    become="exec" launch there OPENSSL_CONF="$work/$1" OPENSSL_MODULES="$work/lib/ossl-modules" \
        ./plain lines "$2" < lines > said 2> errors 9>&-
    wait_until grep -q ready said || fail "no key: $(cat errors)"
}

absence() {
    local process
    module_settings "$own"
    begin_lines module.cnf "pkcs11:object=gost256$where"
    process=$launched
    echo sign >&9
    wait_until grep -q signed said || fail "no signature: $(cat errors)"
    detach
    echo sign >&9
    wait_until grep -q failed said || fail "a signature without a token"
    printed 'kanal:.*no such token' errors
    attach $identity $identity 9>&-
    echo sign >&9
    wait_until sh -c '[ "$(grep -c signed said)" = 2 ]' || fail "no signature after a return: $(cat said errors)"
    detach
    attach $identity $identity 9>&-
    echo load >&9
    wait_until grep -q loaded said || fail "the key is not found after a return: $(cat said errors)"
    exec 9>&-
    wait $process || fail "exit status $?"
}

# The PIN is changed, and then the file that has it.
new_pin() {
    local changed=97531864 process before
    sed "s|^\[kanal\]|&\nMODULE_PATH = $own|" provider.cnf > unset.cnf
    printf %s "$pin" > pin-file
    chmod 600 pin-file
    begin_lines unset.cnf "pkcs11:object=gost256?pin-source=$work/pin-file"
    process=$launched
    NEW=$changed by_kanal pin change --new-pin-source env:NEW
    before=$(tries)
    detach
    attach $identity $identity 9>&-
    echo sign >&9
    wait_until grep -q failed said || fail "a signature with the former PIN"
    has_tries $((before - 1))
    echo sign >&9
    wait_until sh -c '[ "$(grep -c failed said)" = 2 ]' || fail "a signature with the former PIN"
    has_tries $((before - 1))
    printf %s $changed > pin-file
    echo load >&9
    wait_until grep -q loaded said || fail "the new PIN is not taken: $(cat said errors)"
    echo sign >&9
    wait_until grep -q signed said || fail "no signature with the new PIN: $(cat said errors)"
    expect 0 pkcs11-tool --module "$module" --slot "$slot" --login --pin $changed --change-pin --new-pin $pin
    exec 9>&-
    wait $process || fail "exit status $?"
}

# ---- Hostile inputs ----

hostile_files() {
    local round name each=$((count / 10))
    module_settings "$own" $serial
    for round in 1 2 3 4 512; do
        name=gost256
        [ $round != 512 ] || name=gost512
        use 0 ./hostile keys "pkcs11:object=$name" $each $round
        use 0 ./hostile files pkcs11: $each $round
    done
}

hostile_certificates() {
    local name
    module_settings "$own" $serial
    for name in gost256 rsa; do
        use 0 ./hostile certificates "pkcs11:object=$name" $((count / 5))
        by 0 req -x509 -key "pkcs11:object=$name$ask" -subj /CN=$name -days 30 -out $name.pem
        by_kanal cert import $name.pem
    done
    module_settings "$work/changed.so"
    for name in gost256 p256 rsa; do use 0 ./hostile objects "pkcs11:object=$name" $((count / 50)); done
}

# ---- Memory and threads ----

# The provider's own allocations fail, one in each round.
shortage() {
    local key failed=0
    module_settings "$own"
    for key in '' gost256 rsa p256; do
        use 0 ./shortage ${key:+"pkcs11:object=$key"}
        failed=$((failed + $(sed -n 's/^good //p' output)))
    done
    [ "$failed" -gt 100 ] || fail "only $failed allocations failed"
}

# The provider and the program under ThreadSanitizer. Libraries built without it are not checked.
races() {
    local mode
    provider_by raced raced
    # The runtime of Swift's clang wants libdispatch; gcc's works with clang's objects.
    compiled gcc -g -O1 -fsanitize=thread "$tree/Tests/Programs/Provider/use.c" -o raced/use -pthread -lcrypto
    printf 'called_from_lib:%s\n' libpcsclite.so.1 libkanal-pkcs11.so libcrypto.so > raced/known
    module_settings "$own"
    race() {
        with "$work/module.cnf" "$work/raced" 0 TSAN_OPTIONS="exitcode=66 suppressions=$work/raced/known" raced/use "$@"
    }
    for mode in threads contexts; do race $mode "pkcs11:object=gost256$where" 20; done
    race settings "pkcs11:object=gost256" 10
}

memory() {
    local mode checked=(valgrind --quiet --error-exitcode=9 --suppressions=known --leak-check=full --show-leak-kinds=definite
        --errors-for-leak-kinds=definite)
    # As they are installed: valgrind of Debian 12 cannot read what clang writes for debuggers, and does not see what Swift
    # still points at.
    mkdir -p stripped/ossl-modules
    strip --strip-debug -o stripped/ossl-modules/kanal.so lib/ossl-modules/kanal.so
    strip -o stripped/libkanal-pkcs11.so "$module"
    printf '{\n library\n Memcheck:Leak\n ...\n obj:*/libkanal-pkcs11.so\n}\n' > known
    program hostile plain-hostile
    module_settings "$work/stripped/libkanal-pkcs11.so"
    under() { with "$1" "$work/stripped/ossl-modules" 0 "${checked[@]}" "${@:2}"; }
    under /dev/null ./plain loads '' 5
    for mode in twice threads contexts forks; do under /dev/null ./plain $mode "pkcs11:object=gost256$ask" 2; done
    for mode in keys files certificates; do under "$work/module.cnf" ./plain-hostile $mode "pkcs11:object=gost256" 200; done
}

# ---- The engine gost ----

# It has the digests first, or comes later.
beside_gost() {
    local order
    ! is_since 4 || skip "this OpenSSL has no engines"
    [ -z "$ROOT" ] || [ -n "$(find "$ROOT"/usr/lib/*/engines-3/ -name gost.so 2> /dev/null)" ] || skip "this system has none"
    both() { by_settings both.cnf 0 "$@"; }
    for order in 'engines = engines\nproviders = providers' 'providers = providers\nengines = engines'; do
        {
            printf 'openssl_conf = main\n[main]\n%b\n' "$order"
            printf '%s\n' '[engines]' 'gost = gost' '[gost]' 'engine_id = gost' 'default_algorithms = ALL' '[providers]' \
                'default = default_provider' 'kanal = kanal' '[default_provider]' 'activate = 1' '[kanal]' 'activate = 1' \
                "MODULE_PATH = $own" "PIN = $pin" '[req]' 'distinguished_name = name' '[name]'
        } > both.cnf
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
}

# ---- Checks ----

@test "usb: of a module's lies about lengths, with keys of RSA and P-256, none does harm" { on usb lies_with_others; }
@test "usb: of a module's lies about lengths, with keys of GOST, none does harm" { on usb lies_with_gost; }
@test "usb: several contexts, threads, forks, and properties that exclude the provider" { on usb programs; }
@test "usb: a key file that fails has an error that names the cause" { on usb key_files; }
@test "usb: a context that begins while the last one ends has its own PIN, and a module that works" { on usb contexts_in_turn; }

@test "children that are forked while threads load the provider, and modules, load them, too" {
    local mode
    compiled cc -O1 -Wall -Wextra -Werror -std=gnu11 $headers "$tree/Tests/Programs/Provider/forking.c" \
        "$tree"/Sources/OpenSSLKeys/{errors,text,settings,state,secret,module,calls,refusals,root}.c \
        $p11_kit $p11_kit_library -o forking -pthread -lcrypto
    for mode in provider module; do without_settings 0 ./forking $mode lib/ossl-modules/kanal.so 300; done
}

@test "memory that the provider gives back has no key and no PIN" {
    compiled cc -O1 -Wall -Wextra -Werror "$tree/Tests/Programs/Provider/wiped.c" -o wiped -pthread -lcrypto
    without_settings 0 ./wiped
}

# bats test_tags=here
@test "a worker without rights that writes into shared memory ends no process of root's, and stops none for long" {
    [ "$(id -u)" = 0 ] || skip "that takes root"
    on usb rights
}

# For each function with parameters.
# bats test_tags=here
@test "parameters that are not there, are too short, or of another type do no harm" {
    with /dev/null "$work/checked" 0 ./parameters checked/kanal.so
}

# bats test_tags=long
@test "usb: of changed public keys and files with a URI none does harm" { on usb hostile_files; }
# bats test_tags=long
@test "usb: of changed certificates and keys none does harm, also of those of a module" { on usb hostile_certificates; }

# AddressSanitizer keeps what is freed, so that traces are looked for without it.
@test "private keys in memory: copies, threads, forks, changed files, and nothing is left of them" {
    module_settings "$own"
    use 0 ./software data
    use 0 ./software parameters
    use 0 ./software copies
    use 0 ./software ends
    use 0 ./software threads 50
    use 0 ./software mutations 300
    program software unchecked
    installed 0 ./unchecked traces
}

@test "orders of calls: a tag before its key, other library contexts, threads that begin together" {
    module_settings "$own"
    use 0 ./orders
}

@test "allocations fail without harm" { on usb shortage; }
@test "usb: a key signs again when its token is back, and is found again" { on usb absence; }

@test "usb: a PIN that was changed is taken from its file when the key is loaded again" { on usb new_pin; }

@test "nothing is registered with a libcrypto whose structures differ" {
    local layout status
    for layout in same digest cipher; do
        compiled "${sanitized[0]}" -O1 -Wall -Wextra -Werror -std=gnu11 $headers -DLAYOUT_$layout \
            "$tree/Tests/Programs/Provider/layout.c" "$tree"/Sources/OpenSSLKeys/{errors,text}.c $p11_kit $p11_kit_library \
            -o layout -pthread -lcrypto
        status=1
        [ $layout != same ] || status=0
        installed $status ./layout
        [ $layout = same ] || printed 'the digests or ciphers of this libcrypto have an unknown layout'
    done
}

@test "the functions are those of the OpenSSL that has loaded the provider, or none" {
    local libraries
    [ -n "$(there sh -c 'ls /usr/lib/*/libcrypto.a' 2> /dev/null)" ] || skip "there is no libcrypto.a"
    libraries=$(there pkg-config --static --libs libcrypto | sed 's/-lcrypto//')
    compiled cc -Wall -Wextra -Werror "$tree/Tests/Programs/Provider/inside.c" -o inside -l:libcrypto.a $libraries
    compiled cc -Wall -Wextra -Werror -rdynamic "$tree/Tests/Programs/Provider/inside.c" -o inside-exporting -Wl,--whole-archive \
        -l:libcrypto.a -Wl,--no-whole-archive $libraries
    without_settings 1 ./inside
    printed 'has to export its functions'
    without_settings 0 ./inside-exporting
}

@test "the provider is loaded ten thousand times without a leak" {
    module_settings "$own"
    installed 0 ./plain loads '' 10000
    use 0 ./use loads '' 300
}

@test "the engine gost works before and after the provider" { on usb beside_gost; }

# bats test_tags=night,here
@test "threads race for nothing" { on usb races; }
# bats test_tags=night
@test "valgrind finds no leak and no error" { on usb memory; }

# bats test_tags=night
@test "bt: of a module's lies about lengths, with keys of RSA and P-256, none does harm" { on bt lies_with_others; }
# bats test_tags=night
@test "bt: of a module's lies about lengths, with keys of GOST, none does harm" { on bt lies_with_gost; }
# bats test_tags=night
@test "bt: several contexts, threads, forks, and properties that exclude the provider" { on bt programs; }
# bats test_tags=night
@test "bt: a key file that fails has an error that names the cause" { on bt key_files; }
# bats test_tags=night
@test "bt: a context that begins while the last one ends has its own PIN, and a module that works" { on bt contexts_in_turn; }
# bats test_tags=night
@test "bt: of changed public keys and files with a URI none does harm" { on bt hostile_files; }
# bats test_tags=night
@test "bt: of changed certificates and keys none does harm, also of those of a module" { on bt hostile_certificates; }
# bats test_tags=night
@test "bt: a key signs again when its token is back, and is found again" { on bt absence; }
