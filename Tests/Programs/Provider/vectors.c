/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vectors < LINES
 *
 * Ciphers and codes of the provider "kanal" by EVP, against lines of hexadecimal fields, of which "-" is an empty one:
 *
 *   cipher NAME KEY IV PARAMETERS PLAIN CIPHERED   whole, and in pieces of all lengths; PARAMETERS are a message's
 *   aead NAME KEY NONCE DATA PLAIN CIPHERED TAG
 *   mac NAME KEY DATA CODE
 *   digest NAME DATA CODE
 *   hmac NAME KEY DATA CODE
 *
 * Prints how many there were. OPENSSL_MODULES has the provider.
 */
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS = 8, LONGEST = 1 << 22 };
struct octets {
    unsigned char *bytes;
    size_t length;
};
static OSSL_LIB_CTX *library;
static char line[2 * LONGEST];

static void fail(const char *what) {
    fprintf(stderr, "%s: %.120s\n", what, line);
    ERR_print_errors_fp(stderr);
    exit(1);
}

static struct octets read_octets(const char *text) {
    struct octets octets = {malloc(strlen(text) / 2 + 1), 0};

    if (strcmp(text, "-") != 0)
        for (; *text; text += 2)
            if (sscanf(text, "%2hhx", &octets.bytes[octets.length++]) != 1)
                fail("no hexadecimal number");
    return octets;
}

static bool equal(struct octets octets, const unsigned char *bytes, size_t length) {
    return octets.length == length && memcmp(octets.bytes, bytes, length) == 0;
}

/* ---- Ciphers ---- */

/* By pieces of this length; 0 for one piece. The output is in the input's place if it may be. */
static void run_cipher(
    const EVP_CIPHER *cipher, const struct octets *fields, struct octets in, struct octets out, bool is_encryption, size_t piece) {
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    unsigned char *result = malloc(in.length + 64);
    int count = 0, total = 0;
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_octet_string("alg_id_param", fields[2].bytes, fields[2].length), OSSL_PARAM_construct_end()};

    if (EVP_CipherInit_ex2(
            context, cipher, fields[0].bytes, fields[1].length ? fields[1].bytes : NULL, is_encryption,
            fields[2].length ? parameters : NULL) != 1)
        fail("not begun");
    EVP_CIPHER_CTX_set_padding(context, in.length != out.length);
    for (size_t done = 0; done < in.length;) {
        size_t taken = piece && in.length - done > piece ? piece : in.length - done;
        if (EVP_CipherUpdate(context, result + total, &count, in.bytes + done, (int)taken) != 1)
            fail("not done");
        total += count;
        done += taken;
    }
    if (EVP_CipherFinal_ex(context, result + total, &count) != 1)
        fail(is_encryption ? "not ended" : "not opened");
    if (!equal(out, result, (size_t)(total + count)))
        fail(is_encryption ? "another ciphertext" : "another text");
    free(result);
    EVP_CIPHER_CTX_free(context);
}

static void test_cipher(const char *name, const struct octets *fields) {
    static const size_t pieces[] = {0, 1, 7, 8, 9, 15, 16, 17, 33, 1000, 1024, 4099};
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(library, name, NULL);

    if (!cipher)
        fail("no such cipher");
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        run_cipher(cipher, fields, fields[3], fields[4], true, pieces[i]);
        run_cipher(cipher, fields, fields[4], fields[3], false, pieces[i]);
    }
    EVP_CIPHER_free(cipher);
}

static bool run_aead(
    const EVP_CIPHER *cipher, const struct octets *fields, bool is_encryption, unsigned char *tag, size_t piece) {
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    struct octets in = fields[is_encryption ? 3 : 4], out = fields[is_encryption ? 4 : 3];
    unsigned char *result = malloc(in.length + 64);
    int count = 0, total = 0, length = (int)fields[5].length;
    bool done;

    if (EVP_CipherInit_ex2(context, cipher, fields[0].bytes, fields[1].bytes, is_encryption, NULL) != 1
        || EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, length, is_encryption ? NULL : tag) != 1)
        fail("not begun");
    for (size_t i = 0; i < fields[2].length; i += piece)
        if (EVP_CipherUpdate(
                context, NULL, &count, fields[2].bytes + i, (int)(fields[2].length - i < piece ? fields[2].length - i : piece)) != 1)
            fail("data are not taken");
    for (size_t i = 0; i < in.length; i += piece) {
        if (EVP_CipherUpdate(context, result + total, &count, in.bytes + i, (int)(in.length - i < piece ? in.length - i : piece)) != 1)
            fail("not done");
        total += count;
    }
    done = EVP_CipherFinal_ex(context, result + total, &count) == 1;
    if (!equal(out, result, (size_t)total))
        fail("another text");
    if (done && is_encryption && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, length, tag) != 1)
        fail("no tag");
    free(result);
    EVP_CIPHER_CTX_free(context);
    return done;
}

static void test_aead(const char *name, const struct octets *fields) {
    static const size_t pieces[] = {1, 7, 16, 17, 1 << 20};
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(library, name, NULL);
    unsigned char tag[16];

    if (!cipher)
        fail("no such cipher");
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        if (!run_aead(cipher, fields, true, tag, pieces[i]) || !equal(fields[5], tag, fields[5].length))
            fail("another tag");
        if (!run_aead(cipher, fields, false, tag, pieces[i]))
            fail("not opened");
        tag[fields[5].length - 1] ^= 1;
        if (run_aead(cipher, fields, false, tag, pieces[i]))
            fail("opened with another tag");
        ERR_clear_error();
    }
    EVP_CIPHER_free(cipher);
}

/* ---- Codes ---- */

static void test_mac(const char *name, struct octets key, struct octets data, struct octets wanted, const char *digest) {
    static const size_t pieces[] = {1, 7, 8, 16, 17, 1000, 1 << 20};
    EVP_MAC *mac = EVP_MAC_fetch(library, name, NULL);
    size_t size = wanted.length;
    OSSL_PARAM parameters[] = {
        digest ? OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)digest, 0)
               : OSSL_PARAM_construct_size_t(OSSL_MAC_PARAM_SIZE, &size),
        OSSL_PARAM_construct_end()};

    if (!mac)
        fail("no such code");
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        EVP_MAC_CTX *context = EVP_MAC_CTX_new(mac);
        unsigned char code[64];
        size_t length = 0;
        if (EVP_MAC_init(context, key.bytes, key.length, parameters) != 1)
            fail("not begun");
        for (size_t j = 0; j < data.length; j += pieces[i])
            if (EVP_MAC_update(context, data.bytes + j, data.length - j < pieces[i] ? data.length - j : pieces[i]) != 1)
                fail("not done");
        if (EVP_MAC_final(context, code, &length, sizeof code) != 1 || !equal(wanted, code, length))
            fail("another code");
        EVP_MAC_CTX_free(context);
    }
    EVP_MAC_free(mac);
}

static void test_digest(const char *name, struct octets data, struct octets wanted) {
    unsigned char digest[64];
    size_t length = 0;

    if (!EVP_Q_digest(library, name, NULL, data.bytes, data.length, digest, &length) || !equal(wanted, digest, length))
        fail("another digest");
}

int main(void) {
    OSSL_PROVIDER *standard, *own;
    int count = 0;

    library = OSSL_LIB_CTX_new();
    standard = OSSL_PROVIDER_load(library, "default");
    own = OSSL_PROVIDER_load(library, "kanal");
    if (!standard || !own)
        fail("the provider is not loaded");
    while (fgets(line, sizeof line, stdin)) {
        char *copy = strdup(line), *rest = copy, *kind = strsep(&rest, " \n"), *name = strsep(&rest, " \n"), *word;
        struct octets fields[FIELDS];
        int found = 0;
        while (found < FIELDS && (word = strsep(&rest, " \n")) && *word)
            fields[found++] = read_octets(word);
        if (strcmp(kind, "cipher") == 0 && found == 5)
            test_cipher(name, fields);
        else if (strcmp(kind, "aead") == 0 && found == 6)
            test_aead(name, fields);
        else if (strcmp(kind, "mac") == 0 && found == 3)
            test_mac(name, fields[0], fields[1], fields[2], NULL);
        else if (strcmp(kind, "hmac") == 0 && found == 3)
            test_mac("HMAC", fields[0], fields[1], fields[2], name);
        else if (strcmp(kind, "digest") == 0 && found == 2)
            test_digest(name, fields[0], fields[1]);
        else
            fail("no such line");
        while (found > 0)
            free(fields[--found].bytes);
        free(copy);
        count++;
    }
    OSSL_PROVIDER_unload(own);
    OSSL_PROVIDER_unload(standard);
    OSSL_LIB_CTX_free(library);
    printf("%d vectors\n", count);
    return count == 0;
}
