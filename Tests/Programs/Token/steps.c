/* SPDX-License-Identifier: Apache-2.0 */
/*
 * steps slot
 *
 * Follows the commands on standard input, one word a line, and prints the word and the return value of each: "open",
 * "login PIN", "administer SO-PIN", "typed" (a login without a PIN), "change" (of the PIN, without the old and the new one),
 * "keys", "key" (the first private one), "sign", "find", "close", "format SO-PIN" (by a structure of 104 bytes), "generate"
 * (an activation password, which it prints too), "beside wait" (for a slot's event, in a thread), "beside sign", "finalize"
 * (behind the result of the thread, if there is one).
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rtpkcs11.h>

static CK_SESSION_HANDLE session;
static CK_OBJECT_HANDLE private_key;
static struct {
    pthread_t thread;
    const char *word;
    CK_RV code;
} beside;
static CK_BBOOL has_ended;

static CK_RV login(CK_USER_TYPE user, char *pin) {
    return C_Login(session, user, (CK_UTF8CHAR_PTR)pin, strlen(pin));
}

static CK_RV make_keys(void) {
    CK_MECHANISM generate = {CKM_GOSTR3410_KEY_PAIR_GEN, NULL, 0};
    CK_BBOOL yes = CK_TRUE;
    CK_ATTRIBUTE on_token = {CKA_TOKEN, &yes, sizeof yes};
    CK_OBJECT_HANDLE public_key, made;
    CK_RV code = C_GenerateKeyPair(session, &generate, &on_token, 1, &on_token, 1, &public_key, &made);
    if (code == CKR_OK)
        private_key = made;
    return code;
}

static CK_RV take_key(void) {
    CK_OBJECT_CLASS class = CKO_PRIVATE_KEY;
    CK_ATTRIBUTE wanted = {CKA_CLASS, &class, sizeof class};
    CK_ULONG count = 0;
    CK_RV code = C_FindObjectsInit(session, &wanted, 1);
    if (code != CKR_OK)
        return code;
    code = C_FindObjects(session, &private_key, 1, &count);
    C_FindObjectsFinal(session);
    return code == CKR_OK && count == 0 ? CKR_KEY_HANDLE_INVALID : code;
}

static CK_RV sign(void) {
    CK_MECHANISM mechanism = {CKM_GOSTR3410, NULL, 0};
    CK_BYTE digest[32] = {1}, signature[64];
    CK_ULONG size = sizeof signature;
    CK_RV code = C_SignInit(session, &mechanism, private_key);
    return code == CKR_OK ? C_Sign(session, digest, sizeof digest, signature, &size) : code;
}

static CK_RV find(void) {
    CK_RV code = C_FindObjectsInit(session, NULL, 0);
    return code == CKR_OK ? C_FindObjectsFinal(session) : code;
}

/* Bytes behind the 104 that the structure announces must not be read. */
static CK_RV format(CK_SLOT_ID slot, char *pin) {
    CK_RUTOKEN_INIT_PARAM parameters;
    memset(&parameters, 0xFF, sizeof parameters);
    parameters.ulSizeofThisStructure = 104;
    parameters.UseRepairMode = 0;
    parameters.pNewAdminPin = (CK_BYTE_PTR) "87654321";
    parameters.pNewUserPin = (CK_BYTE_PTR) "12345678";
    parameters.ulNewAdminPinLen = parameters.ulNewUserPinLen = 8;
    parameters.ChangeUserPINPolicy = TOKEN_FLAGS_USER_CHANGE_USER_PIN;
    parameters.ulMinAdminPinLen = parameters.ulMinUserPinLen = 6;
    parameters.ulMaxAdminRetryCount = parameters.ulMaxUserRetryCount = 10;
    parameters.pTokenLabel = (CK_BYTE_PTR) "steps";
    parameters.ulLabelLen = 5;
    return C_EX_InitToken(slot, (CK_UTF8CHAR_PTR)pin, strlen(pin), &parameters);
}

static CK_RV generate(void) {
    CK_UTF8CHAR password[20] = "";
    CK_ULONG size = 0;
    CK_RV code = C_EX_GenerateActivationPassword(session, GENERATE_NEXT_PASSWORD, NULL, &size, CAPS_ONLY);
    if (code != CKR_OK)
        return code;
    if (size != 19)
        return CKR_GENERAL_ERROR;
    code = C_EX_GenerateActivationPassword(session, GENERATE_NEXT_PASSWORD, password, &size, CAPS_ONLY);
    printf("password %s\n", password);
    return code;
}

static CK_RV wait_for_event(void) {
    CK_SLOT_ID changed;
    return C_WaitForSlotEvent(0, &changed, NULL);
}

static void *run_beside(void *unused) {
    beside.code = strcmp(beside.word, "wait") == 0 ? wait_for_event() : sign();
    return unused;
}

static CK_RV begin_beside(const char *word) {
    beside.word = strcmp(word, "wait") == 0 ? "wait" : "sign";
    return pthread_create(&beside.thread, NULL, run_beside, NULL) == 0 ? CKR_OK : CKR_HOST_MEMORY;
}

static CK_RV finalize(void) {
    CK_RV code = C_Finalize(NULL);
    has_ended = CK_TRUE;
    if (beside.word != NULL) {
        pthread_join(beside.thread, NULL);
        printf("%s 0x%lX\n", beside.word, beside.code);
    }
    return code;
}

static CK_RV step(CK_SLOT_ID slot, const char *word, char *argument) {
    if (strcmp(word, "open") == 0)
        return C_OpenSession(slot, CKF_SERIAL_SESSION | CKF_RW_SESSION, NULL, NULL, &session);
    if (strcmp(word, "login") == 0)
        return login(CKU_USER, argument);
    if (strcmp(word, "administer") == 0)
        return login(CKU_SO, argument);
    if (strcmp(word, "typed") == 0)
        return C_Login(session, CKU_USER, NULL, 0);
    if (strcmp(word, "change") == 0)
        return C_SetPIN(session, NULL, 0, NULL, 0);
    if (strcmp(word, "keys") == 0)
        return make_keys();
    if (strcmp(word, "key") == 0)
        return take_key();
    if (strcmp(word, "sign") == 0)
        return sign();
    if (strcmp(word, "find") == 0)
        return find();
    if (strcmp(word, "close") == 0)
        return C_CloseAllSessions(slot);
    if (strcmp(word, "format") == 0)
        return format(slot, argument);
    if (strcmp(word, "generate") == 0)
        return generate();
    if (strcmp(word, "beside") == 0)
        return begin_beside(argument);
    if (strcmp(word, "finalize") == 0)
        return finalize();
    return CKR_ARGUMENTS_BAD;
}

int main(int argc, char **argv) {
    char line[128], word[64], argument[64];
    CK_RV code;

    if (argc != 2 || C_Initialize(NULL) != CKR_OK)
        return 1;
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (fgets(line, sizeof line, stdin) != NULL) {
        argument[0] = 0;
        if (sscanf(line, "%63s %63s", word, argument) < 1)
            continue;
        code = step(strtoul(argv[1], NULL, 10), word, argument);
        printf("%s 0x%lX\n", word, code);
    }
    return has_ended || C_Finalize(NULL) == CKR_OK ? 0 : 1;
}
