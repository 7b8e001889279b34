/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program linked against the library: calls plain exports, reads the tables, compares the two ways.
 */
#include <rtpkcs11.h>

int main(void) {
    CK_FUNCTION_LIST_PTR standard = NULL_PTR;
    CK_FUNCTION_LIST_EXTENDED_PTR extended = NULL_PTR;

    if (C_GetFunctionList(&standard) != CKR_OK || C_EX_GetFunctionListExtended(&extended) != CKR_OK)
        return 1;
    if (standard->C_Sign != C_Sign || extended->C_EX_SetActivationPassword != C_EX_SetActivationPassword)
        return 2;
    return 0;
}
