#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# interface.sh [accept]: requires that the public interfaces of KanalKit and KanalESIA are those in
# Tests/Lint/interface.txt and interface-esia.txt, so that no program is broken by an oversight, that each part of them
# is documented, and that none of their types has the name of a type of a module that programs import beside them. With
# "accept", the lists are written again. Takes the modules of "swift build".
set -euo pipefail
cd "$(dirname "$0")/../.."
. Tests/Scripts/common.sh

read -ra flags <<< "$(c_module_flags)"

# The lines of a module's public symbols.
symbols() {
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
    ' "$@"
}

# compare MODULE LIST [accept]
compare() {
    local module=$1 list=$2 names shared
    mkdir "$work/$module"
    swift symbolgraph-extract -module-name "$module" -target "$(uname -m)-unknown-linux-gnu" -I .build/debug/Modules \
        "${flags[@]}" -minimum-access-level public -skip-synthesized-members \
        -output-dir "$work/$module"
    symbols "$work/$module"/*.symbols.json > "$work/interface" || fail "the public interface of $module is not documented"
    [ "${3:-}" != accept ] || cp "$work/interface" "$list"
    diff -u "$list" "$work/interface" \
        || fail "the public interface of $module has changed: if that is wanted, Tests/Lint/interface.sh accept"
    # A file that imports the module together with those of adapters.sh needs no module before a name.
    names=$(sed -n 's/^\([^.:]*\): .*/\1/p' "$work/interface")
    shared=$(cut -d' ' -f1 Tests/Lint/companions.txt | sort -u | comm -12 - <(sort -u <<< "$names") | xargs)
    [ -z "$shared" ] || fail "public names of $module that other modules have too, by Tests/Lint/companions.txt: $shared"
}

compare KanalKit Tests/Lint/interface.txt "${1:-}"
compare KanalESIA Tests/Lint/interface-esia.txt "${1:-}"
echo "interface.sh: passed"
