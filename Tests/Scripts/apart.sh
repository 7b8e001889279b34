#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# apart.sh SCRIPT ARGUMENTS…: runs a script that uses pcscd beside another one: with mounts, a network, a /run, and so a
# pcscd, of its own, and KANAL_APART set. Without root or ip(8), scripts run one after the other, with the
# machine's pcscd.
set -euo pipefail

unset KANAL_APART
if [ "$(id -u)" != 0 ] || ! command -v ip > /dev/null || ! unshare --mount --net true 2> /dev/null; then exec "$@"; fi
# shellcheck disable=SC2016
KANAL_APART=yes exec unshare --mount --net --propagation private sh -ec 'mount -t tmpfs tmpfs /run; ip link set lo up; exec "$@"' sh "$@"
