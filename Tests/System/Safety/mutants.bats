#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Breaks the secure channel and shares, each check in one place, and requires that a test notices. Each mutant is a rule of
# GSC/1 left out on one side; docs/Proof.md names the tests that must fail, too. Works on a copy of the project in
# .build/mutants; about a minute for each mutant.
# bats file_tags=night
load ../common

copy=$root/.build/mutants/tree
host=Sources/SecureChannel
token=Sources/TokenEnd/Suites
share=Sources/KanalKit/Sharing/Cards

setup_file() {
    rm -rf "$copy"/{Sources,Tests}
    mkdir -p "$copy"
    tar -C "$root" --exclude=./.build --exclude=./.git -cf - . | tar -C "$copy" -xf -
}

setup() { cd "$copy"; }

# Writes the file anew. The build compares times by the second: of a file that is moved back it would keep the mutant.
teardown() {
    if [ -e "$work/original" ]; then
        cp "$work/original" "$file"
        rm "$work/original"
    fi
}

run_tests() {
    SWIFT_BACKTRACE=enable=no timeout 1800 swift test --filter "$1" > "$work/output" 2>&1 3>&- || true
    grep -q 'Test run with' "$work/output" || fail "the tests did not run: $(tail -n 20 "$work/output")"
}

# caught FILE EXPRESSION TESTS WORDS: applies the sed expression to the file and runs the tests that match TESTS; a test
# with WORDS in its name must fail.
caught() {
    file=$1
    cp "$file" "$work/original"
    sed -i "$2" "$file"
    ! cmp -s "$work/original" "$file" || fail "the mutation does not apply to $file"
    run_tests "$3"
    grep -q "✘ Test \"\?$4.*failed after" "$work/output" || fail "survives: no test \"$4\" fails: $(tail -n 20 "$work/output")"
}

@test "host: header not in the associated data" {
    caught $host/Messages/HostSession.swift '/associated += \[cla, header.ins, header.p1, header.p2\]/d' \
        SecureChannelTests 'N49: all exchanges'
}
@test "token: header not in the associated data" {
    caught $token/MessageProtection.swift \
        's/let header = \[command.cla, command.ins, command.p1, command.p2\]/let header: [UInt8] = []/' \
        EmulatorTests.ProtectionTests 'N37: no command'
}
@test "host: empty body accepted without a tag" {
    caught $host/Messages/HostSession.swift \
        's/^\( *\)guard reply.status == .success else { throw .refused(reply.status) }$/&\n\1if reply.data.isEmpty { return SecretResponse(reply.status, data: Secret(count: 0)) }/' \
        SecureChannelTests 'N40: an empty body'
}
@test "modern: four bytes of the tag compared" {
    caught Sources/GOST/Ciphers/MGM.swift \
        's/constantTimeEqual(tag.bytes.extracting(first: tagLength), code)/constantTimeEqual(tag.bytes.extracting(first: 4), code.extracting(first: 4))/' \
        'SecureChannelTests|EmulatorTests.ProtectionTests' 'N37: '
}
@test "host, classic: four bytes of the tag compared" {
    caught $host/Suites/ClassicSuite.swift \
        's/constantTimeEqual(expected.bytes, sealed.extracting(last: 8))/constantTimeEqual(expected.bytes.extracting(first: 4), sealed.extracting(last: 8).extracting(first: 4))/' \
        SecureChannelTests 'N37: every single-bit flip'
}
@test "token, classic: four bytes of the tag compared" {
    caught $token/ClassicSuite.swift \
        's/constantTimeEqual(expected.bytes, tag.span)/constantTimeEqual(expected.bytes.extracting(first: 4), tag.span.extracting(first: 4))/' \
        EmulatorTests.ProtectionTests 'N37: no command'
}
@test "host: keys of the first epoch used for ever" {
    caught $host/Messages/HostSession.swift 's/if number.isMultiple(of: HostSession.epochLength) {/if number == 0 {/' \
        SecureChannelTests 'N49: '
}
@test "token: keys of the first epoch used for ever" {
    caught $token/MessageProtection.swift \
        's/if number.isMultiple(of: Self.commandsPerEpoch), number/if number < 0, number/' EmulatorTests.ProtectionTests 'N49: '
}
@test "host: n little-endian" {
    caught $host/Messages/HostSession.swift \
        's/associated.appendUInt32(number)/associated.appendUInt32(number.byteSwapped)/' SecureChannelTests 'N49: all exchanges'
}
@test "token: n little-endian" {
    caught $token/MessageProtection.swift \
        's/bytes.appendUInt32(UInt32(truncatingIfNeeded: number))/bytes.appendUInt32(UInt32(truncatingIfNeeded: number).byteSwapped)/' \
        EmulatorTests.ChannelVectorTests 'Message protection opens'
}
@test "host: C_T = C_H accepted" {
    caught $host/Opening/Opening.swift '/guard peer != own.bytes else { throw .reflection }/d' SecureChannelTests 'N29: C_T = C_H'
}

@test "share: the card is not reset between sessions" {
    caught $share/SharedCard.swift '/guard let host else/{n;s/reset()//}' KanalKitTests.SharedCardTests 'T33: '
}
@test "share: a session that was ended reaches the card" {
    caught $share/SharedCard.swift 's/holder === context && condition.loss == nil/condition.loss == nil/' \
        KanalKitTests.SharedCardTests 'T33: '
}
@test "share: the policy is not asked" {
    caught $share/SharedContext.swift \
        's/guard !action.permissions.isDisjoint(with: policy.permissions),/guard command.cla < 0xFF,/' \
        KanalKitTests.ShareTests 'a share that allows reading'
}
@test "share: what only says that it is protected is passed on" {
    caught $share/PassingCard.swift 's/ && isProtected(.UInt8.(copying: command.data))//' \
        KanalKitTests.ShareTests 'a token that has the channel'
}

@test "after all mutants are gone, the tests pass" {
    run_tests 'SecureChannelTests|EmulatorTests.(ProtectionTests|ChannelVectorTests)|KanalKitTests.(SharedCardTests|ShareTests)'
    grep -q '✔ Test run with' "$work/output" || fail "$(grep '✘' "$work/output")"
}
