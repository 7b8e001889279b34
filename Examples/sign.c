/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sign SERIAL
 *
 * Signs files with the first key of GOST R 34.10-2012 with 256 bits on the token whose serial number is SERIAL, in
 * hexadecimal. The first line of standard input is the PIN, each further line the name of a file, whose signature goes into
 * FILE.sig: s, then r, each big-endian, verified by the token's public key. A token that is taken out is waited for, and the
 * work goes on.
 *
 * Exit status: 0 all files are signed; 1 the PIN is wrong or has no tries left; 2 something else failed.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <rtpkcs11.h>

enum { SLOTS = 32, SIGNATURE = 64, PIN = 256, NAME = 4096, PIECE = 65536, SECONDS = 60 };

typedef struct {
    CK_SESSION_HANDLE session;
    CK_OBJECT_HANDLE private_key, public_key;
} Work;

/* Finds the token. Its serial number is padded with blanks. */
static CK_RV find(const char *serial, CK_SLOT_ID *slot) {
    CK_SLOT_ID slots[SLOTS];
    CK_ULONG count = SLOTS, i;
    CK_TOKEN_INFO token;
    size_t length = strlen(serial);
    CK_RV code = C_GetSlotList(CK_TRUE, slots, &count);

    if (code != CKR_OK)
        return code;
    for (i = 0; i < count; i++)
        if (C_GetTokenInfo(slots[i], &token) == CKR_OK && length < sizeof token.serialNumber
            && memcmp(token.serialNumber, serial, length) == 0 && token.serialNumber[length] == ' ') {
            *slot = slots[i];
            return CKR_OK;
        }
    return CKR_TOKEN_NOT_PRESENT;
}

/* The number of tries that the PIN has left. The query spends none. */
static unsigned long tries_left(CK_SLOT_ID slot) {
    CK_TOKEN_INFO_EXTENDED info;

    memset(&info, 0, sizeof info);
    info.ulSizeofThisStructure = sizeof info;
    return C_EX_GetTokenInfoExtended(slot, &info) == CKR_OK ? info.ulUserRetryCountLeft : 0;
}

/* Finds the first object of a class with a key of 256 bits, and with an identifier unless its length is 0. */
static CK_RV find_key(
    CK_SESSION_HANDLE session, CK_OBJECT_CLASS object_class, CK_BYTE *identifier, CK_ULONG length, CK_OBJECT_HANDLE *key) {
    CK_KEY_TYPE type = CKK_GOSTR3410;
    CK_ATTRIBUTE query[] = {
        {CKA_CLASS, NULL, sizeof object_class}, {CKA_KEY_TYPE, NULL, sizeof type}, {CKA_ID, NULL, length}};
    CK_ULONG count = 0;
    CK_RV code, end;

    query[0].pValue = &object_class;
    query[1].pValue = &type;
    query[2].pValue = identifier;
    code = C_FindObjectsInit(session, query, length ? 3 : 2);
    if (code != CKR_OK)
        return code;
    code = C_FindObjects(session, key, 1, &count);
    end = C_FindObjectsFinal(session);
    if (code != CKR_OK || end != CKR_OK)
        return code != CKR_OK ? code : end;
    return count == 1 ? CKR_OK : CKR_KEY_HANDLE_INVALID;
}

/* Opens a session, logs in and finds the pair. Handles do not outlive the token's absence. */
static CK_RV begin(const char *serial, CK_UTF8CHAR *pin, Work *work) {
    CK_BYTE identifier[256];
    CK_ATTRIBUTE attribute = {CKA_ID, NULL, sizeof identifier};
    CK_SLOT_ID slot;
    CK_RV code = find(serial, &slot);

    if (code == CKR_OK)
        code = C_OpenSession(slot, CKF_SERIAL_SESSION, NULL, NULL, &work->session);
    if (code != CKR_OK)
        return code;
    code = C_Login(work->session, CKU_USER, pin, (CK_ULONG)strlen((char *)pin));
    if (code == CKR_PIN_INCORRECT || code == CKR_PIN_LOCKED || code == CKR_PIN_LEN_RANGE)
        fprintf(stderr, "the PIN was not accepted; tries left: %lu\n", tries_left(slot));
    if (code != CKR_OK && code != CKR_USER_ALREADY_LOGGED_IN)
        return code;
    code = find_key(work->session, CKO_PRIVATE_KEY, NULL, 0, &work->private_key);
    attribute.pValue = identifier;
    if (code == CKR_OK)
        code = C_GetAttributeValue(work->session, work->private_key, &attribute, 1);
    if (code == CKR_OK)
        code = find_key(work->session, CKO_PUBLIC_KEY, identifier, attribute.ulValueLen, &work->public_key);
    return code;
}

/* Signs or verifies a file, piece by piece. */
static CK_RV pass(const Work *work, FILE *file, CK_BYTE *signature, CK_ULONG *length, int verifies) {
    static CK_BYTE piece[PIECE];
    CK_MECHANISM mechanism = {CKM_GOSTR3410_WITH_GOSTR3411_12_256, NULL, 0};
    CK_SESSION_HANDLE session = work->session;
    size_t count;
    CK_RV code =
        verifies ? C_VerifyInit(session, &mechanism, work->public_key) : C_SignInit(session, &mechanism, work->private_key);

    rewind(file);
    while (code == CKR_OK && (count = fread(piece, 1, sizeof piece, file)) > 0)
        code = verifies ? C_VerifyUpdate(session, piece, (CK_ULONG)count) : C_SignUpdate(session, piece, (CK_ULONG)count);
    if (code != CKR_OK)
        return code;
    if (ferror(file))
        return CKR_FUNCTION_FAILED;
    return verifies ? C_VerifyFinal(session, signature, *length) : C_SignFinal(session, signature, length);
}

static CK_RV sign(const Work *work, const char *name) {
    CK_BYTE signature[SIGNATURE];
    CK_ULONG length = sizeof signature;
    char result[NAME + sizeof ".sig"];
    FILE *file = fopen(name, "rb");
    CK_RV code;

    if (!file)
        return CKR_FUNCTION_FAILED;
    code = pass(work, file, signature, &length, 0);
    if (code == CKR_OK)
        code = pass(work, file, signature, &length, 1);
    fclose(file);
    if (code != CKR_OK)
        return code;
    snprintf(result, sizeof result, "%s.sig", name);
    file = fopen(result, "wb");
    if (!file)
        return CKR_FUNCTION_FAILED;
    code = fwrite(signature, 1, length, file) == length ? CKR_OK : CKR_FUNCTION_FAILED;
    return fclose(file) == 0 ? code : CKR_FUNCTION_FAILED;
}

/* Whether the token, and with it the session, went away. */
static int is_absence(CK_RV code) {
    return code == CKR_DEVICE_REMOVED || code == CKR_TOKEN_NOT_PRESENT || code == CKR_SESSION_HANDLE_INVALID
        || code == CKR_OBJECT_HANDLE_INVALID || code == CKR_KEY_HANDLE_INVALID || code == CKR_USER_NOT_LOGGED_IN;
}

/* Signs a file; a token that is away is looked for once a second. The PIN is presented once for each return. */
static CK_RV sign_across_absence(const char *serial, CK_UTF8CHAR *pin, Work *work, const char *name) {
    CK_RV code = work->session == CK_INVALID_HANDLE ? begin(serial, pin, work) : CKR_OK;
    int seconds;

    if (code == CKR_OK)
        code = sign(work, name);
    for (seconds = 0; is_absence(code) && seconds < SECONDS; seconds++) {
        if (seconds == 0) {
            fprintf(stderr, "put the token %s in\n", serial);
            C_CloseSession(work->session);
            work->session = CK_INVALID_HANDLE;
        }
        sleep(1);
        code = begin(serial, pin, work);
        if (code == CKR_OK)
            code = sign(work, name);
    }
    return code;
}

/* Reads a line without its end; 0 at the end of the input, or if the line does not fit. */
static int read_line(char *line, int size) {
    size_t length;

    if (!fgets(line, size, stdin))
        return 0;
    length = strcspn(line, "\r\n");
    if (line[length] == 0 && length == (size_t)size - 1)
        return 0;
    line[length] = 0;
    return 1;
}

int main(int argc, char **argv) {
    char pin[PIN], name[NAME];
    Work work = {CK_INVALID_HANDLE, 0, 0};
    CK_RV code;

    if (argc != 2 || !read_line(pin, sizeof pin)) {
        fprintf(stderr, "usage: %s SERIAL, with the PIN and the names of files on standard input\n", argv[0]);
        return 2;
    }
    code = C_Initialize(NULL);
    while (code == CKR_OK && read_line(name, sizeof name)) {
        code = sign_across_absence(argv[1], (CK_UTF8CHAR *)pin, &work, name);
        if (code == CKR_OK) {
            printf("%s.sig\n", name);
            fflush(stdout);
        } else
            fprintf(stderr, "%s: 0x%lX\n", name, code);
    }
    explicit_bzero(pin, sizeof pin);
    C_Finalize(NULL);
    if (code == CKR_PIN_INCORRECT || code == CKR_PIN_LOCKED || code == CKR_PIN_LEN_RANGE)
        return 1;
    return code == CKR_OK ? 0 : 2;
}
