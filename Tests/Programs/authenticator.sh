#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A substitute for pinentry: the end of its name selects its behaviour. Its records are beside it.
mode=${0##*-}
beside=${0%/*}

# The answer to GETPIN or CONFIRM.
answer() {
    case $mode in
        bytes)
            printf 'D '
            i=1
            while [ $i -le 255 ]; do
                case $i in
                    10 | 13 | 37) printf '%%%02x' $i ;;
                    *) printf "\\$(printf %03o $i)" ;;
                esac
                i=$((i + 1))
            done
            printf '\r\nOK\n'
            ;;
        zero) printf 'D a%%00b\nOK\n' ;;
        parts) printf '# a comment\nS SOMETHING\nD 12\nD 34\nOK fine\n' ;;
        empty) echo OK ;;
        slowly) for part in D ' 12' 34 "
O" "K
"; do printf %s "$part"; sleep 0.05; done ;;
        cancel) echo 'ERR 83886179 Operation cancelled <Pinentry>' ;;
        no) echo 'ERR 83886194 Not confirmed <Pinentry>' ;;
        old) echo 'ERR 111 canceled' ;;
        timeout) echo 'ERR 83886142 Timeout <Pinentry>' ;;
        error) echo 'ERR 83886179999999999999999999' ;;
        hang) trap '' TERM; sleep 100 ;;
        asleep) sleep 100 ;;
        die) exit 3 ;;
        late) sleep 1; exit 3 ;;
        orphan) sleep 100 & exit 0 ;;
        flood) yes '# flood' ;;
        status) yes 'S FLOOD' ;;
        megabyte) printf 'D '; head -c 1000000 /dev/zero | tr '\0' 1; echo; echo OK ;;
        line) printf 'D %01000d\nOK\n' 1 ;;
        long) printf 'D %0900d\nD %0900d\nOK\n' 1 1 ;;
        word) echo WHAT; echo OK ;;
        escape) printf 'D 12%%4\nOK\n' ;;
        digits) printf 'D 12%%zz\nOK\n' ;;
        code) echo 'ERR x' ;;
        nothing) echo ;;
        inquire) echo 'INQUIRE QUALITY 1' ;;
        half) printf 'D 1234'; exit 0 ;;
        change)
            # Another program comes in its place, which would answer differently.
            rm "$0"
            printf '#!/bin/sh\necho no\n' > "$0"
            printf 'D 1234\nOK\n'
            ;;
        *) printf 'D 1234\nOK\n' ;;
    esac
}

case $mode in
    dead) exit 1 ;;
    mute) sleep 100 ;;
    deaf) exec 0<&-; echo 'OK Pleased to meet you'; exec sleep 100 ;;
    refusing) echo 'ERR 67108922 no'; exit ;;
    babbling) echo 'D 1234'; echo OK ;;
    record)
        tr '\0' '\n' < /proc/$$/environ > "$beside/environment"
        tr '\0' '\n' < /proc/$$/cmdline > "$beside/arguments"
        # In another process, because the shell's own redirections would be listed.
        (for file in /proc/$$/fd/*; do echo "${file##*/} $(readlink "$file")"; done > "$beside/descriptors")
        # By the shell alone: it blocks signals while it starts another program.
        while IFS= read -r line; do echo "$line"; done < /proc/$$/status > "$beside/status"
        cp /proc/$$/stat /proc/$$/limits "$beside"
        echo 'OK Pleased to meet you' ;;
    *) echo 'OK Pleased to meet you' ;;
esac
while read -r line; do
    [ "$mode" != record ] || echo "$line" >> "$beside/commands"
    case $line in
        GETPIN) answer ;;
        CONFIRM) if [ "$mode" = good ]; then echo OK; else answer; fi ;;
        SETDESC*) if [ "$mode" = wordless ]; then echo 'ERR 1 no'; else echo OK; fi ;;
        SETREPEAT*) if [ "$mode" = single ]; then echo 'ERR 1 no'; else echo OK; fi ;;
        BYE) echo OK; exit ;;
        *) echo OK ;;
    esac
done
