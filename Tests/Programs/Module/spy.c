/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A module that notes in the file SPY_LOG what a program asks of the module SPY_MODULE, and passes all calls on. A line is
 * a function, and behind tabs:
 *   C_GetInterface        name, version and flags that are asked for, and the version of the interface that is given
 *   functions that begin  the mechanism
 *   C_FindObjectsInit     the attributes of the template, and the class of the objects
 *   C_GetAttributeValue   the object's class, and the attributes, with "!" behind those that the module refuses
 * With SPY_OFFERS=3.2 it also offers an interface of 3.2, whose additions are not supported.
 *
 * The file "names" has a line NAMED(name) for each constant of an attribute, a class and a mechanism.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pkcs11v3.h>
#include <p11-kit/pkcs11x.h>

/* Each function, the number of its arguments, and what is noted of them. Each argument has the room of a word. */
#define FUNCTIONS_OF_2_40(ENTRY) \
    ENTRY(C_Initialize, 1, PLAIN) ENTRY(C_Finalize, 1, PLAIN) ENTRY(C_GetInfo, 1, PLAIN) ENTRY(C_GetFunctionList, 1, OWN) \
    ENTRY(C_GetSlotList, 3, PLAIN) ENTRY(C_GetSlotInfo, 2, PLAIN) ENTRY(C_GetTokenInfo, 2, PLAIN) \
    ENTRY(C_GetMechanismList, 3, PLAIN) ENTRY(C_GetMechanismInfo, 3, PLAIN) \
    ENTRY(C_InitToken, 4, PLAIN) ENTRY(C_InitPIN, 3, PLAIN) ENTRY(C_SetPIN, 5, PLAIN) \
    ENTRY(C_OpenSession, 5, PLAIN) ENTRY(C_CloseSession, 1, PLAIN) ENTRY(C_CloseAllSessions, 1, PLAIN) \
    ENTRY(C_GetSessionInfo, 2, PLAIN) ENTRY(C_GetOperationState, 3, PLAIN) ENTRY(C_SetOperationState, 5, PLAIN) \
    ENTRY(C_Login, 4, PLAIN) ENTRY(C_Logout, 1, PLAIN) \
    ENTRY(C_CreateObject, 4, PLAIN) ENTRY(C_CopyObject, 5, PLAIN) ENTRY(C_DestroyObject, 2, PLAIN) \
    ENTRY(C_GetObjectSize, 3, PLAIN) ENTRY(C_GetAttributeValue, 4, OWN) ENTRY(C_SetAttributeValue, 4, PLAIN) \
    ENTRY(C_FindObjectsInit, 3, OWN) ENTRY(C_FindObjects, 4, PLAIN) ENTRY(C_FindObjectsFinal, 1, PLAIN) \
    ENTRY(C_EncryptInit, 3, MECHANISM) ENTRY(C_Encrypt, 5, PLAIN) ENTRY(C_EncryptUpdate, 5, PLAIN) \
    ENTRY(C_EncryptFinal, 3, PLAIN) \
    ENTRY(C_DecryptInit, 3, MECHANISM) ENTRY(C_Decrypt, 5, PLAIN) ENTRY(C_DecryptUpdate, 5, PLAIN) \
    ENTRY(C_DecryptFinal, 3, PLAIN) \
    ENTRY(C_DigestInit, 2, MECHANISM) ENTRY(C_Digest, 5, PLAIN) ENTRY(C_DigestUpdate, 3, PLAIN) \
    ENTRY(C_DigestKey, 2, PLAIN) ENTRY(C_DigestFinal, 3, PLAIN) \
    ENTRY(C_SignInit, 3, MECHANISM) ENTRY(C_Sign, 5, PLAIN) ENTRY(C_SignUpdate, 3, PLAIN) ENTRY(C_SignFinal, 3, PLAIN) \
    ENTRY(C_SignRecoverInit, 3, MECHANISM) ENTRY(C_SignRecover, 5, PLAIN) \
    ENTRY(C_VerifyInit, 3, MECHANISM) ENTRY(C_Verify, 5, PLAIN) ENTRY(C_VerifyUpdate, 3, PLAIN) \
    ENTRY(C_VerifyFinal, 3, PLAIN) \
    ENTRY(C_VerifyRecoverInit, 3, MECHANISM) ENTRY(C_VerifyRecover, 5, PLAIN) \
    ENTRY(C_DigestEncryptUpdate, 5, PLAIN) ENTRY(C_DecryptDigestUpdate, 5, PLAIN) \
    ENTRY(C_SignEncryptUpdate, 5, PLAIN) ENTRY(C_DecryptVerifyUpdate, 5, PLAIN) \
    ENTRY(C_GenerateKey, 5, MECHANISM) ENTRY(C_GenerateKeyPair, 8, MECHANISM) \
    ENTRY(C_WrapKey, 6, MECHANISM) ENTRY(C_UnwrapKey, 8, MECHANISM) ENTRY(C_DeriveKey, 6, MECHANISM) \
    ENTRY(C_SeedRandom, 3, PLAIN) ENTRY(C_GenerateRandom, 3, PLAIN) \
    ENTRY(C_GetFunctionStatus, 1, PLAIN) ENTRY(C_CancelFunction, 1, PLAIN) ENTRY(C_WaitForSlotEvent, 3, PLAIN)

#define FUNCTIONS_OF_3_0(ENTRY) \
    ENTRY(C_GetInterfaceList, 2, OWN) ENTRY(C_GetInterface, 4, OWN) \
    ENTRY(C_LoginUser, 6, PLAIN) ENTRY(C_SessionCancel, 2, PLAIN) \
    ENTRY(C_MessageEncryptInit, 3, MECHANISM) ENTRY(C_EncryptMessage, 9, PLAIN) ENTRY(C_EncryptMessageBegin, 5, PLAIN) \
    ENTRY(C_EncryptMessageNext, 8, PLAIN) ENTRY(C_MessageEncryptFinal, 1, PLAIN) \
    ENTRY(C_MessageDecryptInit, 3, MECHANISM) ENTRY(C_DecryptMessage, 9, PLAIN) ENTRY(C_DecryptMessageBegin, 5, PLAIN) \
    ENTRY(C_DecryptMessageNext, 8, PLAIN) ENTRY(C_MessageDecryptFinal, 1, PLAIN) \
    ENTRY(C_MessageSignInit, 3, MECHANISM) ENTRY(C_SignMessage, 7, PLAIN) ENTRY(C_SignMessageBegin, 3, PLAIN) \
    ENTRY(C_SignMessageNext, 7, PLAIN) ENTRY(C_MessageSignFinal, 1, PLAIN) \
    ENTRY(C_MessageVerifyInit, 3, MECHANISM) ENTRY(C_VerifyMessage, 7, PLAIN) ENTRY(C_VerifyMessageBegin, 3, PLAIN) \
    ENTRY(C_VerifyMessageNext, 7, PLAIN) ENTRY(C_MessageVerifyFinal, 1, PLAIN)

#define FUNCTIONS_OF_3_2(ENTRY) \
    ENTRY(C_EncapsulateKey, 0, ABSENT) ENTRY(C_DecapsulateKey, 0, ABSENT) \
    ENTRY(C_VerifySignatureInit, 0, ABSENT) ENTRY(C_VerifySignature, 0, ABSENT) \
    ENTRY(C_VerifySignatureUpdate, 0, ABSENT) ENTRY(C_VerifySignatureFinal, 0, ABSENT) \
    ENTRY(C_GetSessionValidationFlags, 0, ABSENT) \
    ENTRY(C_AsyncComplete, 0, ABSENT) ENTRY(C_AsyncGetID, 0, ABSENT) ENTRY(C_AsyncJoin, 0, ABSENT) \
    ENTRY(C_WrapKeyAuthenticated, 0, ABSENT) ENTRY(C_UnwrapKeyAuthenticated, 0, ABSENT)

/* The version has the room of the first entry. */
#define NUMBER(name, arguments, kind) NUMBER_##name,
enum { VERSION, FUNCTIONS_OF_2_40(NUMBER) FUNCTIONS_OF_3_0(NUMBER) FUNCTIONS_OF_3_2(NUMBER) ENTRIES, FUNCTIONS = ENTRIES - 1 };

static void *const *inner;

static const struct {
    const char *name;
    CK_ULONG number;
} names[] = {
#define NAMED(name) {#name, name},
#include "names"
};

/* A line, which is written at once: other threads and processes write, too. */
struct note {
    char text[4096];
    size_t length;
};

__attribute__((format(printf, 2, 3))) static void add(struct note *note, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    note->length += vsnprintf(note->text + note->length, sizeof note->text - note->length, format, arguments);
    va_end(arguments);
    if (note->length >= sizeof note->text)
        abort();
}

/* Adds a number by its name, if it has one of this kind. */
static void add_name(struct note *note, const char *kind, CK_ULONG number) {
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].number == number && strncmp(names[i].name, kind, strlen(kind)) == 0) {
            add(note, "%s", names[i].name);
            return;
        }
    add(note, "%s0x%lX", kind, number);
}

static void finish(struct note *note) {
    int file = open(getenv("SPY_LOG"), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    add(note, "\n");
    if (file < 0 || write(file, note->text, note->length) != (ssize_t)note->length)
        abort();
    close(file);
}

/* ---- Functions that are passed on ---- */

#define WORDS_0 void
#define WORDS_1 CK_ULONG a
#define WORDS_2 WORDS_1, CK_ULONG b
#define WORDS_3 WORDS_2, CK_ULONG c
#define WORDS_4 WORDS_3, CK_ULONG d
#define WORDS_5 WORDS_4, CK_ULONG e
#define WORDS_6 WORDS_5, CK_ULONG f
#define WORDS_7 WORDS_6, CK_ULONG g
#define WORDS_8 WORDS_7, CK_ULONG h
#define WORDS_9 WORDS_8, CK_ULONG i
#define PASSED_1 a
#define PASSED_2 PASSED_1, b
#define PASSED_3 PASSED_2, c
#define PASSED_4 PASSED_3, d
#define PASSED_5 PASSED_4, e
#define PASSED_6 PASSED_5, f
#define PASSED_7 PASSED_6, g
#define PASSED_8 PASSED_7, h
#define PASSED_9 PASSED_8, i

/* The module's own function. */
#define INNER(name, arguments) ((CK_RV(*)(WORDS_##arguments))inner[NUMBER_##name])

#define SPY(name, arguments, ADD, RESULT)        \
    static CK_RV spy_##name(WORDS_##arguments) { \
        struct note note = {.length = 0};        \
        add(&note, #name);                       \
        ADD;                                     \
        finish(&note);                           \
        return RESULT;                           \
    }
#define PLAIN(name, arguments) SPY(name, arguments, , INNER(name, arguments)(PASSED_##arguments))
#define MECHANISM(name, arguments) SPY(name, arguments, add_mechanism(&note, b), INNER(name, arguments)(PASSED_##arguments))
#define ABSENT(name, arguments) SPY(name, arguments, , CKR_FUNCTION_NOT_SUPPORTED)
#define OWN(name, arguments) static CK_RV spy_##name(WORDS_##arguments);
#define DEFINE(name, arguments, kind) kind(name, arguments)

static void add_mechanism(struct note *note, CK_ULONG mechanism) {
    add(note, "\t");
    if (mechanism)
        add_name(note, "CKM_", ((const CK_MECHANISM *)mechanism)->mechanism);
}

FUNCTIONS_OF_2_40(DEFINE) FUNCTIONS_OF_3_0(DEFINE) FUNCTIONS_OF_3_2(DEFINE)

static CK_RV spy_C_FindObjectsInit(CK_ULONG session, CK_ULONG template, CK_ULONG count) {
    const CK_ATTRIBUTE *attributes = (const CK_ATTRIBUTE *)template;
    struct note note = {.length = 0};
    add(&note, "C_FindObjectsInit\t");
    for (CK_ULONG i = 0; i < count; i++) {
        add(&note, i ? " " : "");
        if (attributes[i].type == CKA_CLASS && attributes[i].pValue && attributes[i].ulValueLen == sizeof(CK_ULONG))
            add_name(&note, "CKO_", *(const CK_ULONG *)attributes[i].pValue);
        else
            add_name(&note, "CKA_", attributes[i].type);
    }
    finish(&note);
    return INNER(C_FindObjectsInit, 3)(session, template, count);
}

static CK_RV spy_C_GetAttributeValue(CK_ULONG session, CK_ULONG object, CK_ULONG template, CK_ULONG count) {
    const CK_ATTRIBUTE *attributes = (const CK_ATTRIBUTE *)template;
    CK_RV code = INNER(C_GetAttributeValue, 4)(session, object, template, count);
    CK_OBJECT_CLASS class = CK_UNAVAILABLE_INFORMATION;
    CK_ATTRIBUTE asked = {CKA_CLASS, &class, sizeof class};
    struct note note = {.length = 0};
    INNER(C_GetAttributeValue, 4)(session, object, (CK_ULONG)&asked, 1);
    add(&note, "C_GetAttributeValue\t");
    add_name(&note, "CKO_", class);
    for (CK_ULONG i = 0; i < count; i++) {
        add(&note, i ? " " : "\t");
        add_name(&note, "CKA_", attributes[i].type);
        if (attributes[i].ulValueLen == CK_UNAVAILABLE_INFORMATION)
            add(&note, "!");
    }
    finish(&note);
    return code;
}

/* ---- Tables ---- */

struct table {
    CK_VERSION version;
    void *functions[FUNCTIONS];
};
#define IN_TABLE(name, arguments, kind) (void *)spy_##name,
static struct table table_2_40 = {{2, 40}, {FUNCTIONS_OF_2_40(IN_TABLE)}};
static struct table table_3_0 = {{3, 0}, {FUNCTIONS_OF_2_40(IN_TABLE) FUNCTIONS_OF_3_0(IN_TABLE)}};
static struct table table_3_2 = {{3, 2}, {FUNCTIONS_OF_2_40(IN_TABLE) FUNCTIONS_OF_3_0(IN_TABLE) FUNCTIONS_OF_3_2(IN_TABLE)}};
static CK_UTF8CHAR standard[] = "PKCS 11";
static CK_INTERFACE newest = {(void *)standard, &table_3_2, 0};

/* The table that stands for one of the module. */
static void *outer(const CK_VERSION *version) {
    if (version->major == 2 && version->minor == 40)
        return &table_2_40;
    if (version->major == 3 && version->minor == 0)
        return &table_3_0;
    abort();
}

static int offers_3_2(void) { return getenv("SPY_OFFERS") && strcmp(getenv("SPY_OFFERS"), "3.2") == 0; }

/* Loads the module, whose table of 3.0 has all of its functions. */
static void load(void) {
    CK_RV (*get)(CK_UTF8CHAR_PTR, CK_VERSION_PTR, CK_INTERFACE **, CK_FLAGS);
    CK_VERSION version = {3, 0};
    CK_INTERFACE *interface;
    if (inner)
        return;
    void *library = dlopen(getenv("SPY_MODULE"), RTLD_NOW | RTLD_LOCAL);
    *(void **)&get = library ? dlsym(library, "C_GetInterface") : NULL;
    if (!get || get(standard, &version, &interface, 0) != CKR_OK) {
        fprintf(stderr, "spy: no module with an interface of 3.0: %s\n", getenv("SPY_MODULE"));
        abort();
    }
    inner = interface->pFunctionList;
}

CK_RV C_GetFunctionList(CK_FUNCTION_LIST **list) { return spy_C_GetFunctionList((CK_ULONG)list); }
CK_RV C_GetInterfaceList(CK_INTERFACE *list, CK_ULONG_PTR count) {
    return spy_C_GetInterfaceList((CK_ULONG)list, (CK_ULONG)count);
}
CK_RV C_GetInterface(CK_UTF8CHAR_PTR name, CK_VERSION_PTR version, CK_INTERFACE **interface, CK_FLAGS flags) {
    return spy_C_GetInterface((CK_ULONG)name, (CK_ULONG)version, (CK_ULONG)interface, flags);
}

static CK_RV spy_C_GetFunctionList(CK_ULONG list) {
    struct note note = {.length = 0};
    CK_RV code;
    load();
    code = INNER(C_GetFunctionList, 1)(list);
    add(&note, "C_GetFunctionList");
    finish(&note);
    if (code == CKR_OK)
        *(void **)list = &table_2_40;
    return code;
}

/* The interface of 3.2 is not in the list. */
static CK_RV spy_C_GetInterfaceList(CK_ULONG list, CK_ULONG count) {
    struct note note = {.length = 0};
    CK_INTERFACE *interfaces = (CK_INTERFACE *)list;
    CK_RV code;
    load();
    code = INNER(C_GetInterfaceList, 2)(list, count);
    add(&note, "C_GetInterfaceList");
    finish(&note);
    for (CK_ULONG i = 0; interfaces && code == CKR_OK && i < *(const CK_ULONG *)count; i++)
        interfaces[i].pFunctionList = outer(interfaces[i].pFunctionList);
    return code;
}

static CK_RV spy_C_GetInterface(CK_ULONG name, CK_ULONG version, CK_ULONG interface, CK_ULONG flags) {
    static CK_INTERFACE given[2];
    const CK_VERSION *wanted = (const CK_VERSION *)version;
    CK_INTERFACE **place = (CK_INTERFACE **)interface;
    struct note note = {.length = 0};
    CK_RV code = CKR_OK;
    load();
    if (offers_3_2() && place && !flags && (!name || strcmp((const char *)name, (const char *)standard) == 0)
        && (!wanted || (wanted->major == 3 && wanted->minor == 2))) {
        *place = &newest;
    } else if ((code = INNER(C_GetInterface, 4)(name, version, interface, flags)) == CKR_OK) {
        const CK_INTERFACE *own = *place;
        *place = &given[((const CK_VERSION *)own->pFunctionList)->major == 3];
        **place = *own;
        (*place)->pFunctionList = outer(own->pFunctionList);
    }
    add(&note, "C_GetInterface\t%s\t", name ? (const char *)name : "any");
    if (wanted)
        add(&note, "%d.%d", wanted->major, wanted->minor);
    add(&note, "\t%lu\t", flags);
    if (code == CKR_OK) {
        const CK_VERSION *got = (*place)->pFunctionList;
        add(&note, "%d.%d", got->major, got->minor);
    } else {
        add(&note, "refused");
    }
    finish(&note);
    return code;
}
