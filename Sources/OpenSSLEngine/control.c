/* SPDX-License-Identifier: Apache-2.0 */
/* Control commands, with the names of libp11's engine, so that its settings work here. */
#include "engine.h"

#include <stdio.h>
#include <string.h>

enum { MODULE_PATH = ENGINE_CMD_BASE, PIN, VERBOSE, QUIET, LOAD_CERT_CTRL, INIT_ARGS, SET_USER_INTERFACE,
       SET_CALLBACK_DATA, FORCE_LOGIN, SERIAL };

const ENGINE_CMD_DEFN control_commands[] = {
    {MODULE_PATH, "MODULE_PATH", "the PKCS #11 module's file; Kanal's, if this is not said", ENGINE_CMD_FLAG_STRING},
    {PIN, "PIN", "the user's PIN", ENGINE_CMD_FLAG_STRING},
    {VERBOSE, "VERBOSE", "tell on standard error what is done", ENGINE_CMD_FLAG_NO_INPUT},
    {QUIET, "QUIET", "tell nothing", ENGINE_CMD_FLAG_NO_INPUT},
    {LOAD_CERT_CTRL, "LOAD_CERT_CTRL", "get a certificate of the token", ENGINE_CMD_FLAG_INTERNAL},
    {INIT_ARGS, "INIT_ARGS", "accepted for the sake of libp11's settings, and without effect", ENGINE_CMD_FLAG_STRING},
    {SET_USER_INTERFACE, "SET_USER_INTERFACE", "how the user is asked (UI_METHOD)", ENGINE_CMD_FLAG_INTERNAL},
    {SET_CALLBACK_DATA, "SET_CALLBACK_DATA", "the data of the user interface", ENGINE_CMD_FLAG_INTERNAL},
    {FORCE_LOGIN, "FORCE_LOGIN", "log in before anything is looked for", ENGINE_CMD_FLAG_NO_INPUT},
    {SERIAL, "SERIAL", "the serial number of the token that PIN is for", ENGINE_CMD_FLAG_STRING},
    {0, NULL, NULL, 0},
};

static int set_pin(const char *text) {
    bool has_pin = text && text[0];
    struct secret *pin = has_pin ? secret_new(text, strlen(text)) : NULL;

    if (has_pin && !pin)
        return FAIL(REASON_CONTROL, "PIN has more than 256 bytes");
    settings_set_pin(pin);
    return 1;
}

static int get_certificate(void *pointer) {
    /* Structures and numbers of libp11's engine. */
    struct {
        const char *name;
        X509 *certificate;
    } *wanted = pointer;
    struct asking asking = settings_asking();

    if (!wanted || wanted->certificate)
        return FAIL(REASON_CONTROL, "LOAD_CERT_CTRL needs a structure with a name, and NULL for the certificate");
    wanted->certificate = load_certificate(wanted->name, &asking);
    return wanted->certificate != NULL;
}

int control(ENGINE *engine, int command, long number, void *pointer, void (*function)(void)) {
    (void)engine, (void)number, (void)function;
    switch (command) {
    case MODULE_PATH:
        if (!pointer || !*(const char *)pointer)
            return FAIL(REASON_CONTROL, "MODULE_PATH has no path");
        settings_set_module(pointer);
        return 1;
    case PIN: return set_pin(pointer);
    case VERBOSE: note_set_verbose(-1); return 1;
    case QUIET: note_set_verbose(0); return 1;
    case LOAD_CERT_CTRL: return get_certificate(pointer);
    case INIT_ARGS: return 1;
    case ENGINE_CTRL_SET_USER_INTERFACE:
    case SET_USER_INTERFACE: settings_set_interface(pointer); return 1;
    case ENGINE_CTRL_SET_CALLBACK_DATA:
    case SET_CALLBACK_DATA: settings_set_data(pointer); return 1;
    case FORCE_LOGIN: settings_set_login(true); return 1;
    case SERIAL: return settings_set_serial(pointer ? pointer : "");
    default: return FAIL(REASON_CONTROL, "the command %d is not known", command);
    }
}
