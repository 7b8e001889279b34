/* SPDX-License-Identifier: Apache-2.0 */
/*
 * full fill MODULE PIN COUNT CERTIFICATE
 *
 * Makes so many GOST key pairs on the first token of a PKCS #11 library, and stores a certificate for each.
 *
 * full measure MODULE PIN TRACE COMMAND
 *
 * Searches all objects of the token when there is reason to, and prints for each search how many commands the emulator's
 * trace grew by and how many milliseconds it took: "name|commands|milliseconds". COMMAND changes the token by another
 * process.
 *
 * full search MODULE TRACE
 *
 * Prints the same of the first search alone.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <rtpkcs11.h>

#include "trace.h"

static CK_FUNCTION_LIST_PTR p11;
static CK_SESSION_HANDLE session;
static CK_BBOOL yes = CK_TRUE;
static CK_OBJECT_CLASS certificate_class = CKO_CERTIFICATE, data_class = CKO_DATA;

static void check(const char *call, CK_RV result) {
    if (result == CKR_OK)
        return;
    fprintf(stderr, "%s: %lx\n", call, result);
    exit(1);
}

static void start(const char *module) {
    void *library = dlopen(module, RTLD_NOW);
    CK_RV (*get)(CK_FUNCTION_LIST_PTR_PTR) =
        library ? (CK_RV(*)(CK_FUNCTION_LIST_PTR_PTR))dlsym(library, "C_GetFunctionList") : NULL;
    CK_SLOT_ID slot;
    CK_ULONG count = 1;
    check("C_GetFunctionList", get ? get(&p11) : CKR_GENERAL_ERROR);
    check("C_Initialize", p11->C_Initialize(NULL));
    check("C_GetSlotList", p11->C_GetSlotList(CK_TRUE, &slot, &count));
    check("C_OpenSession", p11->C_OpenSession(slot, CKF_SERIAL_SESSION | CKF_RW_SESSION, NULL, NULL, &session));
}

static void log_in(char *pin) {
    check("C_Login", p11->C_Login(session, CKU_USER, (CK_UTF8CHAR_PTR)pin, strlen(pin)));
}

static void make_pair(CK_BYTE number) {
    CK_MECHANISM mechanism = {CKM_GOSTR3410_KEY_PAIR_GEN, NULL, 0};
    CK_BYTE set[] = {0x06, 0x07, 0x2A, 0x85, 0x03, 0x02, 0x02, 0x23, 0x01};
    CK_ATTRIBUTE public_key[] = {
        {CKA_TOKEN, &yes, sizeof yes}, {CKA_ID, &number, 1}, {CKA_GOSTR3410_PARAMS, set, sizeof set}};
    CK_ATTRIBUTE private_key[] = {{CKA_TOKEN, &yes, sizeof yes}, {CKA_PRIVATE, &yes, sizeof yes}, {CKA_ID, &number, 1}};
    CK_OBJECT_HANDLE pair[2];
    check("C_GenerateKeyPair",
          p11->C_GenerateKeyPair(session, &mechanism, public_key, 3, private_key, 3, &pair[0], &pair[1]));
}

static void store_certificate(CK_BYTE number, CK_BYTE *value, CK_ULONG size) {
    CK_CERTIFICATE_TYPE type = CKC_X_509;
    CK_ATTRIBUTE template[] = {
        {CKA_CLASS, &certificate_class, sizeof certificate_class},
        {CKA_CERTIFICATE_TYPE, &type, sizeof type},
        {CKA_TOKEN, &yes, sizeof yes},
        {CKA_LABEL, "certificate", 11},
        {CKA_ID, &number, 1},
        {CKA_VALUE, value, size},
    };
    CK_OBJECT_HANDLE object;
    check("C_CreateObject", p11->C_CreateObject(session, template, sizeof template / sizeof *template, &object));
}

static void store_data(void) {
    CK_ATTRIBUTE template[] = {
        {CKA_CLASS, &data_class, sizeof data_class}, {CKA_TOKEN, &yes, sizeof yes}, {CKA_VALUE, "data", 4}};
    CK_OBJECT_HANDLE object;
    check("C_CreateObject", p11->C_CreateObject(session, template, 3, &object));
}

static void search(const char *trace, const char *name) {
    static CK_OBJECT_HANDLE objects[512];
    CK_ULONG count = 512;
    int before = commands(trace);
    double begin = now();
    check("C_FindObjectsInit", p11->C_FindObjectsInit(session, NULL, 0));
    check("C_FindObjects", p11->C_FindObjects(session, objects, count, &count));
    check("C_FindObjectsFinal", p11->C_FindObjectsFinal(session));
    double end = now();
    printf("%s|%d|%.0f\n", name, commands(trace) - before, end - begin);
}

int main(int argc, char **argv) {
    if (argc == 6 && !strcmp(argv[1], "fill")) {
        CK_BYTE value[4096];
        FILE *file = fopen(argv[5], "rb");
        CK_ULONG size = file ? fread(value, 1, sizeof value, file) : 0;
        start(argv[2]);
        log_in(argv[3]);
        if (!atoi(argv[4]))
            store_data();
        for (int number = 0; number < atoi(argv[4]); number++) {
            make_pair((CK_BYTE)number);
            store_certificate((CK_BYTE)number, value, size);
        }
    } else if (argc == 6 && !strcmp(argv[1], "measure")) {
        start(argv[2]);
        search(argv[4], "first search");
        log_in(argv[3]);
        search(argv[4], "search after C_Login");
        store_data();
        search(argv[4], "search after a change of its own");
        search(argv[4], "search, nothing changed");
        if (system(argv[5]))
            return 1;
        search(argv[4], "search after a change by another process");
    } else if (argc == 4 && !strcmp(argv[1], "search")) {
        start(argv[2]);
        search(argv[3], "first search of a known token, cache = on");
    } else {
        fprintf(stderr, "usage: full fill MODULE PIN COUNT CERTIFICATE, full measure MODULE PIN TRACE COMMAND, "
                        "full search MODULE TRACE\n");
        return 1;
    }
    check("C_Finalize", p11->C_Finalize(NULL));
    return 0;
}
