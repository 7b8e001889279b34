/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kanal's library as a module that lacks CKA_PUBLIC_KEY_INFO, as most do. LIBRARY is its path. With REFUSES in the
 * environment its keys want the PIN each time, and it is always wrong.
 */
#include <dlfcn.h>
#include <p11-kit/pkcs11.h>
#include <stdlib.h>

static CK_FUNCTION_LIST *kanal, plain;

static CK_RV get_attribute_value(
    CK_SESSION_HANDLE session, CK_OBJECT_HANDLE object, CK_ATTRIBUTE *attributes, CK_ULONG count) {
    if (count == 1 && attributes[0].type == CKA_PUBLIC_KEY_INFO) {
        attributes[0].ulValueLen = (CK_ULONG)-1;
        return CKR_ATTRIBUTE_TYPE_INVALID;
    }
    if (count == 1 && attributes[0].type == CKA_ALWAYS_AUTHENTICATE && getenv("REFUSES")) {
        attributes[0].ulValueLen = 1;
        if (attributes[0].pValue)
            *(CK_BBOOL *)attributes[0].pValue = CK_TRUE;
        return CKR_OK;
    }
    return kanal->C_GetAttributeValue(session, object, attributes, count);
}

static CK_RV login(CK_SESSION_HANDLE session, CK_USER_TYPE user, CK_UTF8CHAR *pin, CK_ULONG length) {
    return user == CKU_CONTEXT_SPECIFIC ? CKR_PIN_INCORRECT : kanal->C_Login(session, user, pin, length);
}

CK_RV C_GetFunctionList(CK_FUNCTION_LIST **list) {
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    CK_C_GetFunctionList get = library ? (CK_C_GetFunctionList)dlsym(library, "C_GetFunctionList") : NULL;
    CK_RV code = get ? get(&kanal) : CKR_GENERAL_ERROR;

    if (code != CKR_OK)
        return code;
    plain = *kanal;
    plain.C_GetAttributeValue = get_attribute_value;
    plain.C_Login = login;
    *list = &plain;
    return CKR_OK;
}
