/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kanal's library as a module that lacks CKA_PUBLIC_KEY_INFO, as most do. LIBRARY is its path. With REFUSES in the
 * environment its keys want the PIN each time, and it is always wrong.
 */
#include "around.h"

#include <stdlib.h>

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
    return inner->C_GetAttributeValue(session, object, attributes, count);
}

static CK_RV login(CK_SESSION_HANDLE session, CK_USER_TYPE user, CK_UTF8CHAR *pin, CK_ULONG length) {
    return user == CKU_CONTEXT_SPECIFIC ? CKR_PIN_INCORRECT : inner->C_Login(session, user, pin, length);
}

static void replace(void) {
    outer.C_GetAttributeValue = get_attribute_value;
    outer.C_Login = login;
}
