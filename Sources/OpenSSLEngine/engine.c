/* SPDX-License-Identifier: Apache-2.0 */
/* OpenSSL's calls: the engine is bound, loads keys, and ends. It may be bound more than once in a process. */
#include "engine.h"

#include <string.h>

#define ENGINE_ID "kanal"
/* The name of libp11's engine, for programs that know no other. */
#define OTHER_ID "pkcs11"

/* The engine's parts are kept while an engine is bound, or a key of a token exists. */
static int end(ENGINE *engine) {
    (void)engine;
    users_remove();
    return 1;
}

/* Called while OpenSSL holds its lock of engines: no work may be done here. */
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
    /* Without the engine gost, other keys work. Loading a GOST key reports the missing engine. */
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
