#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Machines on which tokens do not work, because of the library, kanal.conf, directories, the clock or OpenSSL, as "kanal doctor"
# finds them; and its reading of logs.
# bats file_tags=apart
load ../common
load machines

engines=$(openssl version -e | sed 's/.*"\(.*\)"/\1/')

@test "the library is not installed" {
    mv "$library" away
    look
    [ "$(head -n 1 names)" = "error library.installed" ] || fail "not without the library: $(cat found)"
    mv away "$library"
}

@test "there is another library, of another version, or under the vendor's name" {
    cp "$library" /usr/local/lib
    finds warning library.copies "rm /usr/local/lib/libkanal-pkcs11.so"
    mended
    ln -s libkanal-pkcs11.so "$work/prefix/lib/librtpkcs11ecp.so"
    healthy
    rm "$work/prefix/lib/librtpkcs11ecp.so"
    vendors=/usr/local/lib/librtpkcs11ecp.so
    echo vendor > $vendors
    finds warning library.vendor "mv $vendors $vendors.other"
    mended
    mkdir -p "$work/prefix/lib/pkgconfig"
    echo "Version: 0.0.1" > "$work/prefix/lib/pkgconfig/kanal-pkcs11.pc"
    finds warning library.version "Install packages of one version, or in the directory of Kanal's sources: make install"
    rm "$work/prefix/lib/pkgconfig/kanal-pkcs11.pc"
}

@test "an entry of p11-kit leads nowhere, or there is none" {
    entry=/usr/share/p11-kit/modules/kanal.module
    echo "module: /gone/libkanal-pkcs11.so" > $entry
    finds error p11kit.entry "echo 'module: $library' | tee $entry"
    mended
    rm $entry
    finds warning p11kit.entry "echo 'module: $library' | tee $entry"
    mended
}

@test "an error in kanal.conf" {
    mkdir -p "${file%/*}"
    printf '\nminimum_profile = nonsense\n' > "$file"
    finds error configuration.line "editor +2 $file"
    printed "kanal.conf:2: minimum_profile" found
}

@test "a folder of key containers is missing, is empty, or others can read it" {
    mkdir -p "${file%/*}"
    mkdir -p "$work/folders/a.000"
    printf '\ncontainers = %s\n' "$work/folders" > "$file"
    chmod -R go= "$work/folders"
    finds warning containers.none "Set containers to the folder with header.key, or to a folder of such folders"
    touch "$work/folders/a.000/header.key"
    chmod 640 "$work/folders/a.000/header.key"
    finds error containers.mode "chmod -R go= $work/folders/a.000"
    mended
    rm -r "$work/folders"
    finds warning containers.missing "Create it, or remove it from containers"
}

@test "a kanal.conf that others can write, and a line of it without effect" {
    mkdir -p "${file%/*}"
    printf '\n' > "$file"
    chmod 666 "$file"
    finds error configuration.access "chmod go-w $file"
    mended
    install -D -m 644 -o nobody /dev/null /etc/kanal/kanal.conf
    finds error configuration.access "chown root /etc/kanal/kanal.conf"
    mended
    printf 'syslog = off\n' > "$file"
    finds warning configuration.effect "editor +1 $file"
    rm "$file"
}

@test "another user's HOME, and no home directory" {
    install -d -o nobody others-home
    as=(env -u XDG_CONFIG_HOME -u XDG_DATA_HOME HOME="$work/others-home")
    finds error home.foreign "export HOME=$work/home"
    as=(sh -c "$(cat remedies); exec \"\$@\"" sh)
    healthy
    rm -r nobody
    as=("${as_nobody[@]}" -u HOME)
    finds error home.missing "sudo install -d -m 700 -o $nobody -g $nobody $work/nobody"
    mended
    as=()
}

@test "a store is of another user, can be read or written by others, or is none" {
    store=$XDG_DATA_HOME/kanal/pairings
    mkdir -p "$store/tokens"
    chmod -R 700 "$store"
    chown -R nobody "$store"
    finds error store.owner "chown -R 0 $store"
    mended
    install -o nobody -m 600 /dev/null "$store/tokens/record"
    finds error store.owner "chown -R 0 $store"
    mended
    chmod 755 "$store"
    finds error store.mode "chmod -R go= $store"
    mended
    chmod 757 "${store%/*}"
    finds error store.above "chmod go-w ${store%/*}"
    mended
    chmod 1777 "${store%/*}"
    healthy
    chmod 755 "${store%/*}"
    chown nobody "${store%/*}"
    finds error store.above "chown 0 ${store%/*}"
    mended
    rm -r "$store"
    touch "$store"
    finds error store.kind "mv $store $store.other"
    mended
    as=("${as_nobody[@]}" HOME="$work/nobody")
    install -d -o root -m 755 nobody/.local
    finds error store.parent "sudo chown $nobody $work/nobody/.local"
    mended
    as=()
}

@test "a store of a group" {
    mount -t tmpfs tmpfs /var/lib
    store=/var/lib/kanal/groups/shared
    mkdir -p /etc/kanal
    echo "group = shared" > /etc/kanal/kanal.conf
    finds error store.group "install -d -m 2770 -g GROUP $store"
    install -d /var/lib/kanal /var/lib/kanal/groups
    install -d -m 755 -g daemon "$store"
    finds error store.mode "chmod 2770 $store"
    mended
    as=("${as_nobody[@]}" HOME="$work/nobody")
    finds error store.group "sudo gpasswd -a nobody daemon"
    printed "is not a member of group daemon" found
    detach
    insert bt bt
    printf '%s\n' "$password" > password
    chmod 644 password
    expect 10 "${as[@]}" "$kanal" pair --password-source file:password
    printed "user nobody is not a member of group daemon.*Remedy: sudo gpasswd -a nobody daemon"
    detach
    attach usb usb
    as=("${as_nobody[@]/--clear-groups/--groups=$(id -g daemon)}" HOME="$work/nobody")
    healthy
    as=()
    rm /etc/kanal/kanal.conf
    umount /var/lib
}

@test "a disk is full, or read-only" {
    mkdir full
    mount -t tmpfs -o size=256k tmpfs full
    as=(env XDG_DATA_HOME="$work/full")
    dd if=/dev/zero of=full/filling bs=4k > dd.log 2>&1 || true
    finds error store.full "Delete files below $work/full that are not needed"
    rm full/filling
    healthy
    mount -o remount,ro full
    finds error store.readonly "mount -o remount,rw $work/full"
    mended
    umount full
    as=()
}

@test "a clock in 1970" {
    echo '#include <time.h>
time_t time(time_t *result) { return result ? *result = 86400 : 86400; }' > clock.c
    cc -shared -fPIC clock.c -o clock.so
    as=(env LD_PRELOAD="$work/clock.so")
    if [ -e /sys/class/rtc/rtc0/since_epoch ]; then
        finds error clock.drift "hwclock --hctosys"
    else
        finds error clock.wrong "Set the clock, as root: date -s 'YYYY-MM-DD hh:mm:ss'"
    fi
    as=()
}

@test "OpenSSL is without its engine for GOST" {
    mount -t tmpfs tmpfs "$engines"
    finds warning openssl.gost "apt-get install libengine-gost-openssl"
    # A system that has no package of it.
    cp /etc/os-release os-release
    rm /etc/os-release
    printf 'NAME="Debian"\nID=debian\nVERSION_ID="13"\n' > /etc/os-release
    finds warning openssl.gost "Install libengine-gost-openssl of the next Debian release or kanal-openssl-provider, or verify with kanal verify"
    printed 'of which Debian 13 has no package' found
    printf 'ID=fedora\nVERSION_ID=41\n' > /etc/os-release
    finds warning openssl.gost "Install kanal-openssl-provider, or verify with kanal verify"
    printf 'ID=fedora\nVERSION_ID=40\n' > /etc/os-release
    finds warning openssl.gost "dnf install openssl-gost-engine"
    cp os-release /etc/os-release
    umount "$engines"
    healthy
}

@test "OpenSSL's provider kanal: its settings, and what they name" {
    mkdir modules
    cp "$root/Packaging/kanal-provider.cnf" provider.cnf
    as=(env OPENSSL_CONF="$work/provider.cnf" OPENSSL_MODULES="$work/modules")
    finds error openssl.provider "Install kanal-openssl-provider, or remove kanal from [providers] of $work/provider.cnf"
    touch modules/kanal.so
    healthy
    sed -i '/^default = /d' provider.cnf
    finds error openssl.default "In $work/provider.cnf add to [providers]: default = default_provider, and a section [default_provider] with: activate = 1"
    sed -i 's/^\[providers\]/&\ndefault = default_provider/' provider.cnf
    sed -i '/^\[default_provider\]/,/^$/s/^activate = 1/activate = 0/' provider.cnf
    finds error openssl.default "In $work/provider.cnf add to [providers]: default = default_provider, and a section [default_provider] with: activate = 1"
    sed -i 's/^activate = 0/activate = 1/' provider.cnf
    healthy
    sed -i 's|^#MODULE_PATH.*|MODULE_PATH = /nowhere.so|' provider.cnf
    finds error openssl.provider "In $work/provider.cnf correct MODULE_PATH, or remove it, for libkanal-pkcs11.so is found without it"
    sed -i /^MODULE_PATH/d provider.cnf
    # With the provider the engine is not missed.
    mount -t tmpfs tmpfs "$engines"
    healthy
    umount "$engines"
    as=()
}

@test "OpenSSL is without its library" {
    mkdir hidden
    touch hidden/libcrypto.so.{3,4}
    as=(env LD_LIBRARY_PATH="$work/hidden")
    finds error openssl.library "apt-get install libssl3"
    as=()
    healthy
}

@test "OpenSSL 4 is alone" {
    # OpenSSL 4 alone: the third is where the command finds it, and no other program.
    libraries=$(dirname "$(realpath "$(ldconfig -p | sed -n 's/.*libcrypto\.so\.3 .*=> //p' | head -n 1)")")
    mkdir third layers
    cp "$libraries"/libcrypto.so.3 third
    mount -t tmpfs tmpfs layers
    mkdir layers/upper layers/work
    mount -t overlay overlay -o "lowerdir=$libraries,upperdir=layers/upper,workdir=layers/work" "$libraries"
    as=(env LD_LIBRARY_PATH="$work/third")
    healthy
    mv "$libraries/libcrypto.so.3" "$libraries/libcrypto.so.4"
    finds warning openssl.engines "Install kanal-openssl-provider and take over the lines of kanal-provider.cnf, or verify with kanal verify"
    umount --lazy "$libraries"
    umount layers
    as=()
    healthy
}

@test "OpenSSL's engine pkcs11 of Debian 12 finds no RSA key beside a GOST key" {
    cp "$engines/gost.so" .
    mount -t tmpfs tmpfs "$engines"
    cp gost.so "$engines"
    echo secret > secret
    import() {
        base64 -d "$root/Tests/Unit/KanalCommandTests/Files/$1.pfx.txt" > "$1.pfx"
        expect 0 "$kanal" key import "$1.pfx" --password-source file:secret --pin-source file:own
    }
    import ann
    healthy
    touch "$engines/pkcs11.so"
    healthy
    import ben
    remedy='In /etc/kanal/kanal.conf add, for each program that uses it: [program NAME], and below hide_keys = gost'
    finds warning openssl.keys "$remedy"
    printed "the token $serial has" found
    mkdir -p /etc/kanal
    printf '[program nginx]\nhide_keys = gost\n' > /etc/kanal/kanal.conf
    healthy
    # ssh has a default, which this line overrides.
    printf '[program nginx]\nhide_gost_keys = on\n[program ssh-keygen]\nhide_keys =\n' > /etc/kanal/kanal.conf
    finds warning programs.keys 'In /etc/kanal/kanal.conf add: [program ssh-keygen], and below hide_keys = gost, other-curves'
    rm -r /etc/kanal
    # The user's file overrides the administrators', but not for programs of PAM, which run for others.
    mkdir -p "${file%/*}"
    echo 'hide_keys =' > "$file"
    look
    grep -qxF "In $file add: [program ssh-keygen], and below hide_keys = gost, other-curves" remedies || fail "not ssh-keygen: $(cat found)"
    not_printed '\[program su' found
    rm "$file"
    mkdir /etc/kanal
    echo 'hide_keys =' > /etc/kanal/kanal.conf
    look
    grep -qxF 'In /etc/kanal/kanal.conf add: [program su], and below hide_keys = gost' remedies || fail "not su: $(cat found)"
    rm -r /etc/kanal
    umount "$engines"
    for name in ann ben; do
        expect 0 "$kanal" key delete $name --yes --pin-source file:own
        expect 0 "$kanal" cert delete $name --yes --pin-source file:own
    done
}

@test "settings of Kerberos, wpa_supplicant and SSSD use a token in another way than was meant" {
    printf '[libdefaults]\n pkinit_identities = PKCS11:module_name=x.so:slotid=0x1:token=a\n' > /etc/krb5.conf
    finds warning programs.kerberos "editor +2 /etc/krb5.conf"
    printf '[libdefaults]\n pkinit_identities = PKCS11:module_name=x.so:slotid=1:token=a\n' > /etc/krb5.conf
    healthy
    mkdir -p /etc/wpa_supplicant
    printf 'network={\n    pin=87654321\n}\n' > /etc/wpa_supplicant/home.conf
    finds warning programs.wpa-supplicant "editor +2 /etc/wpa_supplicant/home.conf"
    not_printed 87654321 found
    for right in '"87654321"' 'P"87654321"' 3837363534333231; do
        printf 'network={\n    pin=%s\n}\n' "$right" > /etc/wpa_supplicant/home.conf
        healthy
    done
    # Copies that no program reads.
    mkdir -p /etc/krb5.conf.d
    for name in old~ kanal.conf.dpkg-dist; do
        printf '[libdefaults]\n pkinit_identities = PKCS11:module_name=x.so:slotid=0x1:token=a\n' > "/etc/krb5.conf.d/$name"
    done
    healthy
    for name in kanal kanal.conf; do
        mv /etc/krb5.conf.d/old~ "/etc/krb5.conf.d/$name"
        finds warning programs.kerberos "editor +2 /etc/krb5.conf.d/$name"
        mv "/etc/krb5.conf.d/$name" /etc/krb5.conf.d/old~
    done
    rm -r /etc/krb5.conf.d
    mkdir -p /etc/sssd /etc/kanal
    printf '[pam]\npam_cert_auth = True\n' > /etc/sssd/sssd.conf
    healthy
    echo "authenticator = pinentry" > /etc/kanal/kanal.conf
    finds warning programs.sssd "In /etc/kanal/kanal.conf add: [program p11_child], and below an empty authenticator ="
    printf '[program p11_child]\nauthenticator =\n' >> /etc/kanal/kanal.conf
    healthy
    touch /usr/share/p11-kit/modules/opensc-pkcs11.module
    finds warning programs.sssd "In /etc/sssd/sssd.conf, section [pam], add: p11_uri = pkcs11:library-manufacturer=Kanal"
    echo 'p11_uri = pkcs11:library-manufacturer=Kanal' >> /etc/sssd/sssd.conf
    healthy
    rm /usr/share/p11-kit/modules/opensc-pkcs11.module
    rm -r /etc/krb5.conf /etc/wpa_supplicant /etc/sssd /etc/kanal
}

@test "a volume of crypttab is opened before pcscd listens, or by a target that is disabled" {
    printf 'vault UUID=1 - pkcs11-uri=auto\n' > /etc/crypttab
    finds warning programs.crypttab "Add _netdev to the options of the volume vault in /etc/crypttab"
    printf 'vault UUID=1 - pkcs11-uri=auto,_netdev\nother UUID=2 none luks\n' > /etc/crypttab
    rm -f /etc/systemd/system/*.wants/remote-cryptsetup.target
    finds warning programs.crypttab "systemctl enable remote-cryptsetup.target"
    mkdir -p /etc/systemd/system/multi-user.target.wants
    touch /etc/systemd/system/multi-user.target.wants/remote-cryptsetup.target
    healthy
    printf 'vault UUID=1 - pkcs11-uri=auto,noauto\n' > /etc/crypttab
    rm /etc/systemd/system/multi-user.target.wants/remote-cryptsetup.target
    healthy
    rm /etc/crypttab
}

@test "a key has no certificate, or it expired, or expires soon" {
    request="kanal cert request --token $serial --key"
    rest="--output request.pem"
    expect 0 "$kanal" key generate --kind rsa2048 --label mine --pin-source file:own
    finds warning key.without-certificate \
        "Ask an authority for one: $request 01 $rest. Then import it: kanal cert import FILE --token $serial"
    expect 0 "$kanal" cert request --subject CN=Ann --output request.pem --pin-source file:own
    openssl req -x509 -newkey rsa:2048 -nodes -keyout authority.key -out root.pem -subj /CN=Authority -days 90 2> /dev/null
    # certified DAYS: the certificate of the key, which is valid for so long.
    certified() {
        openssl x509 -req -in request.pem -CA root.pem -CAkey authority.key -CAcreateserial -days "$1" -out certificate.pem \
            2> /dev/null
        expect 0 "$kanal" cert import --pin-source file:own certificate.pem
    }
    certified -1
    finds warning certificate.expired "Ask an authority for a new one: $request 01 $rest"
    echo text > text
    expect 1 "$kanal" sign --cms --pin-source file:own text
    [ ! -e text.p7m ] || fail "it was signed with an expired certificate"
    expect 0 "$kanal" sign --cms --expired --pin-source file:own text
    certified 20
    finds warning certificate.expires-soon "Ask an authority for a new one: $request 01 $rest"
    certified 60
    healthy
    expect 0 "$kanal" key delete mine --yes --pin-source file:own
}

@test "the last try of a PIN is left, or none" {
    echo 00000000 > wrong
    for _ in {1..9}; do expect 4 "$kanal" label x --pin-source file:wrong; done
    finds warning pin.last-try "Make sure of the PIN before you type it: the right one restores all tries, a wrong one locks it"
    "$kanal" label x --pin-source file:wrong 2> /dev/null && fail "a wrong PIN is accepted"
    finds error pin.locked "Have the security officer unblock it: kanal pin unblock --token $serial"
    echo 87654321 > officer
    expect 0 "$kanal" pin unblock --pin-source file:officer
    healthy
}

# explained NAME REMEDY PROGRAM...: runs a program and finds this among the meanings of its log.
explained() {
    rm -f log
    KANAL_LOG=$work/log "${@:3}" > output 2>&1 || true
    look --log log
    printed "log.$1\$" names
    grep -qxF "$2" remedies || fail "the log's $1 has another remedy: $(cat found)"
}

@test "the log of a program means what it ran into" {
    # A service that hangs up on its clients.
    cat > refuse.py << 'PROGRAM'
import socket
listener = socket.socket(socket.AF_UNIX)
listener.bind("refusing")
listener.listen()
while True:
    listener.accept()[0].close()
PROGRAM
    launch timeout 300 python3 refuse.py
    wait_until test -S refusing

    tool=(timeout 60 pkcs11-tool --module "$module")
    explained pin "Give the program the right PIN: each wrong PIN uses up a try" "${tool[@]}" --login --pin 00000000 -O
    explained service pcscd env PCSCLITE_CSOCK_NAME="$work/missing" "${tool[@]}" -L
    explained service-refuses "Run kanal doctor as the user of that program, in the same session or service" \
        env PCSCLITE_CSOCK_NAME="$work/refusing" "${tool[@]}" -L
    holder scdaemon
    explained held "kanal doctor" "${tool[@]}" -L
    let_go
    echo "unknown = 1" > "$file"
    explained configuration "kanal doctor" "${tool[@]}" -O
    rm "$file"
    detach
    attach bt bt
    explained activation "kanal pair" "${tool[@]}" -O
    store=$XDG_DATA_HOME/kanal/pairings
    mkdir -p "$store"
    chmod 755 "$store"
    explained store "Run kanal doctor as the user of that program" "${tool[@]}" -O
}

@test "each identifier of a log is explained, and nothing else" {
    # Each identifier has the finding that docs/Messages.md names. Words alone mean nothing, nor does what others write.
    sed -n 's/^| `\([a-z.-]*\)` | .* | `\(log[a-z.-]*\)` | .*/\1 \2/p' "$root/docs/Messages.md" > identifiers
    [ "$(wc -l < identifiers)" -gt 40 ] || fail "the page lists no identifiers"
    while read -r id finding; do
        echo "2026-01-01T00:00:00.000000Z [1] warning: [$id] words" > log
        look --log log
        printed " $finding\$" names
        printed "\"message\" *: *\"$id\"" found
    done < identifiers
    words='possible attack: a reply in the secure channel has a wrong MAC'
    for line in "2026-01-01T00:00:00.000000Z [1] warning: $words" "[attack.wrong-mac] $words" \
        "2026-01-01T00:00:00.000000Z [1] warning: [attack.unheard-of] $words" \
        "2026-01-01T00:00:00.000000Z [1] notice: asked the user: [attack.wrong-mac] $words"; do
        echo "$line" > log
        look --log log
        [ ! -s names ] || fail "a finding for: $line"
    done
}

@test "a refusal in a log that is not known" {
    line='2026-01-01T00:00:00.000000Z [1] debug: [call.refused] C_Any 0x00000005 CKR_GENERAL_ERROR'
    printf '%s: odd\e[2J\n\e[2J\n%s: even\n%s: odd\e[2J\n' "$line" "$line" "$line" > log
    look --log log
    [ "$(sort names | uniq -c | xargs)" = "2 warning log.refusal" ] || fail "other refusals: $(cat found)"
    expect 0 "$kanal" doctor --log log
    printed 'line 1, 2 times until line 4: a call of the program was refused ("\[call.refused\] C_Any 0x00000005 CKR_GENERAL_ERROR: odd'
    not_printed $'\e'
    expect 1 "$kanal" doctor --log missing
    printed "the log missing cannot be read"
}
