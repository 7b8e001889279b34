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

/* The generator of P-256, which is an OCTET STRING: GOST is computed without libcrypto. */
static CK_BYTE point[] = {
    0x04, 0x41, 0x04, 0x6B, 0x17, 0xD1, 0xF2, 0xE1, 0x2C, 0x42, 0x47, 0xF8, 0xBC, 0xE6, 0xE5, 0x63, 0xA4, 0x40, 0xF2,
    0x77, 0x03, 0x7D, 0x81, 0x2D, 0xEB, 0x33, 0xA0, 0xF4, 0xA1, 0x39, 0x45, 0xD8, 0x98, 0xC2, 0x96, 0x4F, 0xE3, 0x42,
    0xE2, 0xFE, 0x1A, 0x7F, 0x9B, 0x8E, 0xE7, 0xEB, 0x4A, 0x7C, 0x0F, 0x9E, 0x16, 0x2B, 0xCE, 0x33, 0x57, 0x6B, 0x31,
    0x5E, 0xCE, 0xCB, 0xB6, 0x40, 0x68, 0x37, 0xBF, 0x51, 0xF5};
/* prime256v1. */
static CK_BYTE curve[] = {0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07};

int main(int argc, char **argv) {
    CK_SESSION_HANDLE session;
    CK_OBJECT_HANDLE key;
    CK_OBJECT_CLASS class = CKO_PUBLIC_KEY;
    CK_KEY_TYPE type = CKK_EC;
    CK_ATTRIBUTE template[] = {
        {CKA_CLASS, &class, sizeof class}, {CKA_KEY_TYPE, &type, sizeof type}, {CKA_EC_POINT, point, sizeof point},
        {CKA_EC_PARAMS, curve, sizeof curve}};
    CK_MECHANISM digest = {CKM_SHA256, NULL, 0}, verify = {CKM_ECDSA, NULL, 0};
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
    verified = C_CreateObject(session, template, 4, &key);
    if (verified == CKR_OK)
        verified = C_VerifyInit(session, &verify, key);
    if (verified == CKR_OK)
        verified = C_Verify(session, octets, sizeof octets, signature, sizeof signature);
    printf("hash 0x%lX, signature 0x%lX\n", hashed, verified);
    if (strcmp(argv[2], "whole") == 0)
        return hashed != CKR_OK || verified != CKR_SIGNATURE_INVALID;
    return hashed == CKR_OK || verified == CKR_OK || verified == CKR_SIGNATURE_INVALID;
}
