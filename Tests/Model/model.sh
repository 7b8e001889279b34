#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks the model of the secure channel's sessions with SPIN: every configuration of the protocol must be free of
# errors, and every mutant, a protocol with one rule left out, must be caught. About a minute and under 1 GiB.
set -euo pipefail
cd "$(dirname "$0")/../.."
. Tests/Scripts/common.sh

model=$root/Tests/Model/gsc1-sm.pml
cd "$work"

# check VERDICT OPTION...: runs the model with these options. The verdict is "sound" or "caught".
check() {
    local wanted=$1 verdict states violated
    shift
    rm -f pan pan.* output
    spin -a "$@" "$model" > log 2>&1 || { cat log; exit 2; }
    cc -O2 -DSAFETY -DCOLLAPSE -o pan pan.c
    timeout 600 ./pan -m1000000 > output 2>&1 || { cat output; exit 2; }
    if grep -q 'search depth too small\|out of memory\|max search depth' output; then
        verdict="unknown: the search was not complete"
    else
        case $(sed -n 's/.*errors: \([0-9]*\).*/\1/p' output) in
            0) verdict=sound ;;
            '') verdict="unknown: no result" ;;
            *) verdict=caught ;;
        esac
    fi
    states=$(sed -n 's/^ *\([0-9]*\) states, stored.*/\1/p' output | head -n 1)
    violated=$(sed -n 's/^pan:1: \(.*\) (at depth.*/\1/p' output | head -n 1)
    if [ "$verdict" != "$wanted" ]; then
        echo "not $wanted but $verdict: $* ${violated:+[$violated]}" >&2
        exit 1
    fi
    echo "$verdict: $*, $states states ${violated:+[$violated]}"
}

check sound -DHOSTS=1 -DCHANS=1
check sound -DHOSTS=1 -DCHANS=2
check sound -DHOSTS=2 -DCHANS=1 -DGOAL=2 -DBUDGET=2
check sound -DHOSTS=2 -DCHANS=2 -DGOAL=2 -DBUDGET=2
check sound -DHOSTS=3 -DCHANS=2 -DGOAL=2 -DBUDGET=1
check sound -DHOSTS=2 -DCHANS=2 -DBUDGET=0 -DNMAX=8 -DISOLATION
check sound -DHOSTS=3 -DCHANS=2 -DBUDGET=0 -DGOAL=2 -DKILLCHECK
check sound -DSHARE -DHOSTS=2 -DCHANS=2 -DGOAL=2 -DBUDGET=1
check caught -DM_TOKEN_N
check caught -DM_HOST_N
check caught -DM_RETRY
check caught -DM_NOINST -DCHANS=2
check caught -DM_NOLOCK -DHOSTS=2 -DBUDGET=0
check caught -DM_NOPROBE -DHOSTS=2 -DBUDGET=0
check caught -DM_STRIKE1 -DHOSTS=3 -DCHANS=2 -DBUDGET=0 -DGOAL=2 -DKILLCHECK
check caught -DSHARE -DM_TWO -DHOSTS=2 -DCHANS=2 -DBUDGET=0
check caught -DSHARE -DM_NORESET -DHOSTS=2 -DCHANS=2 -DBUDGET=0
echo "model.sh: passed"
