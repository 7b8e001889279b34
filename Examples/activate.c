/* SPDX-License-Identifier: Apache-2.0 */
/*
 * activate SERIAL [PASSWORD]
 *
 * Opens a session on the token whose serial number is SERIAL, in hexadecimal. A token that is reached over Bluetooth
 * refuses the session until its secure channel has been activated with the password that came with the token; after
 * that, this computer remembers it.
 *
 * Exit status: 0 a session opens; 1 it is refused; 2 the token is absent; 3 something else failed.
 */
#include <stdio.h>
#include <string.h>

#include <rtpkcs11.h>

enum { SLOTS = 32 };

static int failed(const char *function, CK_RV code) {
    if (code != CKR_OK)
        printf("%s: 0x%lX\n", function, code);
    return code != CKR_OK;
}

/* Finds the token; 1 if it is there. Its serial number is padded with blanks. */
static int find(const char *serial, CK_SLOT_ID *slot) {
    CK_SLOT_ID slots[SLOTS];
    CK_ULONG count = SLOTS, i;
    CK_TOKEN_INFO token;
    size_t length = strlen(serial);

    if (failed("C_GetSlotList", C_GetSlotList(CK_TRUE, slots, &count)))
        return 0;
    for (i = 0; i < count; i++)
        if (C_GetTokenInfo(slots[i], &token) == CKR_OK && length < sizeof token.serialNumber
            && memcmp(token.serialNumber, serial, length) == 0 && token.serialNumber[length] == ' ') {
            *slot = slots[i];
            return 1;
        }
    return 0;
}

static CK_RV open_session(CK_SLOT_ID slot) {
    CK_SESSION_HANDLE session;
    CK_RV code = C_OpenSession(slot, CKF_SERIAL_SESSION | CKF_RW_SESSION, NULL, NULL, &session);

    switch (code) {
    case CKR_OK:
        puts("C_OpenSession: a session is open");
        return C_CloseSession(session);
    case CKR_FUNCTION_NOT_SUPPORTED:
        printf("C_OpenSession: refused with 0x%lX, the secure channel has not been activated\n", code);
        return code;
    default:
        failed("C_OpenSession", code);
        return code;
    }
}

static int run(const char *serial, const char *password) {
    CK_SLOT_ID slot;

    if (!find(serial, &slot)) {
        printf("no token %s\n", serial);
        return 2;
    }
    printf("slot: %lu\n", slot);
    if (password) {
        CK_RV code = C_EX_SetActivationPassword(slot, (CK_UTF8CHAR_PTR)password);
        if (code == CKR_SM_PASSWORD_INVALID)
            puts("C_EX_SetActivationPassword: this is not the token's password");
        else if (!failed("C_EX_SetActivationPassword", code))
            puts("C_EX_SetActivationPassword: the secure channel is active");
        if (code != CKR_OK)
            return 3;
    }
    switch (open_session(slot)) {
    case CKR_OK:
        return 0;
    case CKR_FUNCTION_NOT_SUPPORTED:
        return 1;
    default:
        return 3;
    }
}

int main(int argc, char **argv) {
    int status;

    if (argc != 2 && argc != 3) {
        fprintf(stderr, "usage: %s SERIAL [PASSWORD]\n", argv[0]);
        return 3;
    }
    if (failed("C_Initialize", C_Initialize(NULL)))
        return 3;
    status = run(argv[1], argc == 3 ? argv[2] : NULL);
    return failed("C_Finalize", C_Finalize(NULL)) ? 3 : status;
}
