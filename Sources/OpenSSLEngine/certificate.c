/* SPDX-License-Identifier: Apache-2.0 */
/* Certificates, by the control command LOAD_CERT_CTRL. */
#include "engine.h"

X509 *load_certificate(const char *text, const struct asking *asking) {
    struct name name;
    struct token *token;
    struct object object = {0};
    CK_SESSION_HANDLE session;
    unsigned long connection;
    unsigned char *der = NULL;
    const unsigned char *rest;
    size_t length = 0;
    X509 *certificate = NULL;

    if (name_read(&name, text, CKO_CERTIFICATE)
        && object_find(&name, CKO_CERTIFICATE, asking, true, &token, &object)
        && token_acquire(token, &session, &connection)) {
        if (connection == object.connection)
            der = object_attribute(token, session, object.handle, CKA_VALUE, &length);
        token_release(token, session, connection);
        rest = der;
        certificate = der ? d2i_X509(NULL, &rest, (long)length) : NULL;
        if (!certificate)
            FAIL(REASON_INPUT, "the certificate cannot be read");
    }
    object_free(&object);
    OPENSSL_free(der);
    name_free(&name);
    return certificate;
}
