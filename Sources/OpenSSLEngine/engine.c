/* SPDX-License-Identifier: Apache-2.0 */
/* What OpenSSL calls: the engine is bound, loads keys, and ends. It may be bound more than once in a process. */
#include "engine.h"

#include <string.h>

#define ENGINE_ID "kanal"
/* What libp11's engine is called: programs that know no other name can have this one by it. */
#define OTHER_ID "pkcs11"

/* The engine's parts are kept while one of it is bound, or a key of a token lives. */
static int end(ENGINE *engine) {
    (void)engine;
    users_remove();
    return 1;
}

/* Called while OpenSSL holds its lock of engines: nothing may be done here. */
static int ready(ENGINE *engine) { return engine != NULL; }

static int bind_kanal(ENGINE *engine, const char *id) {
    if (id && strcmp(id, ENGINE_ID) != 0 && strcmp(id, OTHER_ID) != 0)
        return 0;
    errors_load();
    if (!module_prepare_process() || !rsa_prepare() || !ec_prepare())
        return NO_MEMORY();
    if (!ENGINE_set_id(engine, id && strcmp(id, OTHER_ID) == 0 ? OTHER_ID : ENGINE_ID)
        || !ENGINE_set_name(engine, "keys of PKCS #11 tokens, by Kanal")
        || !ENGINE_set_init_function(engine, ready) || !ENGINE_set_finish_function(engine, ready)
        || !ENGINE_set_destroy_function(engine, end) || !ENGINE_set_ctrl_function(engine, control)
        || !ENGINE_set_cmd_defns(engine, control_commands) || !ENGINE_set_pkey_meths(engine, gost_methods)
        || !ENGINE_set_load_privkey_function(engine, load_private_key)
        || !ENGINE_set_load_pubkey_function(engine, load_public_key))
        return 0;
    users_add();
    /* Without it other keys can be used. A GOST key says then what is missing. */
    ERR_set_mark();
    gost_prepare();
    ERR_pop_to_mark();
    return 1;
}

/* The two names that OpenSSL looks up. */
#pragma GCC visibility push(default)
unsigned long v_check(unsigned long version);
int bind_engine(ENGINE *engine, const char *id, const dynamic_fns *functions);
#pragma GCC visibility pop

IMPLEMENT_DYNAMIC_BIND_FN(bind_kanal)
IMPLEMENT_DYNAMIC_CHECK_FN()
