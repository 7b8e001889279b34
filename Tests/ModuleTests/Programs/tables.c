/*
 * tables LIBRARY
 *
 * Loads the library and takes both tables before C_Initialize. Names every entry that is not the exported function of
 * its name; the exit status is their number.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include <rtpkcs11.h>

#include "functions.h"

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
    return wrong;
}
