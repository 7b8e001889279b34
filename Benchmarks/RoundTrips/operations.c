/*
 * operations MODULE PIN TRACE
 *
 * Does with the first token of a PKCS #11 library what applications do most, and prints for each operation how many
 * commands the emulator's trace grew by and how many milliseconds it took: "name|commands|milliseconds". An operation
 * that the library refuses has "-" in both places.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <rtpkcs11.h>

static const char *trace;
static CK_FUNCTION_LIST_PTR p11;
static CK_SLOT_ID slot;
static CK_SESSION_HANDLE session;
static const char *user_pin;

/* The lines of the trace that are commands. */
static int commands(void) {
    FILE *file = fopen(trace, "r");
    int count = 0, last = '\n', character;
    if (!file)
        return 0;
    while ((character = getc(file)) != EOF) {
        count += last == '\n' && character == '>';
        last = character;
    }
    fclose(file);
    return count;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

static void measure(const char *name, CK_RV (*operation)(void)) {
    int before = commands();
    double begin = now();
    CK_RV result = operation();
    double end = now();
    if (result == CKR_OK)
        printf("%s|%d|%.0f\n", name, commands() - before, end - begin);
    else
        printf("%s|-|-\n", name);
}

static CK_RV start(void) {
    CK_ULONG count = 1;
    CK_RV result = p11->C_Initialize(NULL);
    if (result == CKR_OK)
        result = p11->C_GetSlotList(CK_TRUE, &slot, &count);
    if (result == CKR_OK && count == 0)
        result = CKR_TOKEN_NOT_PRESENT;
    if (result == CKR_OK)
        result = p11->C_OpenSession(slot, CKF_SERIAL_SESSION | CKF_RW_SESSION, NULL, NULL, &session);
    return result;
}

static CK_RV token_info(void) {
    CK_TOKEN_INFO info;
    return p11->C_GetTokenInfo(slot, &info);
}

static CK_RV log_in(void) {
    return p11->C_Login(session, CKU_USER, (CK_UTF8CHAR_PTR)user_pin, strlen(user_pin));
}

static CK_RV find(CK_ATTRIBUTE_PTR template, CK_ULONG size, CK_OBJECT_HANDLE *objects, CK_ULONG *count) {
    CK_RV result = p11->C_FindObjectsInit(session, template, size);
    if (result == CKR_OK)
        result = p11->C_FindObjects(session, objects, *count, count);
    p11->C_FindObjectsFinal(session);
    return result;
}

static CK_RV find_all(void) {
    CK_OBJECT_HANDLE objects[64];
    CK_ULONG count = 64;
    return find(NULL, 0, objects, &count);
}

/* Signs with the first private key of a type. */
static CK_RV sign(CK_KEY_TYPE type, CK_MECHANISM_TYPE mechanism_type, CK_ULONG length) {
    CK_OBJECT_CLASS class = CKO_PRIVATE_KEY;
    CK_ATTRIBUTE template[] = {{CKA_CLASS, &class, sizeof class}, {CKA_KEY_TYPE, &type, sizeof type}};
    CK_MECHANISM mechanism = {mechanism_type, NULL, 0};
    CK_BYTE data[32] = {0}, signature[512];
    static CK_OBJECT_HANDLE key;
    static CK_KEY_TYPE key_type = ~0UL;
    CK_ULONG count = 1, size = sizeof signature;
    CK_RV result;
    /* The search is an operation of its own, and is not counted here. */
    if (key_type != type) {
        result = find(template, 2, &key, &count);
        if (result != CKR_OK || count == 0)
            return result ? result : CKR_KEY_HANDLE_INVALID;
        key_type = type;
        return CKR_OK;
    }
    result = p11->C_SignInit(session, &mechanism, key);
    return result == CKR_OK ? p11->C_Sign(session, data, length, signature, &size) : result;
}

static CK_RV sign_gost(void) { return sign(CKK_GOSTR3410, CKM_GOSTR3410, 32); }
static CK_RV sign_rsa(void) { return sign(CKK_RSA, CKM_RSA_PKCS, 32); }

static CK_RV finish(void) { return p11->C_Finalize(NULL); }

int main(int argc, char **argv) {
    CK_RV (*get)(CK_FUNCTION_LIST_PTR_PTR);
    void *module = argc == 4 ? dlopen(argv[1], RTLD_NOW) : NULL;
    if (!module || !(get = (CK_RV(*)(CK_FUNCTION_LIST_PTR_PTR))dlsym(module, "C_GetFunctionList")) || get(&p11)) {
        fprintf(stderr, "usage: operations MODULE PIN TRACE\n");
        return 1;
    }
    user_pin = argv[2];
    trace = argv[3];
    measure("identify, open a session", start);
    measure("C_GetTokenInfo", token_info);
    measure("C_GetTokenInfo, again", token_info);
    measure("C_Login", log_in);
    measure("first search of all objects", find_all);
    measure("later search, nothing changed", find_all);
    if (sign_gost() == CKR_OK) {
        measure("C_Sign, GOST", sign_gost);
        measure("C_Sign, GOST, again", sign_gost);
    }
    if (sign_rsa() == CKR_OK) {
        measure("C_Sign, RSA-2048", sign_rsa);
        measure("C_Sign, RSA-2048, again", sign_rsa);
    }
    measure("C_Finalize", finish);
    return 0;
}
