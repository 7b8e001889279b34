#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Breaks the secure channel in one place after another and requires that a test notices. Each mutant is a rule of GSC/1
# left out on one side; the tests that must fail are named beside it and in docs/Proof.md.
# Works on a copy of the project in .build/mutants; about a minute for each mutant.
set -euo pipefail
cd "$(dirname "$0")/../../.."

copy=.build/mutants/tree
rm -rf $copy/Sources $copy/Tests $copy/original
mkdir -p $copy
tar --exclude=./.build --exclude=./.git -cf - . | tar -xf - -C $copy
cd $copy
survivors=0

# mutant NAME FILE EXPRESSION TESTS WORDS: applies the sed expression to the file and runs the tests that match TESTS, of
# which one whose name has WORDS must fail.
mutant() {
    local name=$1 file=$2 expression=$3 tests=$4 words=$5
    cp "$file" original
    sed -i "$expression" "$file"
    if cmp -s original "$file"; then
        echo "$name: the mutation does not apply to $file" >&2
        exit 2
    fi
    SWIFT_BACKTRACE=enable=no timeout 1800 swift test --filter "$tests" > output 2>&1 || true
    if ! grep -q 'Test run with' output; then
        tail -n 20 output >&2
        echo "$name: the tests did not run" >&2
        exit 2
    elif grep -q "✘ Test \"\?$words.*failed after" output; then
        echo "caught: $name, by \"$(sed -n "s/.*✘ Test \"\($words[^\"]*\)\".*failed after.*/\1/p" output | head -n 1)\""
    else
        echo "SURVIVED: $name" >&2
        survivors=$((survivors + 1))
    fi
    mv original "$file"
}

host=Sources/SecureChannel
token=Sources/TokenEnd/Suites
mutant "host: header not in the associated data" $host/Messages/Session.swift \
    '/associated += \[cla, header.ins, header.p1, header.p2\]/d' SecureChannelTests 'N49: all exchanges'
mutant "token: header not in the associated data" $token/MessageProtection.swift \
    's/let header = \[command.cla, command.ins, command.p1, command.p2\]/let header: [UInt8] = []/' EmulatorTests.ProtectionTests 'N37: no command'
mutant "host: empty body accepted without a tag" $host/Messages/Session.swift \
    's/^\( *\)guard reply.status == .success else { throw .refused(reply.status) }$/&\n\1if reply.data.isEmpty { return SecretResponse(reply.status, data: Secret(count: 0)) }/' \
    SecureChannelTests 'N40: an empty body'
mutant "modern: four bytes of the tag compared" Sources/GOST/Modes/OMAC.swift \
    's/constantTimeEqual(expected, code)/constantTimeEqual(expected.extracting(first: 4), code.extracting(first: 4))/' \
    'SecureChannelTests|EmulatorTests.ProtectionTests' 'N37: '
mutant "host, classic: four bytes of the tag compared" $host/Suites/ClassicSuite.swift \
    's/constantTimeEqual(expected.bytes, sealed.extracting(last: 8))/constantTimeEqual(expected.bytes.extracting(first: 4), sealed.extracting(last: 8).extracting(first: 4))/' \
    SecureChannelTests 'N37: every single-bit flip'
mutant "token, classic: four bytes of the tag compared" $token/ClassicSuite.swift \
    's/constantTimeEqual(expected.bytes, tag.span)/constantTimeEqual(expected.bytes.extracting(first: 4), tag.span.extracting(first: 4))/' \
    EmulatorTests.ProtectionTests 'N37: no command'
mutant "host: keys of the first epoch used for ever" $host/Messages/Session.swift \
    's/if number.isMultiple(of: Session.epochLength) {/if number == 0 {/' SecureChannelTests 'N49: '
mutant "token: keys of the first epoch used for ever" $token/MessageProtection.swift \
    's/if number.isMultiple(of: Self.commandsPerEpoch), number/if number < 0, number/' EmulatorTests.ProtectionTests 'N49: '
mutant "host: n little-endian" $host/Messages/Session.swift \
    's/associated.appendUInt32(number)/associated.appendUInt32(number.byteSwapped)/' SecureChannelTests 'N49: all exchanges'
mutant "token: n little-endian" $token/MessageProtection.swift \
    's/bytes.appendUInt32(UInt32(truncatingIfNeeded: number))/bytes.appendUInt32(UInt32(truncatingIfNeeded: number).byteSwapped)/' \
    EmulatorTests.ChannelVectorTests 'Message protection opens'
mutant "host: C_T = C_H accepted" $host/Opening/Opening.swift \
    '/guard peer != own.bytes else { throw .reflection }/d' SecureChannelTests 'N29: C_T = C_H'

share=Sources/Sharing
mutant "share: the card is not reset between sessions" $share/SharedCard.swift \
    '/guard let host else/{n;s/reset()//}' KanalKitTests.SharedCardTests 'T33: '
mutant "share: a session that was ended reaches the card" $share/SharedCard.swift \
    's/holder === context && condition.loss == nil/condition.loss == nil/' KanalKitTests.SharedCardTests 'T33: '
mutant "share: the policy is not asked" $share/SharedContext.swift \
    's/guard !action.permissions.isDisjoint(with: policy.permissions),/guard command.cla < 0xFF,/' \
    KanalKitTests.ShareTests 'a share that allows reading'
mutant "share: what only says that it is protected is passed on" $share/RemoteCards.swift \
    's/ && isProtected(.UInt8.(copying: command.data))//' KanalKitTests.ShareTests 'a token that has the channel'

[ $survivors = 0 ] || { echo "mutants.sh: $survivors survived" >&2; exit 1; }
echo "mutants.sh: passed"
