#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Two builds of the packages: two release builds, or one with FIRST, the directory with packages of a build that was made before.
# bats file_tags=release
load ../common

@test "builds in folders of other names, by other users, with other times, zones and umasks, are the same byte for byte" {
    local first=${FIRST:-$work/first} other=$work/another-folder/tree file second
    cd "$root"
    # The other user has a copy of the tree: files of git, and the Swift packages that are linked.
    mkdir -p "$other/.build"
    swift package resolve
    git ls-files -z | tar --create --null --files-from - | tar --extract --touch --directory "$other"
    cp -a .build/{checkouts,repositories,workspace-state.json} "$other/.build"
    cp -a Package.resolved "$other"
    git -C "$other" init --quiet
    git -C "$other" add --all --force -- . ':!.build' ':!Package.resolved'

    [ -n "${FIRST:-}" ] || PACKAGES=$first Packaging/packages.sh deb > "$work/first.log" 2>&1 3>&- \
        || fail "no first build: $(tail "$work/first.log")"
    chmod 755 "$BATS_RUN_TMPDIR" "$BATS_RUN_TMPDIR/file" "$work"
    chown -R nobody "$work/another-folder"
    (
        umask 077
        cd "$other"
        setpriv --reuid nobody --regid nogroup --clear-groups \
            env HOME="$other/.build" TMPDIR="$other/.build" TZ=Asia/Tokyo LC_ALL=C.UTF-8 Packaging/packages.sh deb
    ) > "$work/second.log" 2>&1 3>&- || fail "no second build: $(tail "$work/second.log")"

    second=$other/.build/packages/deb
    for file in "$first"/deb/*.deb; do
        [ -e "$file" ] || fail "no packages in $first"
        cmp --quiet "$file" "$second/${file##*/}" \
            || fail "${file##*/} is another one: $(diffoscope "$file" "$second/${file##*/}" | head -n 100)"
        echo "# ${file##*/}: $(sha256sum "$file" | cut -d ' ' -f 1)" >&3
    done
}
