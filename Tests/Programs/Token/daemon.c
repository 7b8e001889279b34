/* SPDX-License-Identifier: Apache-2.0 */
/*
 * daemon MODULE [WORD...]
 *
 * Changes itself as programs of a server do, one word after the other, and uses the library between:
 *
 *   close             close descriptors 0 to 2
 *   user=UID          become this user, for good
 *   works-as=UID      work as this user for a while, seteuid(2); as=UID in the calling thread alone, all three ids
 *   fill              open files until no descriptor is left; free=N closes N of them
 *   limit=BYTES       let no file become longer
 *   unread            replace descriptor 2 by a pipe without a reader
 *   stuck             replace it by a full pipe that is never emptied
 *   init, finalize    C_Initialize, C_Finalize
 *   slots, open       C_GetSlotList, C_OpenSession with the first token, and C_CloseSession
 *   sign=PIN          log in to the first token and take random numbers from it
 *   ask               the same, with a PIN that the library has asked for
 *   use=PIN           log in to the first token and sign with its first private key
 *   event             C_WaitForSlotEvent, without waiting
 *   fds               the descriptors 0 to 2
 *
 * With DAEMON_DEEPBIND the module is loaded with RTLD_DEEPBIND.
 *
 * Prints the results of init, slots, open, sign, ask, use, event and fds, a line each, to the file that DAEMON_OUT
 * names, so that descriptor 1 is not needed.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/securebits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <rtpkcs11.h>

static CK_FUNCTION_LIST *p11;
static int out, files[4096], open_files;

static void say(const char *what, unsigned long value) {
    char line[80];
    int length = snprintf(line, sizeof line, "%s 0x%lX\n", what, value);
    if (write(out, line, (size_t)length) != length) _exit(98);
}

static CK_RV first_slot(CK_SLOT_ID *slot) {
    CK_SLOT_ID slots[16];
    CK_ULONG count = 16;
    CK_RV result = p11->C_GetSlotList(CK_TRUE, slots, &count);
    if (result == CKR_OK && count == 0) return CKR_TOKEN_NOT_PRESENT;
    *slot = slots[0];
    return result;
}

static CK_RV sign(CK_SESSION_HANDLE session) {
    CK_OBJECT_CLASS private_key = CKO_PRIVATE_KEY;
    CK_ATTRIBUTE template = {CKA_CLASS, &private_key, sizeof private_key};
    CK_MECHANISM mechanism = {CKM_GOSTR3410, NULL, 0};
    CK_BYTE digest[32] = {1}, signature[64];
    CK_ULONG count = 0, length = sizeof signature;
    CK_OBJECT_HANDLE key;
    CK_RV result = p11->C_FindObjectsInit(session, &template, 1);
    if (result == CKR_OK) result = p11->C_FindObjects(session, &key, 1, &count);
    p11->C_FindObjectsFinal(session);
    if (result == CKR_OK && !count) result = CKR_KEY_HANDLE_INVALID;
    if (result == CKR_OK) result = p11->C_SignInit(session, &mechanism, key);
    return result != CKR_OK ? result : p11->C_Sign(session, digest, sizeof digest, signature, &length);
}

static CK_RV use(const char *pin, int signs) {
    CK_SLOT_ID slot = 0;
    CK_SESSION_HANDLE session;
    CK_BYTE octets[8];
    CK_RV result = first_slot(&slot);
    if (result == CKR_OK) result = p11->C_OpenSession(slot, CKF_SERIAL_SESSION | CKF_RW_SESSION, NULL, NULL, &session);
    if (result != CKR_OK) return result;
    if (pin) {
        result = p11->C_Login(session, CKU_USER, *pin ? (CK_UTF8CHAR *)pin : NULL, strlen(pin));
        if (result == CKR_OK && signs) result = sign(session);
        if (result == CKR_OK && !signs) result = p11->C_GenerateRandom(session, octets, sizeof octets);
    }
    p11->C_CloseSession(session);
    return result;
}

static void full_pipe(int keep) {
    int ends[2];
    static char octets[4096];
    if (pipe(ends)) _exit(97);
    if (keep) {
        fcntl(ends[1], F_SETFL, O_NONBLOCK);
        while (write(ends[1], octets, sizeof octets) > 0);
        fcntl(ends[1], F_SETFL, 0);
        dup2(ends[0], 100);
    }
    close(ends[0]);
    dup2(ends[1], 2);
    close(ends[1]);
}

int main(int count, char **words) {
    CK_RV (*list)(CK_FUNCTION_LIST **);
    CK_SLOT_ID slot = 0;
    void *module = count > 1 ? dlopen(words[1], RTLD_NOW | (getenv("DAEMON_DEEPBIND") ? RTLD_DEEPBIND : 0)) : NULL;
    const char *path = getenv("DAEMON_OUT");
    if (!module || !(list = (CK_RV(*)(CK_FUNCTION_LIST **))dlsym(module, "C_GetFunctionList")) || list(&p11)) return 99;
    out = fcntl(path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666) : 1, F_DUPFD, 200);
    for (int i = 2; i < count; i++) {
        const char *word = words[i], *value = strchr(word, '=');
        unsigned long number = value ? strtoul(value + 1, NULL, 10) : 0;
        if (!strcmp(word, "close")) {
            close(0), close(1), close(2);
        } else if (!strncmp(word, "user=", 5)) {
            if (setgroups(0, NULL) || setgid((gid_t)number) || setuid((uid_t)number)) return 96;
        } else if (!strncmp(word, "works-as=", 9)) {
            if (seteuid(0) || setegid((gid_t)number) || seteuid((uid_t)number)) return 96;
        } else if (!strncmp(word, "as=", 3)) {
            unsigned int all = (unsigned int)number;
            /* Root's capabilities remain, as a server has them that serves several users. */
            prctl(PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP);
            if (syscall(SYS_setresgid, all, all, all) || syscall(SYS_setresuid, all, all, all)) return 96;
        } else if (!strcmp(word, "fill")) {
            struct rlimit limit = {256, 256};
            setrlimit(RLIMIT_NOFILE, &limit);
            while (open_files < 4096 && (files[open_files] = open("/", O_RDONLY)) >= 0) open_files++;
        } else if (!strncmp(word, "free=", 5)) {
            while (number-- && open_files) close(files[--open_files]);
        } else if (!strncmp(word, "limit=", 6)) {
            struct rlimit limit = {number, number};
            setrlimit(RLIMIT_FSIZE, &limit);
        } else if (!strcmp(word, "unread")) {
            full_pipe(0);
        } else if (!strcmp(word, "stuck")) {
            full_pipe(1);
        } else if (!strcmp(word, "init")) {
            say(word, p11->C_Initialize(NULL));
        } else if (!strcmp(word, "finalize")) {
            p11->C_Finalize(NULL);
        } else if (!strcmp(word, "slots")) {
            say(word, first_slot(&slot));
        } else if (!strcmp(word, "open")) {
            say(word, use(NULL, 0));
        } else if (!strncmp(word, "sign=", 5)) {
            say("sign", use(value + 1, 0));
        } else if (!strcmp(word, "ask")) {
            say(word, use("", 0));
        } else if (!strncmp(word, "use=", 4)) {
            say("use", use(value + 1, 1));
        } else if (!strcmp(word, "event")) {
            say(word, p11->C_WaitForSlotEvent(CKF_DONT_BLOCK, &slot, NULL));
        } else if (!strcmp(word, "fds")) {
            unsigned long open_numbers = 0;
            for (int fd = 0; fd < 3; fd++) open_numbers |= (fcntl(fd, F_GETFD) >= 0) << fd;
            say(word, open_numbers);
        } else {
            return 95;
        }
    }
    return 0;
}
