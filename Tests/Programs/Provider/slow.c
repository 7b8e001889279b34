/* SPDX-License-Identifier: Apache-2.0 */
/* A module around another one, whose path is LIBRARY, whose end lasts 10 ms: long enough for another thread to begin. */
#include "../Engine/around.h"

#include <time.h>

static CK_RV finalize(void *reserved) {
    struct timespec moment = {0, 10000000};

    nanosleep(&moment, NULL);
    return inner->C_Finalize(reserved);
}

static void replace(void) { outer.C_Finalize = finalize; }
