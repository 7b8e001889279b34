# SPDX-License-Identifier: Apache-2.0
# A reader of pcscd by the driver Tests/Programs/Token/usb_driver.c, for files that load common, when "prepare" has run.
# Behind make_reader, pcscd is started with --config "$work/reader.conf". The reader sends a token without power no
# command, reports that it is on USB, and is a virtual one with the file controls/virtual. If can_seem_usb is true,
# seem_usb makes such a reader and a device that the kernel seems to have there.

# Whether the script is root, and "apart" has given it mounts and a pcscd of its own. The mounts of process 1 cannot be
# compared everywhere.
can_seem_usb() { [ "$(id -u)" = 0 ] && [ "${KANAL_APART:-}" = yes ] && ! ./readers > /dev/null; }

# Makes the driver, usb_driver unless $reader_driver is another, and its configuration.
make_reader() {
    local vpcd
    vpcd=$(dpkg-query --listfiles vsmartcard-vpcd | grep '/libifdvpcd\.so$')
    mkdir controls
    cc -shared -fPIC -O2 -Wall -Wextra -Werror -I/usr/include/PCSC -DDIRECTORY="\"$work/controls\"" \
        -DVPCD="\"$vpcd\"" "$root/Tests/Programs/Token/${reader_driver:-usb_driver}.c" -o driver.so -ldl
    printf 'FRIENDLYNAME "Virtual PCD"\nDEVICENAME /dev/null:0x8C7B\nLIBPATH %s\nCHANNELID 0x8C7B\n' \
        "$work/driver.so" > reader.conf
}

# The same, and a token's device.
seem_usb() {
    make_reader
    mount -t tmpfs tmpfs /sys/dev/char
    mkdir /sys/dev/char/189:0
    device "$token_features"
}

# Adds a smart card interface with these features to the first device of the first bus.
device() {
    {
        printf '\x12\x01\x00\x02\x00\x00\x00\x40\x89\x0a\x30\x00\x00\x01\x01\x02\x00\x01'
        printf '\x09\x02\x5d\x00\x01\x01\x00\xa0\x32\x09\x04\x00\x00\x02\x0b\x00\x00\x00'
        printf '\x36\x21\x00\x01\x00\x01\x02\x00\x00\x00\xfc\x0d\x00\x00\xfc\x0d\x00\x00\x00\x80\x25\x00\x00'
        printf '\x80\x25\x00\x00\x00\xfe\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00%b\x0f\x01\x00\x00' "$1"
        printf '\xff\xff\x00\x00\x00\x01\x07\x05\x02\x02\x40\x00\x00\x07\x05\x81\x02\x40\x00\x00'
    } > /sys/dev/char/189:0/descriptors
}
token_features='\x40\x08\x02\x00'
slot_features='\xb8\x04\x02\x00'
