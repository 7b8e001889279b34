/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tables SLOT PIN
 *
 * The tables of curves get no memory: this program maps no area of their size. Each call that needs one answers
 * CKR_HOST_MEMORY, and works as soon as there is memory: a key pair, a signature and a verification of a session, each
 * on a curve that the process has not used before.
 *
 * Exit status: 0 all holds; 1 something does not; 2 something else failed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <rtpkcs11.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LARGE = 64 * 1024 };

static int refuses, refused, wrong;
static CK_SESSION_HANDLE session;

/* Replaces the C library's. */
void *mmap(void *address, size_t size, int protection, int flags, int descriptor, off_t offset) {
    if (refuses && size >= LARGE) {
        refused++;
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return (void *)syscall(SYS_mmap, address, size, protection, flags, descriptor, offset);
}

static void expect(CK_RV code, CK_RV wanted, const char *what) {
    if (code == wanted) return;
    wrong = 1;
    printf("%s: 0x%lX instead of 0x%lX\n", what, code, wanted);
}

static CK_BYTE set_a[] = {0x06, 0x07, 0x2A, 0x85, 0x03, 0x02, 0x02, 0x23, 0x01};
static CK_BYTE set_b[] = {0x06, 0x07, 0x2A, 0x85, 0x03, 0x02, 0x02, 0x23, 0x02};
static CK_BYTE test[] = {0x06, 0x07, 0x2A, 0x85, 0x03, 0x02, 0x02, 0x23, 0x00};
static CK_BYTE digest_set[] = {0x06, 0x07, 0x2A, 0x85, 0x03, 0x02, 0x02, 0x1E, 0x01};
static CK_MECHANISM signing = {CKM_GOSTR3410, NULL, 0};

static void make_pair(CK_RV wanted, CK_OBJECT_HANDLE *public_key, CK_OBJECT_HANDLE *private_key) {
    CK_MECHANISM mechanism = {CKM_GOSTR3410_KEY_PAIR_GEN, NULL, 0};
    CK_ATTRIBUTE template[] = {
        {CKA_GOSTR3410_PARAMS, set_a, sizeof set_a}, {CKA_GOSTR3411_PARAMS, digest_set, sizeof digest_set}};
    expect(C_GenerateKeyPair(session, &mechanism, template, 2, NULL, 0, public_key, private_key), wanted,
           "C_GenerateKeyPair");
}

static CK_OBJECT_HANDLE make(CK_OBJECT_CLASS class, CK_BYTE *set, CK_BYTE *value, CK_ULONG length) {
    CK_KEY_TYPE type = CKK_GOSTR3410;
    CK_OBJECT_HANDLE key = 0;
    CK_ATTRIBUTE template[] = {
        {CKA_CLASS, &class, sizeof class}, {CKA_KEY_TYPE, &type, sizeof type}, {CKA_VALUE, value, length},
        {CKA_GOSTR3410_PARAMS, set, set[1] + 2}, {CKA_GOSTR3411_PARAMS, digest_set, sizeof digest_set}};
    expect(C_CreateObject(session, template, 5, &key), CKR_OK, "C_CreateObject");
    return key;
}

static void sign(CK_OBJECT_HANDLE key, CK_RV wanted) {
    CK_BYTE digest[32] = {1}, signature[64];
    CK_ULONG length = sizeof signature;
    expect(C_SignInit(session, &signing, key), CKR_OK, "C_SignInit");
    expect(C_Sign(session, digest, sizeof digest, signature, &length), wanted, "C_Sign");
}

/* The example of RFC 7091, 7.1. */
static CK_BYTE digest[] = "\xE5\x3E\x04\x2B\x67\xE6\xEC\x67\x8E\x2E\x02\xB1\x2A\x03\x52\xCE"
                          "\x1F\xC6\xEE\xE0\x52\x9C\xC0\x88\x11\x9A\xD8\x72\xB3\xC1\xFB\x2D";
static CK_BYTE signature[] = "\x01\x45\x6C\x64\xBA\x46\x42\xA1\x65\x3C\x23\x5A\x98\xA6\x02\x49"
                             "\xBC\xD6\xD3\xF7\x46\xB6\x31\xDF\x92\x80\x14\xF6\xC5\xBF\x9C\x40"
                             "\x41\xAA\x28\xD2\xF1\xAB\x14\x82\x80\xCD\x9E\xD5\x6F\xED\xA4\x19"
                             "\x74\x05\x35\x54\xA4\x27\x67\xB8\x3A\xD0\x43\xFD\x39\xDC\x04\x93";
static CK_BYTE point[] = "\x0B\xD8\x6F\xE5\xD8\xDB\x89\x66\x8F\x78\x9B\x4E\x1D\xBA\x85\x85"
                         "\xC5\x50\x8B\x45\xEC\x5B\x59\xD8\x90\x6D\xDB\x70\xE2\x49\x2B\x7F"
                         "\xDA\x77\xFF\x87\x1A\x10\xFB\xDF\x27\x66\xD2\x93\xC5\xD1\x64\xAF"
                         "\xBB\x3C\x7B\x97\x3A\x41\xC8\x85\xD1\x1D\x70\xD6\x89\xB4\xF1\x26";

static void verify(CK_OBJECT_HANDLE key, CK_RV wanted) {
    expect(C_VerifyInit(session, &signing, key), CKR_OK, "C_VerifyInit");
    expect(C_Verify(session, digest, 32, signature, 64), wanted, "C_Verify");
}

int main(int argc, char **argv) {
    CK_BYTE value[32] = {7, 1};
    CK_OBJECT_HANDLE made, other;
    if (argc != 3) return fprintf(stderr, "usage: %s SLOT PIN\n", argv[0]), 2;
    expect(C_Initialize(NULL), CKR_OK, "C_Initialize");
    expect(C_OpenSession(strtoul(argv[1], NULL, 0), CKF_SERIAL_SESSION, NULL, NULL, &session), CKR_OK, "C_OpenSession");
    expect(C_Login(session, CKU_USER, (CK_UTF8CHAR_PTR)argv[2], strlen(argv[2])), CKR_OK, "C_Login");
    if (wrong) return 2;
    CK_OBJECT_HANDLE private_key = make(CKO_PRIVATE_KEY, set_b, value, sizeof value);
    CK_OBJECT_HANDLE public_key = make(CKO_PUBLIC_KEY, test, point, 64);
    if (wrong) return 2;

    refuses = 1;
    make_pair(CKR_HOST_MEMORY, &made, &other);
    sign(private_key, CKR_HOST_MEMORY);
    verify(public_key, CKR_HOST_MEMORY);
    if (refused != 3) wrong = 1, printf("%d tables were asked for\n", refused);
    refuses = 0;
    make_pair(CKR_OK, &made, &other);
    sign(private_key, CKR_OK);
    sign(other, CKR_OK);
    verify(public_key, CKR_OK);
    signature[5] ^= 1;
    verify(public_key, CKR_SIGNATURE_INVALID);
    expect(C_Finalize(NULL), CKR_OK, "C_Finalize");
    return wrong;
}
