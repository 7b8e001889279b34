/* SPDX-License-Identifier: Apache-2.0 */
/*
 * root LIBRARY DIRECTORY
 *
 * Processes of root's that change their root directory, at several moments, to one that another user can write. There are
 * files in the places of libpcsclite, libcrypto and a program that asks for PINs: each leaves a file whose name begins with
 * "mark" where it is loaded or run. None is. What was there before goes on.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "visit.h"

enum { SECONDS = 30 };

static const char *directory;
static CK_SESSION_HANDLE session;

static void change_root(void) {
    if (chroot(directory) != 0 || chdir("/") != 0) {
        perror("chroot");
        _exit(1);
    }
}

static int digests(CK_MECHANISM_TYPE type) {
    CK_MECHANISM mechanism = {type, NULL, 0};
    CK_BYTE result[64];
    CK_ULONG length = sizeof result;
    return p11->C_DigestInit(session, &mechanism) == CKR_OK
        && p11->C_Digest(session, (CK_BYTE *)"abc", 3, result, &length) == CKR_OK;
}

static int open_session(CK_SLOT_ID slot) {
    return p11->C_OpenSession(slot, CKF_SERIAL_SESSION | CKF_RW_SESSION, NULL, NULL, &session) == CKR_OK;
}

static int slots(CK_SLOT_ID *slot) {
    CK_SLOT_ID all[16] = {0};
    CK_ULONG count = 16;
    if (p11->C_GetSlotList(CK_TRUE, all, &count) != CKR_OK) return -1;
    *slot = all[0];
    return (int)count;
}

/* That the false libraries do leave marks. */
static int not_guarded(void) {
    change_root();
    return dlopen("libpcsclite.so.1", RTLD_NOW) && dlopen("libcrypto.so.3", RTLD_NOW);
}

/* A visit with no token in reach. */
static int after_loading(void) {
    change_root();
    visit();
    return !refused;
}

static int after_initialising(void) {
    CK_SLOT_ID slot;
    if (p11->C_Initialize(NULL) != CKR_OK) return 0;
    change_root();
    return slots(&slot) == 0 && p11->C_Finalize(NULL) == CKR_OK;
}

/* A context with pcscd was made, and libcrypto was not loaded. */
static int after_looking(void) {
    CK_SLOT_ID slot;
    if (p11->C_Initialize(NULL) != CKR_OK || slots(&slot) != 1) return 0;
    change_root();
    return open_session(slot) && digests(CKM_GOSTR3411_12_256) && !digests(CKM_SHA256) && p11->C_Finalize(NULL) == CKR_OK;
}

/* All that a daemon needs was there. */
static int after_login(void) {
    CK_SLOT_ID slot;
    if (p11->C_Initialize(NULL) != CKR_OK || slots(&slot) != 1 || !open_session(slot)) return 0;
    if (p11->C_Login(session, CKU_USER, (CK_UTF8CHAR *)PIN, strlen(PIN)) != CKR_OK || !digests(CKM_SHA256)) return 0;
    change_root();
    work(session);
    return !refused && digests(CKM_SHA256) && slots(&slot) == 1 && p11->C_Finalize(NULL) == CKR_OK;
}

/* The settings name a program that asks for the PIN. */
static int asking(void) {
    CK_SLOT_ID slot;
    if (p11->C_Initialize(NULL) != CKR_OK || slots(&slot) != 1 || !open_session(slot)) return 0;
    change_root();
    return p11->C_Login(session, CKU_USER, NULL, 0) != CKR_OK && p11->C_Finalize(NULL) == CKR_OK;
}

/* OpenSSL's provider was loaded before; a key, and with it the module, are wanted after. */
static int provider_key(void) {
    void *libcrypto = dlopen("libcrypto.so.3", RTLD_NOW), *store;
    void *(*provider)(void *, const char *), *(*open)(const char *, void *, void *, void *, void *), *(*load_key)(void *);
    if (!libcrypto) return 0;
    *(void **)&provider = dlsym(libcrypto, "OSSL_PROVIDER_load");
    *(void **)&open = dlsym(libcrypto, "OSSL_STORE_open");
    *(void **)&load_key = dlsym(libcrypto, "OSSL_STORE_load");
    if (!provider || !open || !load_key || !provider(NULL, "default") || !provider(NULL, "kanal")) return 0;
    change_root();
    return !(store = open("pkcs11:object=gost", NULL, NULL, NULL, NULL)) || !load_key(store);
}

static const struct {
    const char *name;
    int (*live)(void);
    int leaves_marks;
} lives[] = {
    {"without the library", not_guarded, 2},   {"after dlopen", after_loading, 0},
    {"after C_Initialize", after_initialising, 0}, {"after C_GetSlotList", after_looking, 0},
    {"after C_Login", after_login, 0},         {"before a question", asking, 0},
    {"before a key of the provider", provider_key, 0},
};

/* Removes and counts the marks. */
static int marks(const char *name) {
    int count = 0;
    DIR *list = opendir(directory);
    for (struct dirent *entry; list && (entry = readdir(list));) {
        if (strncmp(entry->d_name, "mark", 4) != 0) continue;
        fprintf(stderr, "%s: %s\n", name, entry->d_name);
        count += unlinkat(dirfd(list), entry->d_name, 0) == 0;
    }
    if (list) closedir(list);
    return count;
}

int main(int count, char **words) {
    int failed = 0;
    if (count != 3) return 1;
    library = words[1];
    directory = words[2];
    for (size_t i = 0; i < sizeof lives / sizeof *lives; i++) {
        int status = 0;
        pid_t child = fork();
        if (child == 0) {
            alarm(SECONDS);
            /* The provider would find the library by its name. */
            int is_ready = lives[i].live == provider_key || load(RTLD_NOW, LM_ID_BASE);
            _exit(is_ready && lives[i].live() ? 0 : 1);
        }
        waitpid(child, &status, 0);
        if (status != 0) fprintf(stderr, "%s: status 0x%X\n", lives[i].name, status);
        failed += status != 0 || marks(lives[i].name) != lives[i].leaves_marks;
    }
    return failed;
}
