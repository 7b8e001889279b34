/* SPDX-License-Identifier: Apache-2.0 */
/*
 * public_key SLOT ID
 *
 * Writes the public key whose CKA_ID is the one byte ID, in hexadecimal, as a SubjectPublicKeyInfo in DER: the form in
 * which other programs take it (RFC 9215, 4). The key is one of GOST R 34.10-2012 with 256 bits.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rtpkcs11.h>

enum { KEY = 64, PARAMETERS = 16 };

static int failed(const char *function, CK_RV code) {
    if (code != CKR_OK)
        fprintf(stderr, "%s: 0x%lX\n", function, code);
    return code != CKR_OK;
}

static int find(CK_SESSION_HANDLE session, CK_BYTE id, CK_OBJECT_HANDLE *key) {
    CK_OBJECT_CLASS objectClass = CKO_PUBLIC_KEY;
    CK_ATTRIBUTE query[] = {{CKA_CLASS, &objectClass, sizeof objectClass}, {CKA_ID, &id, 1}};
    CK_ULONG count = 0;

    if (failed("C_FindObjectsInit", C_FindObjectsInit(session, query, 2))
        || failed("C_FindObjects", C_FindObjects(session, key, 1, &count))
        || failed("C_FindObjectsFinal", C_FindObjectsFinal(session)))
        return 0;
    if (count != 1)
        fprintf(stderr, "no public key %02X\n", id);
    return count == 1;
}

/* Puts tag and length in front of the length bytes at buffer + 2; all lengths here fit in one byte. */
static size_t wrap(CK_BYTE *buffer, CK_BYTE tag, size_t length) {
    buffer[0] = tag;
    buffer[1] = (CK_BYTE)length;
    return length + 2;
}

static size_t append(CK_BYTE *buffer, const void *bytes, size_t length) {
    memcpy(buffer, bytes, length);
    return length;
}

static int write_key(CK_SESSION_HANDLE session, CK_OBJECT_HANDLE key) {
    static const CK_BYTE algorithm[] = {0x06, 0x08, 0x2A, 0x85, 0x03, 0x07, 0x01, 0x01, 0x01, 0x01};
    CK_BYTE point[KEY], curve[PARAMETERS], hash[PARAMETERS], info[128], *parameters, *bits;
    CK_ATTRIBUTE attributes[] = {
        {CKA_VALUE, NULL, sizeof point}, {CKA_GOSTR3410_PARAMS, NULL, sizeof curve},
        {CKA_GOSTR3411_PARAMS, NULL, sizeof hash}};
    size_t length;

    attributes[0].pValue = point;
    attributes[1].pValue = curve;
    attributes[2].pValue = hash;
    if (failed("C_GetAttributeValue", C_GetAttributeValue(session, key, attributes, 3)))
        return 0;
    if (attributes[0].ulValueLen != KEY)
        return 0;

    /* SEQUENCE { SEQUENCE { algorithm, SEQUENCE { curve, hash } }, BIT STRING { OCTET STRING { point } } } */
    length = append(info + 4, algorithm, sizeof algorithm);
    parameters = info + 4 + length;
    length = append(parameters + 2, curve, attributes[1].ulValueLen);
    length += append(parameters + 2 + length, hash, attributes[2].ulValueLen);
    length = wrap(info + 2, 0x30, sizeof algorithm + wrap(parameters, 0x30, length));
    bits = info + 2 + length;
    bits[2] = 0; /* no unused bits */
    append(bits + 5, point, sizeof point);
    length += wrap(bits, 0x03, 1 + wrap(bits + 3, 0x04, sizeof point));
    length = wrap(info, 0x30, length);
    return fwrite(info, 1, length, stdout) == length;
}

int main(int argc, char **argv) {
    CK_SESSION_HANDLE session;
    CK_OBJECT_HANDLE key;
    int done = 0;

    if (argc != 3) {
        fprintf(stderr, "usage: %s SLOT ID\n", argv[0]);
        return 1;
    }
    if (failed("C_Initialize", C_Initialize(NULL)))
        return 1;
    if (!failed("C_OpenSession", C_OpenSession(strtoul(argv[1], NULL, 10), CKF_SERIAL_SESSION, NULL, NULL, &session)))
        done = find(session, (CK_BYTE)strtoul(argv[2], NULL, 16), &key) && write_key(session, key);
    return failed("C_Finalize", C_Finalize(NULL)) || !done;
}
