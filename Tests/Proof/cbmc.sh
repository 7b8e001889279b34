#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# cbmc.sh DIRECTORY: lays CBMC of Debian 13, which Debian 12 has not, in a directory, with the libraries that it needs, and a
# script "cbmc" that runs it by its own loader. apt fetches the packages, with lists of its own, and installs none of them.
set -euo pipefail

[ $# = 1 ] || { echo "usage: Tests/Proof/cbmc.sh DIRECTORY" >&2; exit 64; }
directory=$(realpath -m "$1")
[ ! -x "$directory/cbmc" ] || exit 0
[ "$(dpkg --print-architecture)" = amd64 ] || { echo "cbmc.sh: needs a machine of amd64" >&2; exit 1; }
work=$(mktemp -d)
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Identifier: Packages' 'Component: main' | sed -n 1p)
# Two that run at once do not disturb each other.
made=$directory.$$
trap 'rm -rf "$work" "$made"' EXIT
mkdir -p "$work/lists/partial" "$work/archives/partial" "$made/root"
: > "$work/status"
echo "deb $mirror trixie main" > "$work/sources"
apt=(apt-get --quiet --yes --no-install-recommends --download-only --option "Dir::State::lists=$work/lists"
    --option "Dir::State::status=$work/status" --option "Dir::Cache::archives=$work/archives"
    --option "Dir::Etc::sourcelist=$work/sources" --option Dir::Etc::sourceparts=/dev/null
    --option Acquire::Languages=none --option Debug::NoLocking=true --option APT::Sandbox::User=root)
{
    "${apt[@]}" update
    "${apt[@]}" install cbmc
} > "$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
for package in "$work"/archives/*.deb; do dpkg-deb --extract "$package" "$made/root"; done
libraries=$directory/root/usr/lib/x86_64-linux-gnu:$directory/root/usr/lib
# Its preprocessor is the machine's.
printf '#!/bin/sh\nexec %s --library-path %s %s "$@"\n' "${libraries%%:*}/ld-linux-x86-64.so.2" "$libraries" \
    "$directory/root/usr/bin/cbmc" > "$made/cbmc"
chmod 755 "$made/cbmc"
mv -T "$made" "$directory" 2> "$work/log" || [ -x "$directory/cbmc" ] || { cat "$work/log" >&2; exit 1; }
