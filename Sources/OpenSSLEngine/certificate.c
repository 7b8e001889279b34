/* SPDX-License-Identifier: Apache-2.0 */
/* Certificates, by the control command LOAD_CERT_CTRL. */
#include "engine.h"

X509 *load_certificate(const char *text, const struct asking *asking) {
    struct name name;
    struct token *token;
    struct object object = {0};
    unsigned char *der = NULL;
    const unsigned char *rest;
    size_t length = 0;
    X509 *certificate = NULL;

    if (name_read(&name, text, CKO_CERTIFICATE) && object_find(&name, CKO_CERTIFICATE, asking, true, &token, &object))
        der = public_certificate(token, &object, &length);
    rest = der;
    if (der && !(certificate = d2i_X509(NULL, &rest, (long)length)))
        FAIL(REASON_INPUT, "the certificate is malformed; replace it on the token");
    object_free(&object);
    OPENSSL_free(der);
    name_free(&name);
    return certificate;
}
