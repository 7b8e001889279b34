#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Two builds of the packages in folders of different names, by different users, with different times, languages, time
# zones and umasks, are the same octet for octet. It takes two release builds.
#
# FIRST is the directory with packages of a build that was made before; then one build is enough.
set -euo pipefail
cd "$(dirname "$0")/../../.."
. Tests/Scripts/common.sh

# The other user has a copy of the tree: files of git, and the Swift packages that are linked.
mkdir -p "$work/another-folder/tree"
other="$work/another-folder/tree"
swift package resolve
git ls-files -z | tar --create --null --files-from - | tar --extract --touch --directory "$other"
mkdir "$other/.build"
cp -a .build/{checkouts,repositories,workspace-state.json} "$other/.build"
cp -a Package.resolved "$other"
git -C "$other" init --quiet
git -C "$other" add --all --force -- . ':!.build' ':!Package.resolved'

if [ -z "${FIRST:-}" ]; then
    FIRST=$work/first
    PACKAGES=$FIRST Packaging/packages.sh deb > "$work/first.log" 2>&1 || fail "no first build: $(tail "$work/first.log")"
fi
chmod 755 "$work"
chown -R nobody "$work/another-folder"
(
    umask 077
    cd "$other"
    setpriv --reuid nobody --regid nogroup --clear-groups \
        env HOME="$other/.build" TMPDIR="$other/.build" TZ=Asia/Tokyo LC_ALL=C.UTF-8 Packaging/packages.sh deb \
        > "$work/second.log" 2>&1
) || fail "no second build: $(tail "$work/second.log")"
second="$other/.build/packages"

for file in "$FIRST"/deb/*.deb; do
    if ! cmp --quiet "$file" "$second/deb/${file##*/}"; then
        diffoscope "$file" "$second/deb/${file##*/}" | head -n 100 >&2 || true
        fail "${file##*/} is another one"
    fi
    passed "${file##*/}: $(sha256sum "$file" | cut -d ' ' -f 1)"
done
