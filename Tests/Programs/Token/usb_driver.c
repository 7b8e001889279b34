/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usb_driver
 *
 * A driver for pcscd with one reader that holds one of two emulated tokens, both reached by vpcd's driver, VPCD. As in real
 * readers, and unlike with vpcd's driver, a token without power answers nothing: a command to it fails, from the moment at
 * which pcscd cuts its power until a reset or another connection restores it. Files in DIRECTORY are the driver's
 * controls, and each is looked for before a command:
 *
 *   virtual  The reader is a virtual one: it does not report its place, and a token that replaced another answers at
 *            once. Without the file it reports that it is the first device of the first bus on USB, and is one with its
 *            token: a command to a token that replaced it fails, until pcscd has found the first one gone.
 *   swap     A number: after as many commands the other token replaces it, and the file goes.
 *   other    The other token is there. The driver makes the file, too.
 *   leaves   A number: after as many commands the token leaves in the middle of one, which returns success and no bytes, as
 *            from vpcd's driver, and the file goes.
 *   pause    A number: after as many commands one is held back, until the file "paused" is removed. The driver makes it.
 *   absent   No token is there. The driver makes the file, too.
 *   extended A number: the reader reports that it accepts APDUs with so many bytes of data.
 *   refuses  A command of extended length does not reach the token: it is answered by 6700, or fails if there is a 1.
 */
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "vpcd.h"

/* The token that has power, 0 or 1; -1 for none. */
static int powered = -1;

static int has(const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", DIRECTORY, name);
    return access(path, F_OK) == 0;
}

static DWORD present(void) { return has("other") ? 1 : 0; }

/* Counts a control's number down. After 0 the other control replaces it. */
static void count_down(const char *name, const char *outcome) {
    char path[4096];
    int left;
    FILE *file = control(name, "r+");
    if (file == NULL)
        return;
    if (fscanf(file, "%d", &left) != 1)
        left = 0;
    rewind(file);
    if (left > 0)
        fprintf(file, "%d\n", left - 1);
    fclose(file);
    if (left > 0)
        return;
    snprintf(path, sizeof path, "%s/%s", DIRECTORY, name);
    unlink(path);
    file = control(outcome, "w");
    if (file != NULL)
        fclose(file);
}

RESPONSECODE IFDHCreateChannelByName(DWORD lun, LPSTR name) {
    if (!vpcd_is_loaded())
        return IFD_COMMUNICATION_ERROR;
    if (vpcd.open(lun, name) != IFD_SUCCESS)
        return IFD_COMMUNICATION_ERROR;
    return vpcd.open(lun | 1, name);
}

RESPONSECODE IFDHCloseChannel(DWORD lun) {
    vpcd.close(lun | 1);
    return vpcd.close(lun);
}

RESPONSECODE IFDHGetCapabilities(DWORD lun, DWORD tag, PDWORD length, PUCHAR value) {
    static const uint32_t place = 0x00200101;
    if (tag == SCARD_ATTR_CHANNEL_ID) {
        if (has("virtual"))
            return IFD_ERROR_TAG;
        *length = sizeof place;
        memcpy(value, &place, sizeof place);
        return IFD_SUCCESS;
    }
    return vpcd_capability(lun | present(), tag, length, value);
}

RESPONSECODE IFDHControl(DWORD lun, DWORD code, PUCHAR sent, DWORD count, PUCHAR reply, DWORD size, LPDWORD length) {
    /* PC/SC part 10: the list of features, each with the code by which it is asked, and the properties of the reader. */
    static const UCHAR features[] = {0x12, 4, 0x42, 0x33, 0x00, 0x12};
    uint32_t most = (uint32_t)number("extended", 0);
    UCHAR properties[] = {0x0A, 4, (UCHAR)most, (UCHAR)(most >> 8), (UCHAR)(most >> 16), (UCHAR)(most >> 24)};
    (void)lun, (void)sent, (void)count;
    *length = 0;
    if (most == 0 || size < sizeof features || (code != CM_IOCTL_GET_FEATURE_REQUEST && code != 0x42330012))
        return IFD_NOT_SUPPORTED;
    *length = sizeof features;
    memcpy(reply, code == CM_IOCTL_GET_FEATURE_REQUEST ? features : properties, sizeof features);
    return IFD_SUCCESS;
}

RESPONSECODE IFDHPowerICC(DWORD lun, DWORD action, PUCHAR atr, PDWORD length) {
    DWORD token = present();
    RESPONSECODE code = vpcd.power(lun | token, action, atr, length);
    powered = code == IFD_SUCCESS && action != IFD_POWER_DOWN ? (int)token : -1;
    return code;
}

RESPONSECODE IFDHTransmitToICC(DWORD lun, SCARD_IO_HEADER header, PUCHAR command, DWORD count, PUCHAR reply,
                               PDWORD length, PSCARD_IO_HEADER received) {
    count_down("swap", "other");
    count_down("leaves", "absent");
    count_down("pause", "paused");
    while (has("paused"))
        usleep(5000);
    if (has("absent")) {
        *length = 0;
        return IFD_SUCCESS;
    }
    if (powered < 0 || (!has("virtual") && powered != (int)present())) {
        *length = 0;
        return IFD_COMMUNICATION_ERROR;
    }
    if (has("refuses") && count > 5 && command[4] == 0) {
        *length = number("refuses", 0) ? 0 : 2;
        if (*length == 0)
            return IFD_COMMUNICATION_ERROR;
        memcpy(reply, "\x67\x00", 2);
        return IFD_SUCCESS;
    }
    return vpcd.transmit(lun | present(), header, command, count, reply, length, received);
}

RESPONSECODE IFDHICCPresence(DWORD lun) {
    DWORD token = present();
    /* vpcd accepts a token's connection only when it is asked. */
    RESPONSECODE code = vpcd.presence(lun | token);
    vpcd.presence(lun | !token);
    if (has("absent")) {
        powered = -1;
        return IFD_ICC_NOT_PRESENT;
    }
    if (!has("virtual") && powered >= 0 && powered != (int)token) {
        powered = -1;
        return IFD_ICC_NOT_PRESENT;
    }
    return code;
}
