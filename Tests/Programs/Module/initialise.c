/* SPDX-License-Identifier: Apache-2.0 */
/* Initialises and finalises the library that the first argument names. */
#include <dlfcn.h>
#include <stddef.h>

#include "rtpkcs11.h"

int main(int count, char **arguments) {
    void *library = count == 2 ? dlopen(arguments[1], RTLD_NOW) : NULL;
    CK_C_GetFunctionList get;
    CK_FUNCTION_LIST_PTR functions;
    if (library == NULL) return 1;
    *(void **)&get = dlsym(library, "C_GetFunctionList");
    if (get == NULL || get(&functions) != CKR_OK) return 2;
    return functions->C_Initialize(NULL) != CKR_OK || functions->C_Finalize(NULL) != CKR_OK;
}
