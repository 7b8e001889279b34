/* SPDX-License-Identifier: Apache-2.0 */
/* The child of the application's library context, in which the default provider computes. */
#include "provider.h"

OSSL_LIB_CTX *provider_context(struct provider *provider) {
    OSSL_LIB_CTX *known = __atomic_load_n(&provider->context, __ATOMIC_ACQUIRE), *made;

    if (known)
        return known;
    made = OSSL_LIB_CTX_new_child(provider->core, provider->functions);
    if (!made) {
        NO_MEMORY();
        return NULL;
    }
    if (__atomic_compare_exchange_n(
            &provider->context, &known, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return made;
    OSSL_LIB_CTX_free(made);
    return known;
}
