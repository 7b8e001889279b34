#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes packages in a copy of the tree that has what git knows and nothing else.
#
#   Packaging/packages.sh deb|source|rpm
#
# PACKAGES is the directory of the results, by default .build/packages; the copy is below it. No network is needed: the
# Swift packages that are linked come from .build, where "make build" has put them. "source" makes Debian's source
# package, with these in it: a distribution builds that with its own swiftlang. "deb" uses the Swift of PATH, as Debian 12
# has none; the build profile pkg.kanal.swift-in-path declares it to dpkg. PREBUILT=1 uses the products of "make build" and
# builds nothing: for work on the packages themselves.
set -euo pipefail
cd "$(dirname "$0")/.."

kind=$1
version=$(sed -n 's/^#define KANAL_VERSION_[A-Z]* //p' Include/CVersion/CVersion.h | paste -sd.)
results=$(realpath -m "${PACKAGES:-.build/packages}")
tree=$results/$kind/kanal-$version
unset MAKEFLAGS MAKELEVEL DESTDIR PREFIX

[ -e .build/workspace-state.json ] && [ -e Package.resolved ] || swift package resolve
rm -rf "$results/$kind"
mkdir -p "$tree/.build"
git ls-files -z | tar --create --null --files-from - | tar --extract --directory "$tree"
cp -a Package.resolved "$tree"
cp -a .build/{checkouts,repositories,workspace-state.json} "$tree/.build"
rm -rf "$tree"/.build/checkouts/*/.git
# In the folder that Debian's tools read.
mv "$tree/Packaging/debian" "$tree"
if [ -n "${PREBUILT:-}" ]; then
    cp -a .build/release "$tree/.build"
    ln -s "$(realpath .build/release/..)" "$tree/.build/$(basename "$(realpath .build/release/..)")"
    touch .build/release/{built,engines-3/kanal.so,ossl-modules/kanal.so}
fi

cd "$tree"
case $kind in
deb)
    dpkg-buildpackage --build=binary --no-sign --build-profiles=pkg.kanal.swift-in-path
    ;;
source)
    (cd .. && dpkg-source --build "kanal-$version")
    ;;
rpm)
    export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(dpkg-parsechangelog --show-field Timestamp)}
    sed "s|@VERSION@|$version|" Packaging/kanal.spec.in > kanal.spec
    rpmbuild -bb --build-in-place --define "_topdir $results/rpm/work" --define "_rpmdir $results/rpm" \
        --define '_rpmfilename %%{NAME}-%%{VERSION}-%%{RELEASE}.%%{ARCH}.rpm' --define '_libdir /usr/lib64' kanal.spec
    rm -rf "$results/rpm/work"
    ;;
esac
cd "$results"
rm -rf "$tree"
