#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# git-cms.sh: signs commits and tags of git with a key of a token by the command kanal, also with GOST keys, and verifies them by
# OpenSSL. Settings of git:
#
#   gpg.format x509
#   gpg.x509.program   the path of this file
#   user.signingkey    the key's label; its certificate is on the token
#   kanal.authorities  the path of a file with the certificates that are trusted, in PEM
#   commit.gpgSign     true, to sign each commit
#
# git calls it as it calls gpgsm: "--status-fd=2 -bsau KEY" signs the standard input, "--status-fd=1 --verify FILE -" verifies it.
set -eu

label='SIGNED MESSAGE'
status=2 key='' file=''
while [ $# -gt 0 ]; do
    case $1 in
    --status-fd=*) status=${1#*=} ;;
    -bsau) key=${2:-} && shift ;;
    --verify) file=${2:-} && shift ;;
    esac
    shift
done
tell() { printf '[GNUPG:] %s\n' "$*" >&"$status"; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
cat > "$work/content"

if [ -z "$file" ]; then
    tell "BEGIN_SIGNING"
    kanal sign --cms --detached --key "$key" --output "$work/signature" "$work/content" > /dev/null
    printf -- '-----BEGIN %s-----\n' "$label"
    base64 "$work/signature"
    printf -- '-----END %s-----\n' "$label"
    tell "SIG_CREATED D"
    exit
fi
sed "/^-----BEGIN $label-----\$/,/^-----END $label-----\$/!d; /^-----/d" "$file" | base64 --decode > "$work/signature"
authorities=$(git config --type=path kanal.authorities || true)
# A message without signers is verified, too, without a certificate.
if openssl cms -verify -inform der -in "$work/signature" -content "$work/content" -binary -purpose any -out "$work/verified" \
    -CAfile "${authorities:?set kanal.authorities of git}" -no-CApath -no-CAstore -signer "$work/signer" >&2 \
    && openssl x509 -in "$work/signer" -noout -subject -nameopt RFC2253 -fingerprint -sha256 > "$work/facts"; then
    name=$(sed -n 's/^subject=//p' "$work/facts")
    hash=$(sed -n 's/.*Fingerprint=//p' "$work/facts" | tr -d :)
    # git looks for it at the beginning of a line, and not of the text.
    tell "NEWSIG"
    tell "GOODSIG $hash $name"
    tell "VALIDSIG $hash"
    tell "TRUST_FULLY"
    echo "Good signature of $name" >&2
else
    tell "BADSIG 0 unknown"
    exit 1
fi
