#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The command "kanal" asks authorities of GOST and RSA whether certificates are revoked: servers of "openssl ocsp", lists and
# issuers' certificates by HTTP, which can also misbehave. No token is used.
# bats file_tags=command
load ../common
load authority

# The status for a state that cannot be known.
unknown=12

setup_file() {
    prepare
    export XDG_CACHE_HOME=$HOME/.cache
    # curl and Python know no keys of GOST for TLS.
    expect 0 openssl req -x509 -newkey rsa:2048 -nodes -keyout tls.key -out tls.pem -days 30 -subj /CN=localhost \
        -addext subjectAltName=IP:127.0.0.1
    of_each_kind make_authorities
}

# asked REQUEST...: these requests were sent since the last time, in this order, and no others.
asked() {
    local seen
    seen=$(cat requests 2> /dev/null || true)
    [ "$seen" = "$(printf '%s\n' "$@")" ] || fail "other requests than $*:"$'\n'"$seen"
    rm -f requests
}
# Forgets what is kept.
forget() { rm -rf "$XDG_CACHE_HOME/kanal"; }

# list AUTHORITY END [LINE]: its list of revoked certificates, from three hours ago to so many hours from now.
list() {
    printf '%s' "${3:+$3$'\n'}" > revoked
    expect 0 openssl ca -config ca.cnf -gencrl -cert "$1.pem" -keyfile "$1.key" -out list.pem \
        -crl_lastupdate "$(date -u -d '-3 hours' +%Y%m%d%H%M%SZ)" -crl_nextupdate "$(date -u -d "$2 hours" +%Y%m%d%H%M%SZ)"
    expect 0 openssl crl -in list.pem -outform DER -out "$1.crl"
}
record() { printf '%s\t%s\tunknown\t/CN=signer\n' "$1" "$2" > index; }

make_authorities() {
    cp ../tls.* .
    python3 -c '
import socket
all = [socket.create_server(("127.0.0.1", 0)) for _ in range(4)]
print(*(one.getsockname()[1] for one in all))' > ports
    ports
    printf '[ca]\ndefault_ca = all\n[all]\ndatabase = revoked\ndefault_md = %s\n' $digest > ca.cnf
    make_root
    # shellcheck disable=SC2086
    expect 0 openssl req -x509 -newkey $newkey -nodes -keyout foreign.key -out foreign.pem -days 30 -subj /CN=Foreign
    issue middle root 2 << END
basicConstraints=CA:true
keyUsage=keyCertSign,cRLSign
crlDistributionPoints=URI:$http/root.crl
END
    expect 0 openssl x509 -in middle.pem -outform DER -out middle.cer
    expect 0 openssl crl2pkcs7 -nocrl -certfile middle.pem -certfile root.pem -outform DER -out middle.p7c
    issue signer middle 3 << END
authorityInfoAccess=OCSP;URI:$http/ocsp,caIssuers;URI:$http/middle.cer
END
    issue direct middle 4 << END
authorityInfoAccess=OCSP;URI:http://127.0.0.1:$port/,caIssuers;URI:$http/middle.p7c
END
    issue listed middle 5 << END
crlDistributionPoints=URI:$http/middle.crl
END
    issue both middle 6 << END
authorityInfoAccess=OCSP;URI:http://127.0.0.1:$closed/
crlDistributionPoints=URI:$http/middle.crl
END
    echo "crlDistributionPoints=URI:https://127.0.0.1:$secure/middle.crl" | issue secure middle 9
    echo extendedKeyUsage=OCSPSigning | issue responder middle 7
    echo keyUsage=digitalSignature | issue plain middle 8
    echo content > text
    local name
    for name in signer direct listed both secure plain; do
        expect 0 openssl cms -sign -binary -cades -in text -signer $name.pem -inkey $name.key -outform DER -out $name.p7s
    done
    printf 'V\t301231235959Z\t\t04\tunknown\t/CN=direct\n' > direct
    launch openssl ocsp -port "$port" -index direct -CA middle.pem -rsigner responder.pem -rkey responder.key -ndays 1 \
        > responder.log 2>&1
    # The responder waits for ever for a request on a connection that was only tried.
    wait_until grep -q 'waiting for OCSP client' responder.log || fail "no responder: $(cat responder.log)"
    start_server
}

ports() {
    read -r first port closed secure < ports
    http=http://127.0.0.1:$first
}

start_server() {
    start_authority "$first" "$secure"
    echo $server > server
}

# Servers that behave, and know the certificates, of whose answers nothing is kept.
fresh() {
    ports
    forget
    echo good | tee mode > lists
    record $'V\t301231235959Z\t' 03
    list root 24
    list middle 24
    rm -f requests
}

# verify STATUS NAME WORD...: verifies the message by NAME.
verify() { kanal_exits "$1" verify --ca root.pem --content text "$2.p7s" "${@:3}"; }

answers() {
    fresh
    # The issuer, the state of the signer, the state of the issuer; then nothing is asked any more.
    verify 0 signer
    printed '^signer.p7s: good$'
    asked 'GET /middle.cer' 'POST /ocsp' 'GET /root.crl'
    verify 0 signer
    asked
    [ "$(stat -c %a "$XDG_CACHE_HOME/kanal/authorities")" = 700 ] || fail "others can reach the folder"
    [ "$(find "$XDG_CACHE_HOME/kanal/authorities" -type f -perm 600 | wc -l)" = 3 ] || fail "other files are kept"
    verify 0 direct
    asked 'GET /middle.p7c'
    verify 0 listed --certificate middle.pem
    verify 0 both --certificate middle.pem
    asked 'GET /middle.crl'
    # Without an address no server is asked about the signer.
    verify 0 plain --certificate middle.pem
    asked
}
@test "states and issuers are fetched once, by responders of openssl and by HTTP" { of_each_kind answers; }

revoked() {
    fresh
    record $'R\t301231235959Z\t260101000000Z' 03
    verify 1 signer --json
    json 'd["files"][0]["signers"][0]["distrust"]["reason"] == "revoked"'
    asked 'GET /middle.cer' 'POST /ocsp' 'GET /root.crl'
    record $'V\t301231235959Z\t' 09
    forget
    verify $unknown signer
    told 'ocsp: the responder does not know the certificate'
    told '--offline does without it'
    record $'V\t301231235959Z\t' 03
    forget
    list middle 24 $'R\t301231235959Z\t260101000000Z\t05\tunknown\t/CN=listed'
    verify 1 listed --certificate middle.pem
    told 'was revoked at 2026-01-01'
    forget
    list middle 24
    list root 24 $'R\t301231235959Z\t260101000000Z\t02\tunknown\t/CN=middle'
    verify 1 signer
    told 'the certificate of CN=middle was revoked'
}
@test "revoked certificates are refused, of signers and authorities, and unknown ones named" { of_each_kind revoked; }

offline() {
    fresh
    verify 0 signer --certificate middle.pem --offline
    verify $unknown signer --offline
    told 'is not among the trusted'
    kanal_exits 0 verify --signature-only --content text signer.p7s
    verify 0 signer --certificate middle.pem --at "$(date -u -d '+1 hour' +%Y-%m-%dT%H:%M:%SZ)"
    asked
    [ ! -e "$XDG_CACHE_HOME/kanal" ] || fail "something is kept"
    # A list of the command line is not fetched.
    verify 0 signer --certificate middle.pem --crl middle.crl
    asked 'GET /root.crl'
    kanal_exits 2 verify --offline text
}
@test "nobody is asked with --offline, --signature-only, --at, and about what one's own files state" { of_each_kind offline; }

# A kept answer is used without a server, until its end, and only from a folder of one's own.
cache() {
    local folder=$XDG_CACHE_HOME/kanal/authorities file end
    fresh
    verify 0 signer
    stop "$(cat server)"
    verify 0 signer
    chmod 755 "$folder"
    verify $unknown signer
    told 'curl: '
    chmod 700 "$folder"
    end=$(($(date +%s) - 1))
    for file in "$folder"/*; do mv "$file" "$folder/$end-${file##*-}"; done
    verify $unknown signer
    told "the issuer of the certificate of CN=signer, is not among the trusted; $http/middle.cer: curl: "
    forget
    start_server
    verify 0 signer
    for file in "$folder"/*; do
        head -c 100 "$file" > damaged
        cat damaged > "$file"
    done
    verify 0 signer
    # It has an end: for the future, too, and for the number of its files.
    end=$(($(date +%s) + 8 * 86400))
    for file in "$folder"/*; do mv "$file" "$folder/$end-${file##*-}"; done
    rm -f requests
    verify 0 signer
    asked 'GET /middle.cer' 'POST /ocsp' 'GET /root.crl'
    (umask 077 && for file in {1..300}; do echo 1 > "$folder/$(($(date +%s) + 3000 + file))-$file"; done)
    verify 0 listed --certificate middle.pem
    [ "$(find "$folder" -type f | wc -l)" = 256 ] || fail "the folder has $(find "$folder" -type f | wc -l) files"
    # An answer put there by others does not count: a list of another authority.
    forget
    verify 0 listed --certificate middle.pem
    for file in "$folder"/*; do cat foreign.pem > "$file"; done
    rm -f requests
    verify 0 listed --certificate middle.pem
    asked 'GET /middle.crl' 'GET /root.crl'
}
@test "the cache is used until an answer ends, is the user's alone, and believed in nothing" { of_each_kind cache; }

# refused MODE REASON: a responder that behaves so is named with this reason.
refused() {
    echo "$1" > mode
    forget
    verify $unknown signer --certificate middle.pem
    told "no list or response states whether the certificate of CN=signer is revoked; $http/ocsp: $2"
    echo good > mode
}
# refused_list MODE REASON: the same of a list.
refused_list() {
    echo "$1" > lists
    forget
    verify $unknown listed --certificate middle.pem
    told "no list or response states whether the certificate of CN=listed is revoked; $http/middle.crl: $2"
    echo good > lists
}

moved() {
    fresh
    echo without > mode
    verify 0 signer
    echo moved | tee mode > lists
    forget
    verify 0 signer
}
@test "an answer may have no nonce, and another address" { of_each_kind moved; }

responders() {
    fresh
    refused plain 'the responder has no right to answer'
    refused foreign 'the responder has no right to answer'
    refused certificate 'the response is about another certificate'
    refused nonce 'the response answers another request: its nonce differs'
    for mode in truncated text empty; do refused $mode 'the answer is no response about a certificate'; done
    refused broken 'the answer has the status 503'
    refused endless 'the answer is too long'
    rm -f requests
    refused circle 'curl: .*redirect'
    [ "$(grep -c ocsp requests)" -lt 10 ] || fail "an endless circle: $(cat requests)"
}
@test "a responder that misbehaves is named with the cause" { of_each_kind responders; }

secure() {
    fresh
    CURL_CA_BUNDLE=tls.pem verify 0 secure --certificate middle.pem
    forget
    verify $unknown secure --certificate middle.pem
    told 'curl: .*certificate'
    echo insecure > lists
    CURL_CA_BUNDLE=tls.pem verify $unknown secure --certificate middle.pem
    told 'curl: .*[Pp]rotocol'
}
@test "an address of TLS is asked by TLS alone, with a certificate that is trusted" { of_each_kind secure; }

lists() {
    fresh
    refused_list broken 'the answer has the status 503'
    refused_list endless 'the answer is too long'
    refused_list circle 'curl: .*redirect'
    list middle -1
    refused_list good 'the list of revoked certificates is out of date since'
    cp root.crl middle.crl
    refused_list good "the list of revoked certificates is not signed by the certificate's issuer"
    echo list > middle.crl
    refused_list good 'the answer is no list of revoked certificates, or is damaged'
}
@test "a list that is not in order is named with the cause" { of_each_kind lists; }

@test "a silent or slow authority ends after ten seconds, once, however many messages need it" {
    local begin mode
    cd gost
    fresh
    for mode in silent slow; do
        begin=$SECONDS
        echo $mode > mode
        forget
        cp signer.p7s second.p7s
        cp text signer
        cp text second
        kanal_exits $unknown verify --ca root.pem --certificate middle.pem signer.p7s second.p7s
        told 'curl: .*timed out'
        [ $((SECONDS - begin)) -lt 19 ] || fail "$mode: $((SECONDS - begin)) seconds"
    done
}

