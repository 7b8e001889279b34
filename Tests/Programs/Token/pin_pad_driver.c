/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pin_pad_driver
 *
 * A driver for pcscd with one reader that has a PIN pad, with a token that is reached by vpcd's driver, VPCD. It types what a
 * user would (PC/SC part 10, FEATURE_VERIFY_PIN_DIRECT and FEATURE_MODIFY_PIN_DIRECT), and sends the completed command to the
 * token. Files in DIRECTORY are the driver's controls, and each is looked for when it is needed:
 *
 *   none       The reader does not have the two features.
 *   typed      The lines that the user types, one for each PIN: a new one has two. A line of "cancel" is the key of that
 *              name, and an empty file is a user who types nothing. The driver takes the lines away.
 *   least,     Numbers: the reader's limits of a PIN's length, in FEATURE_GET_TLV_PROPERTIES. Without them it has none.
 *   most
 *   requests   The driver appends a line for each request: the feature, and the structure in hexadecimal digits.
 */
#include <stdint.h>
#include <string.h>

#include "vpcd.h"

enum { VERIFY = 0x42330006, MODIFY = 0x42330007, PROPERTIES = 0x42330012, LONGEST = 64 };

/* Whether the user types one more line, which leaves the control. */
static int typed(char line[LONGEST]) {
    char rest[1024];
    FILE *file = control("typed", "r");
    size_t count;
    if (file == NULL)
        return 0;
    if (fgets(line, LONGEST, file) == NULL) {
        fclose(file);
        return 0;
    }
    count = fread(rest, 1, sizeof rest, file);
    fclose(file);
    file = control("typed", "w");
    if (file == NULL)
        return 0;
    fwrite(rest, 1, count, file);
    fclose(file);
    line[strcspn(line, "\n")] = 0;
    return 1;
}

static void note(const char *feature, const UCHAR *bytes, DWORD count) {
    FILE *file = control("requests", "a");
    DWORD index;
    if (file == NULL)
        return;
    fprintf(file, "%s ", feature);
    for (index = 0; index < count; index++)
        fprintf(file, "%02x", bytes[index]);
    fprintf(file, "\n");
    fclose(file);
}

static RESPONSECODE answer(PUCHAR reply, DWORD size, LPDWORD length, UCHAR sw1, UCHAR sw2) {
    if (size < 2)
        return IFD_COMMUNICATION_ERROR;
    reply[0] = sw1, reply[1] = sw2;
    *length = 2;
    return IFD_SUCCESS;
}

/* Types as often as wanted, and sends the command. The fields are the structure's: the bytes of the PIN's greatest and least
 * length, the size of its block, or 0 for as many bytes as were typed, and the place of the block in the data. */
static RESPONSECODE type(DWORD lun, int times, UCHAR most, UCHAR least, UCHAR size, UCHAR place, const UCHAR *apdu,
                         uint32_t count, PUCHAR reply, DWORD space, LPDWORD length) {
    SCARD_IO_HEADER header = {1, sizeof header}, received = {1, sizeof received};
    char pin[LONGEST], again[LONGEST];
    UCHAR command[5 + 255], answered[258];
    size_t digits;
    DWORD answered_count = sizeof answered;
    RESPONSECODE code;
    if (!typed(pin))
        return answer(reply, space, length, 0x64, 0x00);
    if (strcmp(pin, "cancel") == 0)
        return answer(reply, space, length, 0x64, 0x01);
    digits = strlen(pin);
    if (digits < least || digits > most)
        return answer(reply, space, length, 0x64, 0x03);
    if (times == 2) {
        if (!typed(again))
            return answer(reply, space, length, 0x64, 0x00);
        if (strcmp(pin, again) != 0)
            return answer(reply, space, length, 0x64, 0x02);
    }
    if (count < 5 || count > sizeof command || (size != 0 && digits > size) || count - 5u < (size_t)place + size)
        return answer(reply, space, length, 0x6B, 0x80);
    memcpy(command, apdu, count);
    memcpy(command + 5 + place, pin, digits);
    if (size == 0) {
        command[4] = (UCHAR)(place + digits);
        count = 5 + command[4];
    }
    code = vpcd.transmit(lun, header, command, count, answered, &answered_count, &received);
    memset(pin, 0, sizeof pin);
    if (code != IFD_SUCCESS || answered_count != 2)
        return IFD_COMMUNICATION_ERROR;
    return answer(reply, space, length, answered[0], answered[1]);
}

RESPONSECODE IFDHCreateChannelByName(DWORD lun, LPSTR name) {
    if (!vpcd_is_loaded())
        return IFD_COMMUNICATION_ERROR;
    return vpcd.open(lun, name);
}

RESPONSECODE IFDHCloseChannel(DWORD lun) { return vpcd.close(lun); }

RESPONSECODE IFDHGetCapabilities(DWORD lun, DWORD tag, PDWORD length, PUCHAR value) {
    return vpcd_capability(lun, tag, length, value);
}

RESPONSECODE IFDHControl(DWORD lun, DWORD code, PUCHAR sent, DWORD count, PUCHAR reply, DWORD size, LPDWORD length) {
    static const UCHAR features[] = {0x06, 4, 0x42, 0x33, 0x00, 0x06, 0x07, 4, 0x42,
                                     0x33, 0x00, 0x07, 0x12, 4, 0x42, 0x33, 0x00, 0x12};
    UCHAR properties[] = {0x06, 1, (UCHAR)number("least", 0), 0x07, 1, (UCHAR)number("most", 0)};
    FILE *none = control("none", "r");
    *length = 0;
    if (none != NULL) {
        fclose(none);
        return IFD_NOT_SUPPORTED;
    }
    if (code == CM_IOCTL_GET_FEATURE_REQUEST && size >= sizeof features) {
        memcpy(reply, features, *length = sizeof features);
        return IFD_SUCCESS;
    }
    if (code == PROPERTIES && size >= sizeof properties) {
        memcpy(reply, properties, *length = sizeof properties);
        return IFD_SUCCESS;
    }
    if (code == VERIFY && count > sizeof(PIN_VERIFY_STRUCTURE)) {
        const PIN_VERIFY_STRUCTURE *request = (const PIN_VERIFY_STRUCTURE *)sent;
        note("verify", sent, count);
        if (request->ulDataLength != count - sizeof *request || request->bmFormatString != 0x82)
            return answer(reply, size, length, 0x6B, 0x80);
        return type(lun, 1, request->wPINMaxExtraDigit & 0xFF, (UCHAR)(request->wPINMaxExtraDigit >> 8),
                    request->bmPINBlockString & 0x0F, 0, request->abData, request->ulDataLength, reply, size, length);
    }
    if (code == MODIFY && count > sizeof(PIN_MODIFY_STRUCTURE)) {
        const PIN_MODIFY_STRUCTURE *request = (const PIN_MODIFY_STRUCTURE *)sent;
        note("modify", sent, count);
        if (request->ulDataLength != count - sizeof *request || request->bmFormatString != 0x82 ||
            request->bConfirmPIN != 0x01)
            return answer(reply, size, length, 0x6B, 0x80);
        return type(lun, 2, request->wPINMaxExtraDigit & 0xFF, (UCHAR)(request->wPINMaxExtraDigit >> 8),
                    request->bmPINBlockString & 0x0F, request->bInsertionOffsetNew, request->abData,
                    request->ulDataLength, reply, size, length);
    }
    return IFD_NOT_SUPPORTED;
}

RESPONSECODE IFDHPowerICC(DWORD lun, DWORD action, PUCHAR atr, PDWORD length) {
    return vpcd.power(lun, action, atr, length);
}

RESPONSECODE IFDHTransmitToICC(DWORD lun, SCARD_IO_HEADER header, PUCHAR command, DWORD count, PUCHAR reply,
                               PDWORD length, PSCARD_IO_HEADER received) {
    return vpcd.transmit(lun, header, command, count, reply, length, received);
}

RESPONSECODE IFDHICCPresence(DWORD lun) { return vpcd.presence(lun); }
