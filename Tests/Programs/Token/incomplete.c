/* SPDX-License-Identifier: Apache-2.0 */
/*
 * incomplete slot whole|incomplete
 *
 * Hashes and verifies: with libcrypto as it is; and with one that lacks a function, where nothing may succeed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rtpkcs11.h>

/* The generator of CryptoPro's parameter set A. */
static CK_BYTE point[64] = {
    1, [32] = 0x14, 0x1E, 0x9F, 0x9E, 0x9C, 0xC9, 0xAC, 0x22, 0xB1, 0xE3, 0x23, 0xDF, 0x2D, 0x4F, 0x29, 0x35,
    0x76, 0x2B, 0x3F, 0x45, 0x5A, 0x50, 0xDF, 0x27, 0xDA, 0x9C, 0x98, 0xE0, 0x71, 0xE4, 0x91, 0x8D};
static CK_BYTE curve[] = {0x06, 0x07, 0x2A, 0x85, 0x03, 0x02, 0x02, 0x23, 0x01};
static CK_BYTE hash[] = {0x06, 0x08, 0x2A, 0x85, 0x03, 0x07, 0x01, 0x01, 0x02, 0x02};

int main(int argc, char **argv) {
    CK_SESSION_HANDLE session;
    CK_OBJECT_HANDLE key;
    CK_OBJECT_CLASS class = CKO_PUBLIC_KEY;
    CK_KEY_TYPE type = CKK_GOSTR3410;
    CK_ATTRIBUTE template[] = {
        {CKA_CLASS, &class, sizeof class}, {CKA_KEY_TYPE, &type, sizeof type}, {CKA_VALUE, point, sizeof point},
        {CKA_GOSTR3410_PARAMS, curve, sizeof curve}, {CKA_GOSTR3411_PARAMS, hash, sizeof hash}};
    CK_MECHANISM digest = {CKM_SHA256, NULL, 0}, verify = {CKM_GOSTR3410, NULL, 0};
    CK_BYTE octets[32] = {1}, signature[64] = {1};
    CK_ULONG size = sizeof octets;
    CK_RV hashed, verified;

    if (argc != 3 || C_Initialize(NULL) != CKR_OK)
        return 1;
    if (C_OpenSession(strtoul(argv[1], NULL, 10), CKF_SERIAL_SESSION, NULL, NULL, &session) != CKR_OK)
        return 2;
    hashed = C_DigestInit(session, &digest);
    if (hashed == CKR_OK)
        hashed = C_Digest(session, octets, sizeof octets, octets, &size);
    verified = C_CreateObject(session, template, 5, &key);
    if (verified == CKR_OK)
        verified = C_VerifyInit(session, &verify, key);
    if (verified == CKR_OK)
        verified = C_Verify(session, octets, sizeof octets, signature, sizeof signature);
    printf("hash 0x%lX, signature 0x%lX\n", hashed, verified);
    if (strcmp(argv[2], "whole") == 0)
        return hashed != CKR_OK || verified != CKR_SIGNATURE_INVALID;
    return hashed == CKR_OK || verified == CKR_OK || verified == CKR_SIGNATURE_INVALID;
}
