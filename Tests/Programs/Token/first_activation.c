/* SPDX-License-Identifier: Apache-2.0 */
/*
 * first_activation READER PASSWORD
 *
 * The first start of an application on a machine: selects the token whose serial number ends the reader's name, in
 * decimal ("Aktiv Rutoken ECP BT 236921767"; the token itself reports it in hexadecimal), activates its secure channel if
 * that has not been done, and opens a session. Everything goes through the two lists of functions, as in a program that
 * loads the library. It is built with what is installed alone: the public header and pkg-config.
 *
 * Exit status: one of "outcome".
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rtpkcs11.h>

enum outcome {
    ACTIVATED = 0,
    NO_TOKEN = 2,
    /* A session is refused for another reason than the channel's. */
    REFUSED = 3,
    NOT_ACTIVATED = 4,
    /* A session is refused although the channel has been activated. */
    STILL_REFUSED = 5,
    FAILED = 6,
    WAS_ACTIVE = 10,
    USAGE = 64
};

enum { MOST_SLOTS = 64, RADIX_OF_TOKENS = 16, RADIX_OF_READERS = 10 };

static CK_FUNCTION_LIST_PTR standard;
static CK_FUNCTION_LIST_EXTENDED_PTR extended;

/* Shows a call; returns whether it has succeeded. */
static int succeeds(const char *call, CK_RV code) {
    printf("%s: 0x%lX\n", call, code);
    return code == CKR_OK;
}

/* The number at the end of a text, in digits of a radix; 1 if there is one. */
static int final_number(const char *text, int radix, unsigned long long *number) {
    const char *start = text + strlen(text);
    char *end;

    while (start > text && (radix == RADIX_OF_TOKENS ? isxdigit : isdigit)((unsigned char)start[-1]))
        start--;
    *number = strtoull(start, &end, radix);
    return end != start && *end == '\0';
}

static int is_named_by(const CK_TOKEN_INFO *token, const char *reader) {
    char serial[sizeof token->serialNumber + 1] = "";
    unsigned long long wanted, number;

    memcpy(serial, token->serialNumber, sizeof token->serialNumber);
    /* Blanks fill the field up. */
    serial[strcspn(serial, " ")] = '\0';
    return final_number(reader, RADIX_OF_READERS, &wanted) && final_number(serial, RADIX_OF_TOKENS, &number)
        && wanted == number;
}

/* Opens a session, and closes it again. */
static CK_RV try_kind(CK_SLOT_ID slot, CK_FLAGS kind, int *is_closed) {
    CK_SESSION_HANDLE session;
    CK_RV code = standard->C_OpenSession(slot, CKF_SERIAL_SESSION | kind, NULL, NULL, &session);

    if (succeeds("C_OpenSession", code))
        *is_closed = succeeds("C_CloseSession", standard->C_CloseSession(session)) && *is_closed;
    return code;
}

/* The same for a session for reading and one for writing: both open, or both are refused for the same reason. */
static CK_RV try_session(CK_SLOT_ID slot, int *is_closed) {
    CK_RV code;

    *is_closed = 1;
    code = try_kind(slot, CKF_RW_SESSION, is_closed);
    return try_kind(slot, 0, is_closed) == code ? code : CKR_GENERAL_ERROR;
}

/* Whether the token reports what needs no activation. */
static int tells_of_itself(CK_SLOT_ID slot) {
    CK_TOKEN_INFO_EXTENDED info = {.ulSizeofThisStructure = sizeof info};
    CK_ULONG count = 0;

    return succeeds("C_GetMechanismList", standard->C_GetMechanismList(slot, NULL, &count)) && count > 0
        && succeeds("C_EX_GetTokenInfoExtended", extended->C_EX_GetTokenInfoExtended(slot, &info));
}

static enum outcome activate(CK_SLOT_ID slot, char *password) {
    int is_closed;
    CK_RV code = try_session(slot, &is_closed);

    if (code == CKR_OK)
        return is_closed ? WAS_ACTIVE : FAILED;
    if (code != CKR_FUNCTION_NOT_SUPPORTED)
        return REFUSED;
    if (!tells_of_itself(slot))
        return FAILED;
    code = extended->C_EX_SetActivationPassword(slot, (CK_UTF8CHAR_PTR)password);
    if (!succeeds("C_EX_SetActivationPassword", code))
        return NOT_ACTIVATED;
    if (try_session(slot, &is_closed) != CKR_OK)
        return STILL_REFUSED;
    return is_closed ? ACTIVATED : FAILED;
}

static enum outcome run(const char *reader, char *password) {
    CK_SLOT_ID slots[MOST_SLOTS];
    CK_ULONG count = MOST_SLOTS, i;
    CK_TOKEN_INFO token;

    if (!succeeds("C_GetSlotList", standard->C_GetSlotList(CK_TRUE, slots, &count)))
        return FAILED;
    for (i = 0; i < count; i++)
        if (succeeds("C_GetTokenInfo", standard->C_GetTokenInfo(slots[i], &token)) && is_named_by(&token, reader))
            return activate(slots[i], password);
    return NO_TOKEN;
}

int main(int argc, char **argv) {
    enum outcome outcome;

    if (argc != 3) {
        fprintf(stderr, "usage: %s READER PASSWORD\n", argv[0]);
        return USAGE;
    }
    if (!succeeds("C_GetFunctionList", C_GetFunctionList(&standard))
        || !succeeds("C_EX_GetFunctionListExtended", C_EX_GetFunctionListExtended(&extended))
        || !succeeds("C_Initialize", standard->C_Initialize(NULL)))
        return FAILED;
    outcome = run(argv[1], argv[2]);
    return succeeds("C_Finalize", standard->C_Finalize(NULL)) ? outcome : FAILED;
}
