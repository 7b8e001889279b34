/* SPDX-License-Identifier: Apache-2.0 */
/*
 * share SLOT PIN ID SECONDS REFUSALS
 *
 * Works with a token that others work with at the same time: logs in once, then signs with the key ID, searches and
 * draws random numbers for SECONDS, and for 40 rounds at least. Each signature is verified. A lost login is an error:
 * with as many sessions as processes none loses its login, and with fewer, the library presents the PIN again by itself.
 * A signature may be refused with CKR_DEVICE_ERROR up to REFUSALS times: the library does not repeat it by itself when
 * another process has taken its session.
 *
 * Prints the number of rounds, and the process's resources at their begin and end. Exit status: 0 all went well; 1 not.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <rtpkcs11.h>

static int failed(const char *function, CK_RV code) {
    if (code != CKR_OK)
        fprintf(stderr, "%s: 0x%lX\n", function, code);
    return code != CKR_OK;
}

#define TRY(function, ...) \
    do { \
        if (failed(#function, function(__VA_ARGS__))) \
            return 1; \
    } while (0)

static int find(CK_SESSION_HANDLE session, CK_OBJECT_CLASS class, const char *id, CK_OBJECT_HANDLE *object) {
    CK_ATTRIBUTE template[] = {{CKA_CLASS, &class, sizeof class}, {CKA_ID, (void *)id, strlen(id)}};
    CK_ULONG count = 0;

    TRY(C_FindObjectsInit, session, template, 2);
    TRY(C_FindObjects, session, object, 1, &count);
    TRY(C_FindObjectsFinal, session);
    if (count != 1)
        fprintf(stderr, "%lu objects of class %lu\n", count, class);
    return count != 1;
}

static long refusals;

static int round_trip(CK_SESSION_HANDLE session, const char *id) {
    CK_MECHANISM mechanism = {CKM_GOSTR3410, NULL, 0};
    CK_OBJECT_HANDLE private_key, public_key;
    CK_BYTE digest[32], signature[64];
    CK_ULONG size = sizeof signature;
    CK_RV code;

    TRY(C_GenerateRandom, session, digest, sizeof digest);
    if (find(session, CKO_PRIVATE_KEY, id, &private_key) || find(session, CKO_PUBLIC_KEY, id, &public_key))
        return 1;
    do {
        TRY(C_SignInit, session, &mechanism, private_key);
        code = C_Sign(session, digest, sizeof digest, signature, &size);
    } while (code == CKR_DEVICE_ERROR && refusals-- > 0);
    if (failed("C_Sign", code))
        return 1;
    TRY(C_VerifyInit, session, &mechanism, public_key);
    TRY(C_Verify, session, digest, sizeof digest, signature, size);
    return 0;
}

/* Kilobytes of memory in use, and open file descriptors. */
static void print_use(const char *when) {
    char line[128];
    long memory = 0;
    int files = 0;
    FILE *status = fopen("/proc/self/status", "r");
    DIR *directory = opendir("/proc/self/fd");

    while (status && fgets(line, sizeof line, status))
        if (sscanf(line, "VmRSS: %ld", &memory) == 1)
            break;
    while (directory && readdir(directory))
        files++;
    if (status)
        fclose(status);
    if (directory)
        closedir(directory);
    printf("%s: %ld kB, %d descriptors\n", when, memory, files - 3);
}

int main(int argc, char **argv) {
    CK_SESSION_HANDLE session;
    CK_SLOT_ID slot;
    time_t end;
    long rounds = 0;

    if (argc != 6) {
        fprintf(stderr, "usage: %s SLOT PIN ID SECONDS REFUSALS\n", argv[0]);
        return 1;
    }
    slot = strtoul(argv[1], NULL, 10);
    refusals = strtol(argv[5], NULL, 10);
    TRY(C_Initialize, NULL);
    TRY(C_OpenSession, slot, CKF_SERIAL_SESSION, NULL, NULL, &session);
    TRY(C_Login, session, CKU_USER, (CK_UTF8CHAR_PTR)argv[2], strlen(argv[2]));
    end = time(NULL) + strtol(argv[4], NULL, 10);
    while (rounds < 40 || time(NULL) < end) {
        if (round_trip(session, argv[3])) {
            fprintf(stderr, "in round %ld\n", rounds + 1);
            return 1;
        }
        if (++rounds == 20)
            print_use("begin");
    }
    print_use("end");
    printf("rounds: %ld\n", rounds);
    TRY(C_Finalize, NULL);
    return 0;
}
