/* SPDX-License-Identifier: Apache-2.0 */
// The one branch on what comes of a secret.

#include "GOSTCurves.h"

bool gost_public_answer(bool answer) {
    // The compiler sees neither what these lines give nor that they are alike: it makes a branch, and the result is a constant.
    int known = 0;
    if (answer) {
        known = 1;
        __asm__ __volatile__("# yes" : "+r"(known));
        return known;
    }
    __asm__ __volatile__("# no" : "+r"(known));
    return known;
}
