#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# symbols.sh: builds the documentation of all symbols of the targets in Sources, with the articles of KanalKit,
# KanalESIA and KanalXML, into .build/docs/Kanal.doccarchive, and fails if a link is broken or DocC warns of anything else. To read it:
#     python3 -m http.server --bind 127.0.0.1 --directory .build/docs/Kanal.doccarchive
# The public interfaces of these three are built by themselves too, with the Markdown for the site:
# .build/docs/*.interface.doccarchive. The modules are those of $KANAL_CONFIGURATION, or of "swift build", which it runs then.
set -euo pipefail
cd "$(dirname "$0")/.."
. Tests/System/compiler.bash

[ -n "${KANAL_CONFIGURATION:-}" ] || swift build
modules=$modules_build/Modules
work=.build/docs
rm -rf $work
archives=()
read -ra flags <<< "$(c_module_flags)"

# Converts the symbols of a target from a level of access on: target, level, name of the archive, more options of DocC.
convert() {
    local target=$1 level=$2 name=$3 catalog=Sources/$1/$1.docc
    mkdir -p "$work/graphs/$name"
    swift symbolgraph-extract -module-name "$target" -target "$(uname -m)-unknown-linux-gnu" -I $modules "${flags[@]}" \
        -minimum-access-level "$level" -skip-synthesized-members ${extensions:+"$extensions"} -output-dir "$work/graphs/$name"
    [ -d "$catalog" ] || catalog=
    docc convert ${catalog:+"$catalog"} --additional-symbol-graph-dir "$work/graphs/$name" \
        --fallback-display-name "$target" --fallback-bundle-identifier "kanal.$target" \
        --output-dir "$work/$name.doccarchive" --ide-console-output "${@:4}" \
        2>&1 | tee "$work/$name.log" | { grep -E 'warning:|error:' || true; } | sed "s|$PWD/||" >> "$work/messages"
}

for folder in Sources/*; do
    target=$(basename "$folder")
    [ -e "$modules/$target.swiftmodule" ] || continue
    convert "$target" internal "$target"
    archives+=("$work/$target.doccarchive")
done
for target in KanalKit KanalESIA KanalXML; do
    extensions=-emit-extension-block-symbols convert $target public $target.interface --enable-experimental-markdown-output
done

# A comment explains only parameters that need it, which DocC takes for an oversight.
if grep -v 'is missing documentation' $work/messages >&2; then
    echo "symbols.sh: $(grep -vc 'is missing documentation' $work/messages) comments to mend" >&2
    exit 1
fi
docc merge "${archives[@]}" --synthesized-landing-page-name Kanal --output-path $work/Kanal.doccarchive
rm -rf "${archives[@]}" $work/graphs
echo "symbols.sh: passed"
