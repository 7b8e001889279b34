#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# interface.sh [accept]: requires that the public interface of KanalKit is the one in Tests/Lint/interface.txt, so that
# no program is broken by an oversight, that each part of it is documented, and that none of its types has the name of a
# type of a module that programs import beside it. With "accept", the list is written again. Takes the modules of "swift
# build".
set -euo pipefail
cd "$(dirname "$0")/../.."
. Tests/Scripts/common.sh

list=Tests/Lint/interface.txt
read -ra flags <<< "$(c_module_flags)"
swift symbolgraph-extract -module-name KanalKit -target "$(uname -m)-unknown-linux-gnu" -I .build/debug/Modules \
    "${flags[@]}" -minimum-access-level public -skip-synthesized-members -output-dir "$work"

perl -MJSON::PP -e '
    my @symbols = map { @{decode_json(do { local (@ARGV, $/) = $_; <> })->{symbols}} } @ARGV;
    my $missing = 0;
    for (sort { join(".", @{$a->{pathComponents}}) cmp join(".", @{$b->{pathComponents}}) } @symbols) {
        my $name = join ".", @{$_->{pathComponents}};
        my $declaration = join "", map { $_->{spelling} } @{$_->{declarationFragments}};
        $declaration =~ s/\s+/ /g;
        push @lines, "$name: $declaration\n";
        # A requirement of a protocol is documented with the protocol.
        next if $_->{docComment} or $name =~ /\.(?:description|rawValue|init\(rawValue:\)|==\(_:_:\))$/;
        print STDERR "without documentation: $name\n";
        $missing++;
    }
    print sort @lines;
    exit 1 if $missing;
' "$work"/KanalKit*.symbols.json > "$work/interface" || fail "the public interface of KanalKit is not documented"

[ "${1:-}" != accept ] || cp "$work/interface" $list
diff -u $list "$work/interface" \
    || fail "the public interface of KanalKit has changed: if that is wanted, Tests/Lint/interface.sh accept"

# A file that imports KanalKit together with the modules of adapters.sh needs no module before a name.
names=$(sed -n 's/^\([^.:]*\): .*/\1/p' "$work/interface")
shared=$(cut -d' ' -f1 Tests/Lint/companions.txt | sort -u | comm -12 - <(sort -u <<< "$names") | xargs)
[ -z "$shared" ] || fail "public names of KanalKit that other modules have too, by Tests/Lint/companions.txt: $shared"
echo "interface.sh: passed"
