#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes what "make install CROSS=SYSTEM" needs to build for another processor: an SDK for Swift, with a root that has that
# system's libraries and headers, Debian 12's, so that the result runs there and later, and the Swift runtime. To be
# run in a Debian that has swiftlang, of which the runtime is the same version. apt fetches the packages, with lists of its
# own, and installs none of them.
#
#   Packaging/sdk.sh aarch64-linux-gnu DIRECTORY
set -euo pipefail

[ $# = 2 ] || { echo "usage: Packaging/sdk.sh SYSTEM DIRECTORY" >&2; exit 64; }
system=$1
directory=$(realpath -m "$2")
processor=${system%%-*}
architecture=$(dpkg-architecture --host-type "$system" --query DEB_HOST_ARCH)
sdk=$directory/$system.artifactbundle
sysroot=$sdk/root

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rm -rf "$sdk"
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Identifier: Packages' 'Component: main' | sed -n 1p)

# fetch RELEASE COMMAND PACKAGE...: lays packages of a release, for that processor, in the root. The command of apt-get is
# "install", with what they depend on, or "download".
fetch() {
    local release=$1 state=$work/$1
    mkdir -p "$sysroot" "$state/lists/partial" "$state/archives/partial"
    : > "$state/status"
    echo "deb $mirror $release main" > "$state/sources"
    local apt=(apt-get --quiet --yes --no-install-recommends --download-only
        --option "APT::Architecture=$architecture" --option "APT::Architectures::=$architecture"
        --option "Dir::State::lists=$state/lists" --option "Dir::State::status=$state/status"
        --option "Dir::Cache::archives=$state/archives" --option "Dir::Etc::sourcelist=$state/sources"
        --option Dir::Etc::sourceparts=/dev/null --option Acquire::Check-Valid-Until=false
        --option Acquire::Languages=none --option Debug::NoLocking=true --option APT::Sandbox::User=root)
    (cd "$state/archives" && "${apt[@]}" update && "${apt[@]}" "${@:2}") > "$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
    for package in "$state"/archives/*.deb; do dpkg-deb --extract "$package" "$sysroot"; done
}
rm -rf "$sdk"
fetch bookworm install libc6-dev libp11-kit-dev libpcsclite-dev libssl-dev libstdc++-12-dev libxml2-dev
# Without what the compiler needs, as it is not run.
fetch sid download libswiftlang swiftlang
find "$sysroot/usr/libexec/swift/bin" -type f -delete
# One place for libraries, in which qemu finds each before this system's.
cp -a "$sysroot/lib/." "$sysroot/usr/lib"
rm -r "$sysroot/lib"
ln -s usr/lib "$sysroot/lib"
# Links that begin at the root would leave this one.
find "$sysroot" -type l -lname '/*' | while read -r link; do
    ln --symbolic --no-dereference --relative --force "$sysroot$(readlink "$link")" "$link"
done
# The linker's arguments name the runtime where Swift's own toolchain has it.
ln -sf ../libexec/swift/lib/swift_static "$sysroot/usr/lib"
# Debian has the module for tests with Foundation, but not its library, of which these tests use nothing.
ar rcs "$sysroot/usr/libexec/swift/lib/swift/linux/lib_Testing_Foundation.a"
gcc=$(find "$sysroot/usr/lib/gcc/$system" -name libstdc++.a -printf '%h\n')

cat > "$sdk/info.json" << END
{
    "schemaVersion": "1.0",
    "artifacts": {
        "$system": { "type": "swiftSDK", "version": "1", "variants": [{ "path": "static" }] },
        "$system-tests": { "type": "swiftSDK", "version": "1", "variants": [{ "path": "dynamic" }] }
    }
}
END
# describe KIND RESOURCES [ARGUMENT]...: the descriptions of an SDK with that runtime, and more arguments for the linker.
describe() {
    local arguments
    printf -v arguments ', "%s"' -use-ld=lld -Xclang-linker "--sysroot=$sysroot" -Xclang-linker "--gcc-install-dir=$gcc" \
        "${@:3}"
    mkdir "$sdk/$1"
    cat > "$sdk/$1/swift-sdk.json" << END
{
    "schemaVersion": "4.0",
    "targetTriples": {
        "$processor-unknown-linux-gnu": {
            "sdkRootPath": "$sysroot",
            "swiftResourcesPath": "$2",
            "swiftStaticResourcesPath": "$2",
            "toolsetPaths": ["toolset.json"]
        }
    }
}
END
    cat > "$sdk/$1/toolset.json" << END
{
    "schemaVersion": "1.0",
    "cCompiler": { "extraCLIOptions": ["-fPIC", "--gcc-install-dir=$gcc"] },
    "swiftCompiler": { "extraCLIOptions": [${arguments#, }] }
}
END
}
describe static "$sysroot/usr/libexec/swift/lib/swift_static"
# Swift's libraries for tests are dynamic alone, and want the glibc of the Debian that they are from: so do such tests.
describe dynamic "$sysroot/usr/libexec/swift/lib/swift" -Xlinker --allow-shlib-undefined
# The same for C without Swift.
printf '%s\n' "--target=$system" "--sysroot=$sysroot" "--gcc-install-dir=$gcc" -fuse-ld=lld > "$sdk/c.cfg"
