/* SPDX-License-Identifier: Apache-2.0 */
/* The start of the provider, its settings, and its end. It may be started more than once. */
#include "provider.h"

#include "libcrypto.h"

#include <openssl/provider.h>
#include <string.h>

PROVIDER_LIST(
    gettable, OSSL_PARAM_utf8_ptr(OSSL_PROV_PARAM_NAME, NULL, 0),
    OSSL_PARAM_utf8_ptr(OSSL_PROV_PARAM_VERSION, NULL, 0), OSSL_PARAM_utf8_ptr(OSSL_PROV_PARAM_BUILDINFO, NULL, 0),
    OSSL_PARAM_int(OSSL_PROV_PARAM_STATUS, NULL))

static int get(void *provider, OSSL_PARAM parameters[]) {
    static const char *const texts[][2] = {
        {OSSL_PROV_PARAM_NAME, "Kanal: keys of PKCS #11 tokens"},
        {OSSL_PROV_PARAM_VERSION, KANAL_VERSION},
        {OSSL_PROV_PARAM_BUILDINFO, KANAL_VERSION},
    };
    OSSL_PARAM *wanted;

    (void)provider;
    if (!wanted_check(parameters))
        return 0;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if ((wanted = OSSL_PARAM_locate(parameters, texts[i][0])) && !OSSL_PARAM_set_utf8_ptr(wanted, texts[i][1]))
            return 0;
    wanted = OSSL_PARAM_locate(parameters, OSSL_PROV_PARAM_STATUS);
    return !wanted || OSSL_PARAM_set_int(wanted, 1);
}

/* Keys and tokens end with the last provider and the last object. */
static void end(void *context) {
    struct provider *provider = context;

    OSSL_LIB_CTX_free(provider->context);
    OPENSSL_free(provider);
    users_remove();
}

static const OSSL_DISPATCH functions[] = {
    ENTRY(OSSL_FUNC_PROVIDER_QUERY_OPERATION, algorithms_query), ENTRY(OSSL_FUNC_PROVIDER_GETTABLE_PARAMS, gettable),
    ENTRY(OSSL_FUNC_PROVIDER_GET_PARAMS, get), ENTRY(OSSL_FUNC_PROVIDER_TEARDOWN, end), END_OF_TABLE};

static int read_switch(const char *name, const char *value, bool *is_on) {
    static const char *const words[2][4] = {{"0", "no", "off", "false"}, {"1", "yes", "on", "true"}};

    for (int i = 0; i < 8; i++)
        if (OPENSSL_strcasecmp(value, words[i / 4][i % 4]) == 0) {
            *is_on = i >= 4;
            return 1;
        }
    return FAIL(REASON_CONTROL, "%s = %s; it is 1 or 0", name, value);
}

/* The settings of the provider's section, with the names of the engine's control commands. */
static int configure(const OSSL_CORE_HANDLE *core, OSSL_FUNC_core_get_params_fn *get_parameters) {
    char *module = NULL, *pin = NULL, *serial = NULL, *verbose = NULL, *login = NULL;
    bool is_verbose = false, is_login_forced = false;
    OSSL_PARAM wanted[] = {
        OSSL_PARAM_construct_utf8_ptr("MODULE_PATH", &module, 0),
        OSSL_PARAM_construct_utf8_ptr("PIN", &pin, 0),
        OSSL_PARAM_construct_utf8_ptr("SERIAL", &serial, 0),
        OSSL_PARAM_construct_utf8_ptr("VERBOSE", &verbose, 0),
        OSSL_PARAM_construct_utf8_ptr("FORCE_LOGIN", &login, 0),
        OSSL_PARAM_construct_end(),
    };

    if (!get_parameters || !get_parameters(core, wanted))
        return 1;
    /* First, since OpenSSL drops the errors of the others. */
    if (verbose && !read_switch("VERBOSE", verbose, &is_verbose))
        return 0;
    if (verbose)
        note_set_verbose(is_verbose);
    if (module && *module)
        settings_set_module(module);
    if (pin && *pin) {
        struct secret *secret = secret_new(pin, strlen(pin));
        if (!secret)
            return FAIL(REASON_CONTROL, "PIN has more than 256 bytes");
        settings_set_pin(secret);
    }
    if (serial && !settings_set_serial(serial))
        return 0;
    if (login && !read_switch("FORCE_LOGIN", login, &is_login_forced))
        return 0;
    if (login)
        settings_set_login(is_login_forced);
    return 1;
}

/* Before libcrypto's functions are found, only the core can report an error. */
static void tell(const OSSL_CORE_HANDLE *core, const OSSL_DISPATCH *in, const char *format, ...) {
    OSSL_FUNC_core_vset_error_fn *set = NULL;
    OSSL_FUNC_core_new_error_fn *new = NULL;
    va_list arguments;

    for (; in->function_id; in++)
        if (in->function_id == OSSL_FUNC_CORE_NEW_ERROR)
            new = OSSL_FUNC_core_new_error(in);
        else if (in->function_id == OSSL_FUNC_CORE_VSET_ERROR)
            set = OSSL_FUNC_core_vset_error(in);
    if (!new || !set)
        return;
    va_start(arguments, format);
    new(core);
    set(core, REASON_UNSUPPORTED, format, arguments);
    va_end(arguments);
}

#pragma GCC visibility push(default)
OSSL_provider_init_fn OSSL_provider_init;
#pragma GCC visibility pop

int OSSL_provider_init(
    const OSSL_CORE_HANDLE *core, const OSSL_DISPATCH *in, const OSSL_DISPATCH **out, void **context) {
    OSSL_FUNC_core_get_params_fn *get_parameters = NULL;
    OSSL_FUNC_BIO_read_ex_fn *read = NULL;
    OSSL_FUNC_BIO_write_ex_fn *write = NULL;
    struct provider *provider;
    const char *missing;

    for (const OSSL_DISPATCH *entry = in; entry->function_id; entry++)
        switch (entry->function_id) {
        case OSSL_FUNC_CORE_GET_PARAMS: get_parameters = OSSL_FUNC_core_get_params(entry); break;
        case OSSL_FUNC_BIO_READ_EX: read = OSSL_FUNC_BIO_read_ex(entry); break;
        case OSSL_FUNC_BIO_WRITE_EX: write = OSSL_FUNC_BIO_write_ex(entry); break;
        }
    if (!get_parameters || !read || !write)
        return 0;
    missing = libcrypto_find((void (*)(void))get_parameters);
    if (missing) {
        tell(core, in, "the provider kanal does not find %s", missing);
        return 0;
    }
    errors_load();
    if (!module_prepare_process())
        return NO_MEMORY();
    provider = OPENSSL_zalloc(sizeof *provider);
    if (!provider)
        return NO_MEMORY();
    *provider = (struct provider){.core = core, .functions = in, .read = read, .write = write};
    /* Before the settings, which the last user clears. */
    users_add();
    if (!configure(core, get_parameters) || !registered_add()) {
        end(provider);
        return 0;
    }
    *context = provider;
    *out = functions;
    return 1;
}
