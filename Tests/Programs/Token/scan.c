/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan SLOT PIN [PASSWORD [SECRET...]]
 *
 * Uses the token in SLOT as applications do, and looks for secrets where none must be: in a core dump while User is
 * logged in, in a forked child that has used the library itself, in everything that the process can write to after
 * C_Logout, and there after C_Finalize. PIN, PASSWORD (of activation) and SECRET are files that hold one secret of at
 * least eight bytes each, every byte inverted, so that reading it leaves no trace of the secret. The values of private
 * objects are looked for, too; and when C_Finalize has returned, the file `finalized` is made, and `keys` then prints
 * the session keys of the channel, 32 inverted bytes each. With ASKED in the environment the library asks for the PIN.
 *
 * The file `container`, if it is there, has the identifier of a container's key, 8 bytes, and the container's password, every
 * byte inverted. The key signs, and begins to sign once more, so that the library has the password then. PASSWORD is a SECRET.
 *
 * The core dump is the kernel's, if it writes one into the working directory, and the mappings that it would write by
 * the marks in /proc/self/smaps.
 *
 * Exit status: 0 nothing found; 1 a secret was found; 2 something else failed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <unistd.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <rtpkcs11.h>

#include "memory.h"

/* The secrets' numbers. The first one's value stays in the process's memory, so that images are found by it. */
enum { MARK, VALUE, APPLICATION, KEY_VALUE, AES_VALUE, SCALAR, PIN, PASSWORD, MADE = PIN };

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

static CK_SESSION_HANDLE session;
static CK_BBOOL yes = CK_TRUE, no = CK_FALSE;

static int log_in(void) {
    static unsigned char text[LONGEST + 1];

    if (getenv("ASKED")) {
        TRY(C_Login, session, CKU_USER, NULL, 0);
        return 0;
    }
    reveal(PIN, text);
    TRY(C_Login, session, CKU_USER, text, lengths[PIN]);
    explicit_bzero(text, sizeof text);
    return 0;
}

static int begin(CK_SLOT_ID slot) {
    static unsigned char text[LONGEST + 1];

    TRY(C_Initialize, NULL);
    if (count > PASSWORD && access("container", R_OK) != 0) {
        reveal(PASSWORD, text);
        TRY(C_EX_SetActivationPassword, slot, text);
        explicit_bzero(text, sizeof text);
    }
    TRY(C_OpenSession, slot, CKF_SERIAL_SESSION | CKF_RW_SESSION, NULL, NULL, &session);
    return log_in();
}

static int use_key_pair(void) {
    CK_MECHANISM making = {CKM_GOSTR3410_KEY_PAIR_GEN, NULL, 0}, signing = {CKM_GOSTR3410, NULL, 0};
    CK_OBJECT_HANDLE public_key, private_key;
    CK_ATTRIBUTE template[] = {{CKA_TOKEN, &yes, 1}, {CKA_ID, "scan", 4}};
    CK_BYTE digest[32] = {1}, signature[64];
    CK_ULONG size = sizeof signature;

    TRY(C_GenerateKeyPair, session, &making, template, 2, template, 2, &public_key, &private_key);
    TRY(C_SignInit, session, &signing, private_key);
    TRY(C_Sign, session, digest, sizeof digest, signature, &size);
    TRY(C_DestroyObject, session, private_key);
    TRY(C_DestroyObject, session, public_key);
    return 0;
}

/* A private data object and a secret key that may be read, both on the token. */
static int make_objects(CK_OBJECT_HANDLE *data, CK_OBJECT_HANDLE *key) {
    static unsigned char value[LONGEST + 1], application[LONGEST + 1];
    CK_OBJECT_CLASS data_class = CKO_DATA, key_class = CKO_SECRET_KEY;
    CK_KEY_TYPE type = CKK_GOST28147;
    CK_ATTRIBUTE data_template[] = {
        {CKA_CLASS, &data_class, sizeof data_class}, {CKA_TOKEN, &yes, 1}, {CKA_PRIVATE, &yes, 1},
        {CKA_VALUE, value, lengths[VALUE]}, {CKA_APPLICATION, application, lengths[APPLICATION]},
    };
    CK_ATTRIBUTE key_template[] = {
        {CKA_CLASS, &key_class, sizeof key_class}, {CKA_KEY_TYPE, &type, sizeof type}, {CKA_TOKEN, &yes, 1},
        {CKA_PRIVATE, &yes, 1}, {CKA_VALUE, value, lengths[KEY_VALUE]}, {CKA_SENSITIVE, &no, 1},
        {CKA_EXTRACTABLE, &yes, 1}, {CKA_ENCRYPT, &yes, 1},
    };

    reveal(VALUE, value);
    reveal(APPLICATION, application);
    TRY(C_CreateObject, session, data_template, 5, data);
    explicit_bzero(application, sizeof application);
    reveal(KEY_VALUE, value);
    TRY(C_CreateObject, session, key_template, 8, key);
    explicit_bzero(value, sizeof value);
    return 0;
}

/* Keys of the session, with an encryption and an authentication code under way. */
static int use_session_keys(void) {
    static unsigned char value[LONGEST + 1];
    static CK_BYTE p256[] = {0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07};
    CK_OBJECT_CLASS secret_class = CKO_SECRET_KEY, private_class = CKO_PRIVATE_KEY;
    CK_KEY_TYPE aes = CKK_AES, generic = CKK_GENERIC_SECRET, ec = CKK_EC;
    CK_ATTRIBUTE template[] = {
        {CKA_CLASS, &secret_class, sizeof secret_class}, {CKA_KEY_TYPE, &aes, sizeof aes}, {CKA_VALUE, value, KEY},
        {CKA_PRIVATE, &yes, 1}, {CKA_ENCRYPT, &yes, 1}, {CKA_SIGN, &yes, 1},
    };
    CK_ATTRIBUTE private_template[] = {
        {CKA_CLASS, &private_class, sizeof private_class}, {CKA_KEY_TYPE, &ec, sizeof ec}, {CKA_VALUE, value, KEY},
        {CKA_EC_PARAMS, p256, sizeof p256}, {CKA_PRIVATE, &yes, 1}, {CKA_SIGN, &yes, 1},
    };
    CK_BYTE iv[16] = {1}, text[64] = {1};
    CK_MECHANISM cbc = {CKM_AES_CBC, iv, sizeof iv}, hmac = {CKM_SHA256_HMAC, NULL, 0}, ecdsa = {CKM_ECDSA, NULL, 0};
    CK_OBJECT_HANDLE cipher, authenticator, signer;
    CK_ULONG size = sizeof text;

    reveal(AES_VALUE, value);
    TRY(C_CreateObject, session, template, 5, &cipher);
    template[1].pValue = &generic;
    template[4] = template[5];
    TRY(C_CreateObject, session, template, 5, &authenticator);
    reveal(SCALAR, value);
    TRY(C_CreateObject, session, private_template, 6, &signer);
    explicit_bzero(value, sizeof value);
    TRY(C_SignInit, session, &ecdsa, signer);
    TRY(C_Sign, session, text, 32, text, &size);
    size = sizeof text;
    TRY(C_EncryptInit, session, &cbc, cipher);
    TRY(C_EncryptUpdate, session, text, 32, text, &size);
    TRY(C_SignInit, session, &hmac, authenticator);
    TRY(C_SignUpdate, session, text, 32);
    return 0;
}

/* Signs with the key of a container, in a session of its own, and begins once more. */
static int use_container(CK_SLOT_ID slot) {
    static unsigned char line[LONGEST + 1];
    CK_OBJECT_CLASS class = CKO_PRIVATE_KEY;
    CK_ATTRIBUTE template[] = {{CKA_CLASS, &class, sizeof class}, {CKA_ID, line, 8}};
    CK_MECHANISM signing = {CKM_GOSTR3410, NULL, 0};
    CK_BYTE digest[32] = {1}, signature[64];
    CK_SESSION_HANDLE own;
    CK_OBJECT_HANDLE key;
    CK_ULONG found, size = sizeof signature;
    int file = open("container", O_RDONLY), turn;
    ssize_t length, i;

    if (file < 0)
        return 0;
    length = read(file, line, LONGEST);
    close(file);
    if (length <= 8)
        return 2;
    for (i = 0; i < length; i++)
        line[i] = ~line[i];
    TRY(C_OpenSession, slot, CKF_SERIAL_SESSION, NULL, NULL, &own);
    TRY(C_FindObjectsInit, own, template, 2);
    TRY(C_FindObjects, own, &key, 1, &found);
    TRY(C_FindObjectsFinal, own);
    if (found != 1) {
        puts("the container's key is not there");
        return 2;
    }
    for (turn = 0; turn < 2; turn++) {
        TRY(C_SignInit, own, &signing, key);
        TRY(C_Login, own, CKU_CONTEXT_SPECIFIC, line + 8, (CK_ULONG)length - 8);
        if (turn == 0)
            TRY(C_Sign, own, digest, sizeof digest, signature, &size);
    }
    explicit_bzero(line, sizeof line);
    return 0;
}

static int use_objects(CK_OBJECT_HANDLE data, CK_OBJECT_HANDLE key) {
    CK_OBJECT_CLASS class = CKO_DATA;
    CK_BYTE iv[8] = {1}, text[64] = {1}, value[LONGEST];
    CK_MECHANISM cipher = {CKM_GOST28147, iv, sizeof iv};
    CK_ATTRIBUTE template = {CKA_CLASS, &class, sizeof class}, attribute = {CKA_VALUE, value, sizeof value};
    CK_OBJECT_HANDLE found[8];
    CK_ULONG size = sizeof text;

    TRY(C_FindObjectsInit, session, &template, 1);
    TRY(C_FindObjects, session, found, 8, &size);
    TRY(C_FindObjectsFinal, session);
    TRY(C_GetAttributeValue, session, data, &attribute, 1);
    attribute.ulValueLen = sizeof value;
    TRY(C_GetAttributeValue, session, key, &attribute, 1);
    explicit_bzero(value, sizeof value);
    size = sizeof text;
    TRY(C_EncryptInit, session, &cipher, key);
    TRY(C_Encrypt, session, text, sizeof text, text, &size);
    return 0;
}

/* Writes the process's memory to a file: all that it can write to, or the part of it in a core dump. */
static int image(const char *path, int dumped) {
    int memory = open("/proc/self/mem", O_RDONLY), file = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    FILE *maps = fopen("/proc/self/smaps", "r");
    char line[512], rights[5];
    unsigned long start = 0, end = 0, next_start, next_end;
    int writable = 0, wanted = 2;

    if (memory < 0 || file < 0 || !maps)
        return 2;
    while (fgets(line, sizeof line, maps)) {
        if (sscanf(line, "%lx-%lx %4s", &next_start, &next_end, rights) == 3) {
            start = next_start, end = next_end;
            writable = rights[0] == 'r' && rights[1] == 'w' && !is_own(start, end);
        }
        if (strncmp(line, "VmFlags:", 8) != 0 || !writable || (dumped && strstr(line, " dd")))
            continue;
        for (wanted = 0; start < end; start += 1 << 20) {
            ssize_t size = pread(memory, block, end - start < 1 << 20 ? end - start : 1 << 20, (off_t)start);
            if (size > 0 && write(file, block, (size_t)size) != size)
                return 2;
        }
    }
    fclose(maps);
    close(memory);
    close(file);
    return wanted;
}

/* Searches an image. It must contain the mark, and no secret. */
static int search_image(const char *path) {
    int file = open(path, O_RDONLY), all = count, found;
    off_t size = file < 0 ? 0 : lseek(file, 0, SEEK_END);

    count = MARK + 1;
    found = search(file, 0, (unsigned long)size, "an image, as it should be");
    count = all;
    if (!found)
        return 2;
    first = MARK + 1;
    found = search(file, 0, (unsigned long)size, path);
    first = MARK;
    close(file);
    return found;
}

/* A child that initialises the library again, and ends it. */
static int in_child(void) {
    pid_t child = fork();
    int status;

    if (child == 0) {
        CK_ULONG slots;
        alarm(60);
        TRY(C_Initialize, NULL);
        TRY(C_GetSlotList, CK_TRUE, NULL, &slots);
        TRY(C_Finalize, NULL);
        _exit(image("child", 0));
    }
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}

static int work(CK_SLOT_ID slot, CK_OBJECT_HANDLE *data, CK_OBJECT_HANDLE *key) {
    int status = begin(slot);

    if (status == 0)
        status = use_key_pair();
    if (status == 0)
        status = make_objects(data, key);
    if (status == 0)
        status = use_objects(*data, *key);
    if (status == 0)
        status = use_container(slot);
    return status == 0 ? use_session_keys() : status;
}

/* Has the kernel dump a process in the middle of its work, if it writes that to a file here. Gives the file's name. */
static int dump(CK_SLOT_ID slot, char *path, size_t size) {
    static char pattern[256];
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
    FILE *file = fopen("/proc/sys/kernel/core_pattern", "r");
    CK_OBJECT_HANDLE data, key;
    pid_t child;
    int status;

    path[0] = 0;
    if (!file || !fgets(pattern, sizeof pattern, file) || strncmp(pattern, "core", 4) != 0)
        return 0;
    fclose(file);
    child = fork();
    if (child == 0) {
        setrlimit(RLIMIT_CORE, &limit);
        if (work(slot, &data, &key) == 0)
            abort();
        fflush(stdout);
        _exit(2);
    }
    if (waitpid(child, &status, 0) != child || !WIFSIGNALED(status))
        return 2;
    if (!WCOREDUMP(status))
        return 0;
    snprintf(path, size, "core.%d", (int)child);
    if (access(path, R_OK) != 0)
        snprintf(path, size, "core");
    return 0;
}

static int use(CK_SLOT_ID slot) {
    CK_OBJECT_HANDLE data, key;
    int status = work(slot, &data, &key);

    if (status == 0)
        status = image("dumped", 1);
    if (status == 0)
        status = in_child();
    if (status != 0)
        return status;
    TRY(C_Logout, session);
    return 0;
}

static int end(void) {
    TRY(C_CloseSession, session);
    TRY(C_Finalize, NULL);
    return 0;
}

/* Tells that the library has ended, and reads the keys that it had. */
static int read_keys(void) {
    int known = count, file = open("finalized", O_CREAT | O_WRONLY, 0600);

    if (file < 0)
        return 2;
    close(file);
    file = open("keys", O_RDONLY);
    for (; count < SECRETS && read(file, secrets[count], KEY) == KEY; count++)
        lengths[count] = KEY;
    close(file);
    printf("looked for %d session keys\n", count - known);
    return 0;
}

static int worst;

/* A step that must find nothing. */
static void expect_nothing(const char *where, int status) {
    if (status > worst)
        worst = status;
    if (status != 0)
        printf("%s: %s\n", where, status == 1 ? "a secret was found" : "failed");
}

static int run(CK_SLOT_ID slot) {
    unsigned char *mark = malloc(LONGEST + 1);
    char core[64];

    reveal(MARK, mark);
    expect_nothing("core dump", dump(slot, core, sizeof core));
    expect_nothing("use", use(slot));
    explicit_bzero(mark, LONGEST);
    free(mark);
    if (worst != 0)
        return worst;
    expect_nothing("after C_Logout", scan());
    expect_nothing("end", end());
    expect_nothing("keys", read_keys());
    expect_nothing("after C_Finalize", scan());
    expect_nothing("what a core dump would have", search_image("dumped"));
    expect_nothing("a forked child", search_image("child"));
    printf("looked into %s\n", core[0] ? "a core dump" : "a core dump as the kernel would write it");
    if (core[0])
        expect_nothing("a core dump", search_image(core));
    return worst;
}

int main(int argc, char **argv) {
    int random = open("/dev/urandom", O_RDONLY), status;

    setvbuf(stdout, NULL, _IONBF, 0);
    for (; count < MADE; count++) {
        lengths[count] = KEY;
        if (read(random, secrets[count], KEY) != KEY)
            return 2;
        /* Below the order of a curve. */
        secrets[count][0] |= 0x80;
    }
    for (; count - MADE < argc - 2 && count < SECRETS; count++) {
        const char *path = argv[count - MADE + 2];
        int file = open(path, O_RDONLY);
        ssize_t size = read(file, secrets[count], LONGEST);
        close(file);
        if (size < 8) {
            printf("%s: not a secret\n", path);
            return 2;
        }
        lengths[count] = (size_t)size;
    }
    if (count <= PIN)
        return 2;
    status = run(strtoul(argv[1], NULL, 10));
    return status == 0 ? prove() : status;
}
