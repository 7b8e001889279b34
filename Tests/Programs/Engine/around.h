/* SPDX-License-Identifier: Apache-2.0 */
/* A PKCS #11 module around another one, whose path is LIBRARY: it has that one's functions but those it replaces. */
#ifndef AROUND_H
#define AROUND_H

#include <dlfcn.h>
#include <p11-kit/pkcs11.h>

static CK_FUNCTION_LIST *inner, outer;
/* Puts the module's own functions into outer. */
static void replace(void);

CK_RV C_GetFunctionList(CK_FUNCTION_LIST **list) {
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    CK_C_GetFunctionList get = library ? (CK_C_GetFunctionList)dlsym(library, "C_GetFunctionList") : NULL;
    CK_RV code = get ? get(&inner) : CKR_GENERAL_ERROR;

    if (code != CKR_OK)
        return code;
    outer = *inner;
    replace();
    *list = &outer;
    return CKR_OK;
}

#endif
