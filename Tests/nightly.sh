#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# nightly.sh [-f STEPS] [-o DIRECTORY] [STEP...]: runs the steps of Tests/nightly.txt, or those that are named, in order,
# and goes on after a failure. Steps that are marked "&" run one after the other beside those that follow the first of
# them, and so do those that are marked "+". A table ends the run: step, result, seconds. The directory (.build/nightly) gets the log of each step,
# the table, and, after a run of all steps on one commit, that commit. Fails if a step has failed.
set -euo pipefail
cd "$(dirname "$0")/.."

steps=Tests/nightly.txt
results=.build/nightly
while getopts f:o: option; do
    case $option in
        f) steps=$OPTARG ;;
        o) results=$OPTARG ;;
        *) exit 64 ;;
    esac
done
shift $((OPTIND - 1))

export KANAL_NIGHT=yes seconds=${seconds:-60} rounds=${rounds:-10000}
sudo=$([ "$(id -u)" = 0 ] || echo sudo)
export sudo
# A make in a step is not a sub-make of the make that runs this.
unset MAKEFLAGS MAKELEVEL
trap 'exit 130' INT
trap 'exit 143' TERM

mapfile -t all < <(sed -n 's/^\([a-z][a-z0-9-]*\) .*/\1/p' "$steps")
declare -A lanes
while read -r name mark; do lanes[$name]=$mark; done < <(sed -n 's/^\([a-z][a-z0-9-]*\)  *\([&+]\) .*/\1 \2/p' "$steps")
chosen=("${@:-${all[@]}}")
for step in "${chosen[@]}"; do
    [[ " ${all[*]} " == *" $step "* ]] || { echo "there is no step $step, but: ${all[*]}" >&2; exit 64; }
done

mkdir -p "$results"
rm -f "$results/commit" "$results/table"
[ $# -gt 0 ] || rm -f "$results"/*.log
commit=$(git rev-parse HEAD)
is_changed=$(git status --porcelain --untracked-files=no)
touch "$results/table"

# Runs one step. Its output goes into its log and to descriptor 3: not by name, which would truncate a file.
exec 3>&1
run() {
    local command begin=$SECONDS result=passed
    command=$(sed -n "s/^$1  *\([&+] *\)\{0,1\}//p" "$steps")
    printf '\n==== %s: %s\n' "$1" "$command"
    bash -o pipefail -c "$command" 2>&1 < /dev/null 3>&- | tee "$results/$1.log" >&3 || result=FAILED
    printf '\n==== %s: %s\n' "$1" $result
    printf '%-20s %s %6d\n' "$1" $result $((SECONDS - begin)) >> "$results/table"
}

declare -A beside
for index in "${!chosen[@]}"; do
    mark=${lanes[${chosen[index]}]:-}
    if [ -z "$mark" ]; then
        run "${chosen[index]}"
    elif [ -z "${beside[$mark]:-}" ]; then
        (
            exec 3> /dev/null
            for step in "${chosen[@]:index}"; do
                if [ "${lanes[$step]:-}" = "$mark" ]; then run "$step"; fi
            done
        ) &
        beside[$mark]=$!
    fi
done
for lane in "${beside[@]}"; do wait "$lane"; done
failed=$(grep -c FAILED "$results/table" || true)

printf '\n%-20s %-6s %s\n' step result seconds
cat "$results/table"
if [ $# -gt 0 ]; then
    echo "these are ${#chosen[@]} of ${#all[@]} steps: no run in one piece"
elif [ -n "$is_changed" ] || [ "$(git rev-parse HEAD)" != "$commit" ]; then
    echo "the tree has changes that are not committed: no run of one commit"
else
    echo "$commit" > "$results/commit"
fi
[ $failed = 0 ] || { echo "failed: $failed of ${#chosen[@]} steps; $results has their logs" >&2; exit 1; }
