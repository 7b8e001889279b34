/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timestamp KEY CERTIFICATE QUERY RESPONSE
 *
 * Answers a query for a time stamp with a key of the engine "kanal", as "openssl ts -reply" does with one in a file.
 */
#define OPENSSL_API_COMPAT 10101
#include <openssl/engine.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ts.h>
#include <stdio.h>

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "failed: %s\n", #condition); \
            ERR_print_errors_fp(stderr); \
            return 1; \
        } \
    } while (0)

static ASN1_INTEGER *number(TS_RESP_CTX *context, void *data) {
    ASN1_INTEGER *serial = ASN1_INTEGER_new();
    (void)context, (void)data;
    if (serial)
        ASN1_INTEGER_set(serial, 1);
    return serial;
}

int main(int argc, char **argv) {
    CHECK(argc == 5);
    OPENSSL_init_crypto(OPENSSL_INIT_LOAD_CONFIG, NULL);
    ENGINE *engine = ENGINE_by_id("kanal");
    CHECK(engine && ENGINE_init(engine));
    EVP_PKEY *key = ENGINE_load_private_key(engine, argv[1], NULL, NULL);
    BIO *file = BIO_new_file(argv[2], "r"), *query = BIO_new_file(argv[3], "rb"), *to = BIO_new_file(argv[4], "wb");
    X509 *certificate = file ? PEM_read_bio_X509(file, NULL, NULL, NULL) : NULL;
    TS_RESP_CTX *context = TS_RESP_CTX_new();
    ASN1_OBJECT *policy = OBJ_txt2obj("1.2.3.4", 1);
    CHECK(key && certificate && query && to && context && policy);
    TS_RESP_CTX_set_serial_cb(context, number, NULL);
    CHECK(TS_RESP_CTX_set_signer_cert(context, certificate) && TS_RESP_CTX_set_signer_key(context, key));
    CHECK(TS_RESP_CTX_set_signer_digest(context, EVP_get_digestbyname("md_gost12_256")));
    CHECK(TS_RESP_CTX_set_def_policy(context, policy));
    CHECK(TS_RESP_CTX_add_md(context, EVP_get_digestbyname("md_gost12_256")));
    TS_RESP *response = TS_RESP_create_response(context, query);
    CHECK(response && i2d_TS_RESP_bio(to, response));
    TS_RESP_free(response);
    ASN1_OBJECT_free(policy);
    TS_RESP_CTX_free(context);
    X509_free(certificate);
    BIO_free(to), BIO_free(query), BIO_free(file);
    EVP_PKEY_free(key);
    ENGINE_finish(engine);
    ENGINE_free(engine);
    return 0;
}
