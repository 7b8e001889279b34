#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Suites that others have written for modules of PKCS #11, on the built library and emulated tokens behind a real pcscd.
set -euo pipefail
cd "$(dirname "$0")/../.."
. Tests/Scripts/common.sh

# ---- The suites ----

# pkcs11-check needs Python 3.12. Without it, its few statements of 3.12 are rewritten for 3.11; they are names of
# types.
python=
for candidate in python3.{12,13,14} python3 "${HOME:-/root}"/.pyenv/versions/3.1[2-9].*/bin/python3; do
    if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2> /dev/null; then
        python=$(command -v "$candidate")
        break
    fi
done
suites=$root/.build/suites
packages="pkcs11-check==0.2.3 python-pkcs11==0.10.1 parameterized"

# In a shell of its own, which ends with the first step that fails.
install() (
    set -ex
    rm -rf "$suites"
    "${python:-python3}" -m venv "$suites"
    # shellcheck disable=SC2086
    timeout 300 "$suites/bin/pip" install -q --ignore-requires-python $packages
    timeout 300 "$suites/bin/pip" download -q --no-deps --no-binary python-pkcs11 --dest "$suites" python-pkcs11==0.10.1
    tar -xf "$suites"/python_pkcs11-*.tar.gz -C "$suites" --strip-components 1 --wildcards '*/tests/*'
    [ -n "$python" ] || find "$suites"/lib -path '*pkcs11_check*' -name '*.py' -exec sed -E -i \
        -e 's/^type ([A-Za-z_0-9]+ =)/\1/' -e 's/^(def [a-z_0-9]+)\[T\]\(/\1(/' {} +
    "$suites/bin/python" -m compileall -q "$suites"/lib/python3*/site-packages/pkcs11_check
    touch "$suites/complete"
)

if [ ! -e "$suites/complete" ]; then
    install > "$work/install.log" 2>&1 &
    wait $! || fail "the suites cannot be installed: $(cat "$work/install.log")"
fi
checks=$(echo "$suites"/lib/python3*/site-packages/pkcs11_check/testcases)
prepare
start_pcscd

# ---- pkcs11-check ----

# The test that fails, and must. It takes the block of RFC 8891 (Magma) for one of GOST 28147-89, which is the same with
# its bytes reversed: libgcrypt's example gost28147_ecb-007 says how it is.
cat > known << 'END'
test_gost.TestGOST28147Encryption.test_ecb_rfc8891_magma_tc26_z_vector
END

files="test_init test_initialize_args test_session_state_machine test_object test_pin test_so_pin test_sign test_digest
    test_rsa_oaep test_gost test_threading test_reinitialize test_mutex_callback_safety test_buffers"

# Runs the files in one process and compares the failures with the expected ones. A crash ends the process, and writes
# no report.
check() {
    local targets="" file
    for file in $files; do targets+=" $checks/$file.py"; done
    # shellcheck disable=SC2086
    PYTEST_ADDOPTS="--junit-xml=$1.xml" P11TEST_PIN=$pin P11TEST_SO_PIN=87654321 timeout 400 \
        "$suites/bin/pkcs11-check" test --module "$module" --slot 0 --isolation none $targets "$checks/ckr" \
        > output 2>&1 || true
    "$suites/bin/python" - "$1.xml" known > summary << 'END' || fail "$1: $(cat summary output)"
import sys
import xml.etree.ElementTree as XML
cases = list(XML.parse(sys.argv[1]).iter("testcase"))
def having(*results):
    return [case for case in cases if any(case.find(result) is not None for result in results)]
failed = {case.get("classname").split("testcases.")[-1] + "." + case.get("name") for case in having("failure", "error")}
wanted = set(open(sys.argv[2]).read().split())
for name in sorted(failed ^ wanted):
    print("fails:" if name in failed else "fails no more:", name)
passed = len(cases) - len(having("failure", "error", "skipped"))
print(passed, "passed,", len(failed), "failed as known")
sys.exit(failed != wanted or passed < 225)
END
    passed "$1: pkcs11-check: $(tail -n 1 summary)"
}

# ---- python-pkcs11's own tests ----

python_pkcs11() {
    (cd "$suites" && PKCS11_MODULE=$module PKCS11_TOKEN_LABEL="Rutoken ECP <no label>" PKCS11_TOKEN_PIN=$pin \
        PKCS11_TOKEN_SO_PIN=87654321 timeout 300 bin/python -m pytest -q -p no:cacheprovider tests) > output 2>&1 \
        || fail "$1: $(cat output)"
    passed "$1: python-pkcs11's tests: $(tail -n 1 output)"
}

# ---- pkcs11-tool's ----

pkcs11_tool() {
    expect 0 pkcs11-tool --module "$module" --slot "$slot" --login --pin $pin --test
    printed "No errors"
    expect 0 pkcs11-tool --module "$module" --slot "$slot" --login --pin $pin --session-rw --test-ec --id 0E \
        --key-type EC:prime256v1
    printed "==> OK"
    ! grep -q 'CKR_\|ERR' output || fail "$1: --test-ec: $(cat output)"
    expect 0 pkcs11-tool --module "$module" --test-fork
    ! grep -q 'CKR_' output || fail "$1: --test-fork: $(cat output)"
    printf '\n\nx\nx\n' > keys
    expect 0 pkcs11-tool --module "$module" --test-hotplug < keys
    printed "Testing card detection using C_WaitForSlotEvent"
    # Its other tests let the threads end before it waits for them, half a minute at a time.
    expect 0 pkcs11-tool --module "$module" --slot "$slot" --test-threads ILGISLT0 --test-threads ILGISLT0 \
        --login --pin $pin --test -L -M -O
    printed "all threads have ended with CKR_OK"
    passed "$1: pkcs11-tool --test, --test-ec, --test-fork, --test-hotplug, --test-threads"
}

for identity in usb bt; do
    attach $identity "suites-$identity"
    [ $identity = usb ] || expect 0 ./activate "$serial" "$password"
    pkcs11_tool $identity
    python_pkcs11 $identity
    check $identity
    detach
done
