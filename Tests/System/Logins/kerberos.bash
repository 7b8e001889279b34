# SPDX-License-Identifier: Apache-2.0
# A realm of Kerberos on the loopback address, and kinit in it, for files that have loaded common.bash: authorities, KDCs, users
# without passwords, and the certificates by which they log in (PKINIT, RFC 4556).

realm=KANAL.TEST
kdc_port=35988

# ---- A realm ----

# authority NAME: a root with its key, and what "openssl ca" needs.
authority() {
    expect 0 openssl req -x509 -newkey rsa:2048 -noenc -keyout "$1.key" -out "$1.pem" -subj "/CN=$1" -days 30 \
        -addext basicConstraints=critical,CA:true -addext keyUsage=keyCertSign,cRLSign
    : > "$1.index"
    cat > "$1.cnf" << END
[ca]
default_ca = own
[own]
certificate = $1.pem
private_key = $1.key
database = $1.index
new_certs_dir = .
rand_serial = yes
unique_subject = no
default_md = sha256
policy = any
[any]
organizationalUnitName = optional
commonName = supplied
END
}

# certificate REQUEST AUTHORITY [YEAR]: certificate.pem with the extensions of standard input, until a year begins.
certificate() {
    cat > extensions
    expect 0 openssl ca -batch -notext -preserveDN -config "$2.cnf" -in "$1" -out certificate.pem -extfile extensions \
        -startdate 20200101000000Z -enddate "${3:-2040}0101000000Z"
}

# pkinit_extensions PRINCIPAL TYPE USAGE: what a certificate for PKINIT has. The principal's name has "/" between its parts; its
# type is 1 for a user, 2 for a service.
pkinit_extensions() {
    cat << END
basicConstraints = CA:FALSE
keyUsage = critical,digitalSignature
extendedKeyUsage = $3
subjectAltName = otherName:1.3.6.1.5.2.2;SEQUENCE:name
[name]
realm = EXP:0,GeneralString:$realm
principal = EXP:1,SEQUENCE:principal
[principal]
type = EXP:0,INTEGER:$2
parts = EXP:1,SEQUENCE:parts
[parts]
$(sed 's|^|1 = GeneralString:|; s|/|\n2 = GeneralString:|' <<< "$1")
END
}
of_user() { pkinit_extensions "$1" 1 1.3.6.1.5.2.3.4; }

# The same by the names of Active Directory.
of_upn() {
    cat << END
basicConstraints = CA:FALSE
keyUsage = critical,digitalSignature
extendedKeyUsage = 1.3.6.1.4.1.311.20.2.2
subjectAltName = otherName:1.3.6.1.4.1.311.20.2.3;UTF8:$1@$realm
END
}

# For another use.
of_mail() { of_user "$1" | sed 's/^extendedKeyUsage = .*/extendedKeyUsage = emailProtection/'; }

# The settings, a database whose users have no password, and the KDC's certificate.
make_realm() {
    local user
    authority authority
    authority foreign
    expect 0 openssl req -newkey rsa:2048 -noenc -keyout kdc.key -out kdc.csr -subj /CN=KDC
    pkinit_extensions krbtgt/$realm 2 1.3.6.1.5.2.3.5 | certificate kdc.csr authority
    mv certificate.pem kdc.pem
    cat > krb5.conf << END
[libdefaults]
    default_realm = $realm
    dns_lookup_kdc = false
    dns_lookup_realm = false
    dns_canonicalize_hostname = false
    request_timeout = 3
[realms]
    $realm = {
        kdc = 127.0.0.1:$kdc_port
        pkinit_anchors = FILE:$work/authority.pem
    }
END
    kdc_settings > kdc.conf
    export KRB5_CONFIG=$work/krb5.conf KRB5_KDC_PROFILE=$work/kdc.conf
    expect 0 kdb5_util create -r $realm -s -P master
    for user in ann ben '-pwexpire 1/1/2020 old'; do
        expect 0 kadmin.local -r $realm -q "addprinc -nokey +requires_preauth $user"
    done
    unset KRB5_KDC_PROFILE
}

# kdc_settings LINE...: a KDC's, with more lines.
kdc_settings() {
    cat << END
[realms]
    $realm = {
        database_name = $work/principals
        key_stash_file = $work/stash
        acl_file = $work/acl
        pkinit_identity = FILE:$work/kdc.pem,$work/kdc.key
        pkinit_anchors = FILE:$work/authority.pem
$(printf '        %s\n' "$@")
    }
[logging]
    kdc = FILE:$work/kdc.log
END
}

# start_kdc PORT LINE...: sets $launched.
start_kdc() {
    kdc_settings "${@:2}" > "kdc-$1.conf"
    printf '%s\n' '[kdcdefaults]' "kdc_listen = 127.0.0.1:$1" "kdc_tcp_listen = 127.0.0.1:$1" >> "kdc-$1.conf"
    KRB5_KDC_PROFILE=$work/kdc-$1.conf launch krb5kdc -n > "kdc-$1.out" 2>&1
    wait_until bash -c "exec 3<> /dev/tcp/127.0.0.1/$1" || fail "the KDC does not start: $(cat "kdc-$1.out" kdc.log)"
}

# at_kdc PORT [LINE]: the client's settings for another KDC; with one more line of the realm.
at_kdc() {
    local line=${2:-}
    sed "s/:$kdc_port/:$1/; s|^ *pkinit_anchors|        ${line//&/\\&}\n&|" krb5.conf
}

# ---- kinit ----

# How often wrong PINs were presented, by the traces of tokens: VERIFY that is answered by 63 and the tries that are left.
wrong_pins() { grep -h -A 1 '^> ..20' full-trace single-trace | grep -c '^< 63' || true; }
costs() {
    local now
    now=$(wrong_pins)
    [ $((now - spent)) = "$1" ] || fail "$((now - spent)) tries instead of $1: $(cat output)"
    spent=$now
}
# logins NUMBER: how often the client has logged in, or tried to.
logins() {
    local number
    number=$(cat calls 2> /dev/null | grep -c ' C_Login ' || true)
    [ "$number" = "$1" ] || fail "$number logins instead of $1: $(grep ' C_' calls)"
}
asked() { printed "^$1" said; }
not_asked() { not_printed PIN said; }

# kinit_exits STATUS USER [CHOICE]: with a choice of token and certificate behind the module's name, and $typed at the question.
# Then "said" has what is shown, "steps" the client's trace, and "calls" its calls of the module.
kinit_exits() {
    local wanted=$1 identity=()
    [ -z "${3:-}" ] || identity=(-X "X509_user_identity=PKCS11:module_name=$module:$3")
    rm -f ticket calls steps
    KANAL_LOG=$work/calls KRB5_TRACE=$work/steps expect "$wanted" kinit "${identity[@]}" "$2" <<< "${typed-$pin}"
    cp output said
}

# The user has a ticket, by PKINIT and one login.
gets_ticket() {
    kinit_exits 0 "$@"
    printed 'Preauth module pkinit (16) (real) returned: 0/Success' steps
    expect 0 klist
    printed "^Default principal: $1@$realm\$"
    printed " krbtgt/$realm@$realm\$"
    logins 1
}

# A file has this PIN, and no question is asked.
authenticate_by() {
    rm -f pin
    printf %s "$1" > pin
    chmod 600 pin
    configure "[program $(basename "$(realpath "$(command -v kinit)")")]" "authenticator = file:$work/pin"
}

# Writes a pinentry that has the token leave before it consents.
leaving_pinentry() {
    cat > leaving << END
#!/bin/sh
cd $work
echo OK
while read -r line; do
    case \$line in
        GETPIN) printf 'D $pin\nOK\n' ;;
        CONFIRM*)
            kill $token
            timeout 20 sh -c 'while ./readers | grep -q "^card .*Virtual PCD 00 00"; do sleep 0.1; done'
            echo OK ;;
        BYE) echo OK; exit ;;
        *) echo OK ;;
    esac
done
END
    chmod 755 leaving
}

# kinit names a key that the token does not have, and nothing signs.
names_no_key() {
    printed ' C_SignInit 0x00000060 CKR_KEY_HANDLE_INVALID: CKM_RSA_PKCS: ' calls
    not_printed ' C_Sign ' calls
}

# refused MESSAGE USER CHOICE: there is a message and no ticket.
refused() {
    kinit_exits 1 "${@:2}"
    printed "^kinit: $1 while getting initial credentials\$"
    refute klist -s
}
# refused_at CALL REASON USER CHOICE: a call of the module fails. krb5 1.22 says so; before, the trace does, of a login.
refused_at() {
    if newer; then
        refused "Pre-authentication failed: PKCS11 error ($1): $2" "${@:3}"
    else
        refused "$failed" "${@:3}"
        [ "$1" != C_Login ] || printed "PKCS11 C_Login failed: $2" steps
    fi
}
newer() { dpkg --compare-versions "$(dpkg-query --show --showformat='${Version}' krb5-user)" ge 1.22; }
failed='Pre-authentication failed: Preauthentication failed'
unverified='Pre-authentication failed: Failed to verify own certificate (depth 0)'
