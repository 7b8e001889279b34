/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A module around another one, whose path is LIBRARY, that changes values of attributes: one to three bytes of every eighth, and
 * the length of every sixteenth, which is one byte more than there is room for. CKA_PUBLIC_KEY_INFO is hidden half of the time,
 * so that public keys are put together from their parts. Each run has the same changes. A program has one thread that asks.
 */
#include "../Engine/around.h"

#include <stdlib.h>

static unsigned int seed = 1;

static CK_RV get_attribute_value(
    CK_SESSION_HANDLE session, CK_OBJECT_HANDLE object, CK_ATTRIBUTE *attributes, CK_ULONG count) {
    CK_RV code;

    if (attributes[0].type == CKA_PUBLIC_KEY_INFO && rand_r(&seed) % 2 == 0) {
        attributes[0].ulValueLen = CK_UNAVAILABLE_INFORMATION;
        return CKR_ATTRIBUTE_TYPE_INVALID;
    }
    code = inner->C_GetAttributeValue(session, object, attributes, count);
    for (CK_ULONG i = 0; code == CKR_OK && i < count; i++) {
        if (!attributes[i].pValue || attributes[i].ulValueLen == 0)
            continue;
        if (rand_r(&seed) % 8 == 0)
            for (int left = 1 + rand_r(&seed) % 3; left > 0; left--)
                ((unsigned char *)attributes[i].pValue)[(CK_ULONG)rand_r(&seed) % attributes[i].ulValueLen] =
                    (unsigned char)rand_r(&seed);
        if (rand_r(&seed) % 16 == 0)
            attributes[i].ulValueLen++;
    }
    return code;
}

static void replace(void) { outer.C_GetAttributeValue = get_attribute_value; }
