/* SPDX-License-Identifier: Apache-2.0 */
/* The child of the application's library context, in which the default provider computes. */
#include "provider.h"

#include <pthread.h>

/* Held while a child is made. Another thread may hold it while the process is forked. */
static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
static void in_child(void) { pthread_mutex_init(&making, NULL); }
static void prepare_forks(void) { pthread_atfork(NULL, NULL, in_child); }

/* One child for a provider: libcrypto, which tells children of other providers, takes two for each other when one is freed. */
OSSL_LIB_CTX *provider_context(struct provider *provider) {
    static pthread_once_t prepared = PTHREAD_ONCE_INIT;
    OSSL_LIB_CTX *context = __atomic_load_n(&provider->context, __ATOMIC_ACQUIRE);

    if (context)
        return context;
    pthread_once(&prepared, prepare_forks);
    pthread_mutex_lock(&making);
    context = provider->context;
    if (!context) {
        context = OSSL_LIB_CTX_new_child(provider->core, provider->functions);
        __atomic_store_n(&provider->context, context, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&making);
    if (!context)
        NO_MEMORY();
    return context;
}
