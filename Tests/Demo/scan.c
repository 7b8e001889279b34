/*
 * scan SLOT KEYS FINALIZED FILE...
 *
 * Uses the token in SLOT as applications do, ends the library with C_Finalize, and then looks for secrets in everything
 * that the process can write to. Each FILE holds one secret, of at least eight octets, every octet inverted, so that
 * reading it leaves no trace of the secret; the first is the user PIN, the second the activation password. After
 * C_Finalize the file FINALIZED is made, and KEYS then gives the session keys of the channel, 32 inverted octets each.
 *
 * Exit status: 0 nothing found; 1 a secret was found; 2 something else failed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <unistd.h>

#include <rtpkcs11.h>

#include "../ModuleTests/Programs/memory.h"

static int failed(const char *function, CK_RV code) {
    if (code != CKR_OK)
        printf("%s: 0x%lX\n", function, code);
    return code != CKR_OK;
}

#define TRY(function, ...) \
    do { \
        if (failed(#function, function(__VA_ARGS__))) \
            return 2; \
    } while (0)

static int use(CK_SLOT_ID slot) {
    static unsigned char text[LONGEST + 1];
    CK_MECHANISM making = {CKM_GOSTR3410_KEY_PAIR_GEN, NULL, 0}, signing = {CKM_GOSTR3410, NULL, 0};
    CK_SESSION_HANDLE session;
    CK_OBJECT_HANDLE public_key, private_key;
    CK_BBOOL yes = CK_TRUE;
    CK_ATTRIBUTE template[] = {{CKA_TOKEN, &yes, 1}, {CKA_ID, "scan", 4}};
    CK_BYTE digest[32] = {1}, signature[64];
    CK_ULONG size = sizeof signature;

    TRY(C_Initialize, NULL);
    reveal(1, text);
    TRY(C_EX_SetActivationPassword, slot, text);
    explicit_bzero(text, sizeof text);
    TRY(C_OpenSession, slot, CKF_SERIAL_SESSION | CKF_RW_SESSION, NULL, NULL, &session);
    reveal(0, text);
    TRY(C_Login, session, CKU_USER, text, lengths[0]);
    explicit_bzero(text, sizeof text);
    TRY(C_GenerateKeyPair, session, &making, template, 2, template, 2, &public_key, &private_key);
    TRY(C_SignInit, session, &signing, private_key);
    TRY(C_Sign, session, digest, sizeof digest, signature, &size);
    TRY(C_DestroyObject, session, private_key);
    TRY(C_DestroyObject, session, public_key);
    TRY(C_Finalize, NULL);
    return 0;
}

/* Tells that the library has ended, and reads the keys that it had. */
static int read_keys(const char *keys, const char *finalized) {
    int first = count, file = open(finalized, O_CREAT | O_WRONLY, 0600);

    if (file < 0)
        return 2;
    close(file);
    file = open(keys, O_RDONLY);
    for (; count < SECRETS && read(file, secrets[count], KEY) == KEY; count++)
        lengths[count] = KEY;
    close(file);
    printf("looked for %d session keys\n", count - first);
    return 0;
}

int main(int argc, char **argv) {
    int status;

    for (count = 0; count < argc - 4 && count < SECRETS; count++) {
        int file = open(argv[count + 4], O_RDONLY);
        ssize_t size = read(file, secrets[count], LONGEST);
        close(file);
        if (size < 8) {
            printf("%s: not a secret\n", argv[count + 4]);
            return 2;
        }
        lengths[count] = (size_t)size;
    }
    if (count < 2)
        return 2;
    status = use(strtoul(argv[1], NULL, 10));
    if (status == 0)
        status = read_keys(argv[2], argv[3]);
    if (status == 0)
        status = scan();
    return status == 0 ? prove() : status;
}
