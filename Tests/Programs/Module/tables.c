/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tables LIBRARY
 *
 * Loads the library and reads all tables before C_Initialize. Names every entry that is not the exported function of
 * its name, and every interface that is given or refused against the rule; the exit status is their number.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include <pkcs11v3.h>

#include "functions.h"

/* Functions of these names that the program exports, as programs with libp11-kit do, are in no table of the library. */
#define DECOY(name, n)                         \
    void decoy_##name(void) __asm__(#name);    \
    void decoy_##name(void) {}
STANDARD_FUNCTIONS(DECOY)
FUNCTIONS_OF_3_0(DECOY)
EXTENDED_FUNCTIONS(DECOY)

static int wrong;

static void expect(int condition, const char *what) {
    if (!condition) {
        wrong++;
        printf("%s\n", what);
    }
}

/* The function that a table has as its entry n. */
static void *entry(const void *table, int n) {
    void *function;
    memcpy(&function, (const char *)table + n * sizeof function, sizeof function);
    return function;
}

static void *find(void *library, const char *name) {
    void *function = dlsym(library, name);
    expect(function != NULL, name);
    return function;
}

/* Returns the table of the interface of a version; NULL without one. */
static const CK_VERSION *table(CK_RV (*get)(CK_UTF8CHAR_PTR, CK_VERSION_PTR, CK_INTERFACE **, CK_FLAGS), CK_BYTE major,
                               CK_BYTE minor) {
    CK_UTF8CHAR name[] = "PKCS 11";
    CK_VERSION version;
    CK_INTERFACE *interface = NULL;
    version.major = major;
    version.minor = minor;
    expect(get(name, &version, &interface, 0) == CKR_OK && interface != NULL, "an interface by name and version");
    if (!interface)
        return NULL;
    expect(strcmp((char *)interface->pInterfaceName, "PKCS 11") == 0 && interface->flags == 0, "name and flags");
    return interface->pFunctionList;
}

/* R17: each version has a table of its own, and a missing one leaves the pointer alone. */
static void interfaces(void *library, const CK_FUNCTION_LIST *standard) {
    CK_RV (*get)(CK_UTF8CHAR_PTR, CK_VERSION_PTR, CK_INTERFACE **, CK_FLAGS);
    CK_RV (*list)(CK_INTERFACE *, CK_ULONG_PTR);
    CK_INTERFACE all[2], *interface = all, *first = NULL;
    CK_VERSION unknown = {2, 39};
    CK_UTF8CHAR other[] = "Vendor";
    CK_ULONG count = 1, known;
    const CK_VERSION *v30;
    void *symbol = find(library, "C_GetInterface");
    memcpy(&get, &symbol, sizeof symbol);
    symbol = find(library, "C_GetInterfaceList");
    memcpy(&list, &symbol, sizeof symbol);
    if (wrong)
        return;

    v30 = table(get, 3, 0);
    expect((const void *)table(get, 2, 40) == (const void *)standard, "the interface of 2.40 is C_GetFunctionList's");
    if (!v30)
        return;
    expect(v30->major == 3 && v30->minor == 0, "version of the later table");
#define IN_30(name, n) expect(entry(v30, n) == find(library, #name), #name " in 3.0");
    STANDARD_FUNCTIONS(IN_30) FUNCTIONS_OF_3_0(IN_30)

    expect(get(NULL, NULL, NULL, 0) == CKR_ARGUMENTS_BAD, "C_GetInterface without a place");
    expect(get(NULL, &unknown, &interface, 0) != CKR_OK, "an unknown version");
    expect(get(other, NULL, &interface, 0) != CKR_OK, "an unknown name");
    expect(get(NULL, NULL, &interface, CKF_INTERFACE_FORK_SAFE) != CKR_OK, "fork safety");
    expect(get(NULL, NULL, &interface, 1UL << 40) != CKR_OK, "an unknown flag");
    expect(interface == all, "a refusal leaves the pointer alone");
    expect(get(NULL, NULL, &first, 0) == CKR_OK && first->pFunctionList == (const void *)v30, "the newest by default");

    expect(list(NULL, NULL) == CKR_ARGUMENTS_BAD, "C_GetInterfaceList without a count");
    expect(list(NULL, &known) == CKR_OK && known == 2, "the number of interfaces");
    expect(list(all, &count) == CKR_BUFFER_TOO_SMALL && count == 2, "a list that is too short");
    expect(list(all, &count) == CKR_OK && count == 2, "the list");
    expect(all[0].pFunctionList == v30 && all[1].pFunctionList == standard, "the newest first");
}

int main(int argc, char **argv) {
    void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    CK_FUNCTION_LIST_PTR standard = NULL;
    CK_FUNCTION_LIST_EXTENDED_PTR extended = NULL;
    CK_C_GetFunctionList getStandard;
    CK_C_EX_GetFunctionListExtended getExtended;
    void *symbol;

    if (!library) {
        puts(argc == 2 ? dlerror() : "usage: tables LIBRARY");
        return 100;
    }
    symbol = find(library, "C_GetFunctionList");
    memcpy(&getStandard, &symbol, sizeof symbol);
    symbol = find(library, "C_EX_GetFunctionListExtended");
    memcpy(&getExtended, &symbol, sizeof symbol);
    if (wrong)
        return 100;

    expect(getStandard(NULL) == CKR_ARGUMENTS_BAD, "C_GetFunctionList(NULL)");
    expect(getExtended(NULL) == CKR_ARGUMENTS_BAD, "C_EX_GetFunctionListExtended(NULL)");
    if (getStandard(&standard) != CKR_OK || !standard || getExtended(&extended) != CKR_OK || !extended)
        return 100;

    expect(standard->version.major == 2 && standard->version.minor == 40, "version of the standard table");
    expect(extended->version.major == 2 && extended->version.minor == 40, "version of the extended table");
#define IN_STANDARD(name, n) expect(entry(standard, n) == find(library, #name), #name);
#define IN_EXTENDED(name, n) expect(entry(extended, n) == find(library, #name), #name);
    STANDARD_FUNCTIONS(IN_STANDARD)
    EXTENDED_FUNCTIONS(IN_EXTENDED)
#define IS_THERE(name, n) find(library, #name);
    KANAL_FUNCTIONS(IS_THERE)
    interfaces(library, standard);
    return wrong;
}
