/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For drivers of pcscd with one reader in front of vpcd's driver, VPCD: how it is reached, the functions of a driver that such a
 * reader refuses, and the files in DIRECTORY by which a test controls it.
 */
#ifndef VPCD_H
#define VPCD_H

#include <dlfcn.h>
#include <stdio.h>

#include <ifdhandler.h>
#include <reader.h>

static struct {
    RESPONSECODE (*open)(DWORD, LPSTR);
    RESPONSECODE (*close)(DWORD);
    RESPONSECODE (*get)(DWORD, DWORD, PDWORD, PUCHAR);
    RESPONSECODE (*power)(DWORD, DWORD, PUCHAR, PDWORD);
    RESPONSECODE (*transmit)(DWORD, SCARD_IO_HEADER, PUCHAR, DWORD, PUCHAR, PDWORD, PSCARD_IO_HEADER);
    RESPONSECODE (*presence)(DWORD);
} vpcd;

/* Loads it. Whether that worked. */
static int vpcd_is_loaded(void) {
    void *driver = dlopen(VPCD, RTLD_NOW | RTLD_LOCAL);
    if (driver == NULL)
        return 0;
    vpcd.open = dlsym(driver, "IFDHCreateChannelByName");
    vpcd.close = dlsym(driver, "IFDHCloseChannel");
    vpcd.get = dlsym(driver, "IFDHGetCapabilities");
    vpcd.power = dlsym(driver, "IFDHPowerICC");
    vpcd.transmit = dlsym(driver, "IFDHTransmitToICC");
    vpcd.presence = dlsym(driver, "IFDHICCPresence");
    return 1;
}

/* A capability as vpcd's driver reports it; the reader has one slot. */
static RESPONSECODE vpcd_capability(DWORD lun, DWORD tag, PDWORD length, PUCHAR value) {
    if (tag == TAG_IFD_SLOTS_NUMBER && *length >= 1) {
        *length = 1;
        *value = 1;
        return IFD_SUCCESS;
    }
    return vpcd.get(lun, tag, length, value);
}

RESPONSECODE IFDHCreateChannel(DWORD lun, DWORD channel) {
    (void)lun, (void)channel;
    return IFD_NOT_SUPPORTED;
}

RESPONSECODE IFDHSetCapabilities(DWORD lun, DWORD tag, DWORD length, PUCHAR value) {
    (void)lun, (void)tag, (void)length, (void)value;
    return IFD_NOT_SUPPORTED;
}

RESPONSECODE IFDHSetProtocolParameters(DWORD lun, DWORD protocol, UCHAR flags, UCHAR pts1, UCHAR pts2, UCHAR pts3) {
    (void)lun, (void)protocol, (void)flags, (void)pts1, (void)pts2, (void)pts3;
    return IFD_SUCCESS;
}

/* ---- Controls ---- */

static FILE *control(const char *name, const char *mode) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", DIRECTORY, name);
    return fopen(path, mode);
}

/* The number in a control, or another without it. */
static int number(const char *name, int otherwise) {
    FILE *file = control(name, "r");
    int value = otherwise;
    if (file == NULL)
        return otherwise;
    if (fscanf(file, "%d", &value) != 1)
        value = otherwise;
    fclose(file);
    return value;
}

#endif
