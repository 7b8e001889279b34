#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# corpus.sh unpack|pack TARGET: the first inputs of a fuzz target are in Tests/Fuzz/Corpora/<target>.tar.gz. "unpack"
# extracts them into .build/fuzz/<target>/kept, "pack" makes the archive of that directory. To add inputs:
#
#     Tests/Fuzz/corpus.sh unpack card
#     cp FILE... .build/fuzz/card/kept
#     Tests/Fuzz/corpus.sh pack card
#
# An input is named by its SHA-1, as libFuzzer names it, and the archive depends on the inputs alone.
set -euo pipefail
cd "$(dirname "$0")/../.."

archive=$PWD/Tests/Fuzz/Corpora/$2.tar.gz
mkdir -p ".build/fuzz/$2"
cd ".build/fuzz/$2"
case $1 in
    unpack)
        rm -rf kept
        mkdir kept
        [ ! -e "$archive" ] || tar -xzf "$archive" -C kept
        ;;
    pack)
        for input in kept/*; do
            name=kept/$(sha1sum < "$input" | cut -d ' ' -f 1)
            [ "$input" = "$name" ] || mv "$input" "$name"
        done
        LC_ALL=C ls kept | tar --format=ustar --owner=0 --group=0 --numeric-owner --mtime=@0 --mode=644 -C kept \
            --verbatim-files-from --files-from=- -cf - | gzip -9n > "$archive"
        ;;
    *) exit 2 ;;
esac
