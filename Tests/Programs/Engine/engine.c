/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine MODE KEY [NUMBER]
 *
 * Signs with a key of the engine "kanal", which the configuration names, and verifies each signature without it. Modes:
 *
 *   sign      so many times; prints how many a second
 *   threads   the same in 16 threads that share the key
 *   load      16 threads load the key, sign once, and free it
 *   fork      in the process, in two children at once, in a child of each, and again in all of them
 *   twice     a copy of the engine is bound, too (OpenSSL binds a file once); keys of each work when the other is gone
 *   outlive   the key is used and freed after the engine was freed
 *   wait      signs for each line that comes, and prints "signed" or "failed"
 *   workers   the same in four children at once, which it waits for; if it is root, two of them are another user
 *   again     the key cannot be loaded, nor again, nor in two children
 *   certificate   the certificate of the same name is the key's
 *   leave     ends without freeing anything
 */
#define _DEFAULT_SOURCE
#define OPENSSL_API_COMPAT 10101
#include <grp.h>
#include <openssl/engine.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 16, NOBODY = 65534 };
static const char *name;
static int count = 1;
static EVP_PKEY *shared;

static int failed(const char *what) {
    fprintf(stderr, "%s\n", what);
    ERR_print_errors_fp(stderr);
    return 0;
}

static ENGINE *open_engine(void) {
    ENGINE *engine = ENGINE_by_id("kanal");
    if (engine && ENGINE_init(engine))
        return engine;
    ENGINE_free(engine);
    failed("no engine");
    return NULL;
}

static void close_engine(ENGINE *engine) {
    ENGINE_finish(engine);
    ENGINE_free(engine);
}

static EVP_PKEY *load(ENGINE *engine) {
    EVP_PKEY *key = engine ? ENGINE_load_private_key(engine, name, NULL, NULL) : NULL;
    if (!key)
        failed("no key");
    return key;
}

/* The public half, as OpenSSL knows it without the engine. */
static EVP_PKEY *public_half(EVP_PKEY *key) {
    unsigned char *der = NULL;
    int length = i2d_PUBKEY(key, &der);
    const unsigned char *rest = der;
    EVP_PKEY *half = length > 0 ? d2i_PUBKEY(NULL, &rest, length) : NULL;
    OPENSSL_free(der);
    return half;
}

static int sign(EVP_PKEY *key) {
    unsigned char message[32], signature[512];
    size_t length = sizeof signature;
    EVP_MD_CTX *signing = EVP_MD_CTX_new(), *verifying = EVP_MD_CTX_new();
    EVP_PKEY *half = public_half(key);
    const EVP_MD *digest;
    int nid = 0, done;

    for (size_t i = 0; i < sizeof message; i++)
        message[i] = (unsigned char)rand();
    done = half && EVP_PKEY_get_default_digest_nid(key, &nid) > 0 && (digest = EVP_get_digestbynid(nid))
        && EVP_DigestSignInit(signing, NULL, digest, NULL, key) > 0
        && EVP_DigestSign(signing, signature, &length, message, sizeof message) > 0
        && EVP_DigestVerifyInit(verifying, NULL, digest, NULL, half) > 0
        && EVP_DigestVerify(verifying, signature, length, message, sizeof message) == 1;
    EVP_PKEY_free(half);
    EVP_MD_CTX_free(signing);
    EVP_MD_CTX_free(verifying);
    return done || failed("no signature");
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void *sign_many(void *unused) {
    for (int i = 0; i < count; i++)
        if (!sign(shared))
            return NULL;
    return unused;
}

static void *load_once(void *engine) {
    EVP_PKEY *key = load(engine);
    int done = key && sign(key);
    EVP_PKEY_free(key);
    return done ? engine : NULL;
}

static int in_threads(void *(*work)(void *), void *argument) {
    pthread_t threads[THREADS];
    int done = 1;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, argument);
    for (int i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(threads[i], &result);
        done = done && result;
    }
    return done;
}

/* Signs in this process and, while generations are left, in children of it. */
static int in_processes(int generations) {
    pid_t children[2];
    int number = generations, done = 1;

    for (int i = 0; i < number; i++)
        if ((children[i] = fork()) == 0)
            _exit(sign(shared) && in_processes(generations - 1) ? 0 : 1);
    for (int i = 0; i < number; i++) {
        int status = 0;
        done = waitpid(children[i], &status, 0) == children[i] && status == 0 && done;
    }
    return sign(shared) && done;
}

static int twice(void) {
    const char *folder = getenv("OPENSSL_ENGINES");
    ENGINE *first = open_engine(), *second = ENGINE_by_id("dynamic");
    EVP_PKEY *key, *other;
    char path[4096];

    snprintf(path, sizeof path, "%s/copy.so", folder ? folder : ".");
    if (!first || !ENGINE_ctrl_cmd_string(second, "SO_PATH", path, 0)
        || !ENGINE_ctrl_cmd_string(second, "ID", "kanal", 0)
        || !ENGINE_ctrl_cmd_string(second, "LOAD", NULL, 0) || !ENGINE_init(second))
        return failed("not bound twice");
    key = load(first);
    other = load(second);
    if (!key || !other || !sign(key) || !sign(other))
        return 0;
    EVP_PKEY_free(key);
    close_engine(first);
    if (!sign(other))
        return 0;
    EVP_PKEY_free(other);
    other = load(second);
    close_engine(second);
    if (!other || !sign(other))
        return 0;
    EVP_PKEY_free(other);
    return 1;
}

static int wait_for_lines(void) {
    char line[80];
    setbuf(stdout, NULL);
    puts("ready");
    while (fgets(line, sizeof line, stdin)) puts(sign(shared) ? "signed" : "failed");
    return 1;
}

static int in_workers(void) {
    pid_t children[4];
    int done = 1;

    for (int i = 0; i < 4; i++)
        if ((children[i] = fork()) == 0) {
            if (i % 2 && geteuid() == 0 && (setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY)))
                _exit(2);
            _exit(sign(shared) ? 0 : 1);
        }
    for (int i = 0; i < 4; i++) {
        int status = 0;
        done = waitpid(children[i], &status, 0) == children[i] && status == 0 && done;
    }
    return done;
}

static int work_for_lines(void) {
    char line[80];
    setbuf(stdout, NULL);
    puts("ready");
    while (fgets(line, sizeof line, stdin)) puts(in_workers() ? "signed" : "failed");
    return 1;
}

static int cannot_load(ENGINE *engine) {
    pid_t children[2];
    int done = !load(engine) && !load(engine);

    for (int i = 0; i < 2; i++)
        if ((children[i] = fork()) == 0)
            _exit(load(engine) ? 1 : 0);
    for (int i = 0; i < 2; i++) {
        int status = 0;
        done = waitpid(children[i], &status, 0) == children[i] && status == 0 && done;
    }
    return done;
}

static int has_certificate(ENGINE *engine) {
    struct {
        const char *name;
        X509 *certificate;
    } wanted = {name, NULL};
    int done = ENGINE_ctrl_cmd(engine, "LOAD_CERT_CTRL", 0, &wanted, NULL, 0) && wanted.certificate
        && X509_check_private_key(wanted.certificate, shared) == 1;
    X509_free(wanted.certificate);
    return done || failed("no certificate, or another key's");
}

int main(int argc, char **argv) {
    const char *mode = argc > 2 ? argv[1] : "";
    ENGINE *engine;
    int done = 0;

    if (argc < 3)
        return 2;
    name = argv[2];
    if (argc > 3)
        count = atoi(argv[3]);
    OPENSSL_init_crypto(OPENSSL_INIT_LOAD_CONFIG, NULL);
    if (strcmp(mode, "twice") == 0)
        return twice() ? 0 : 1;
    engine = open_engine();
    if (!engine)
        return 1;
    if (strcmp(mode, "load") == 0) {
        done = in_threads(load_once, engine);
        close_engine(engine);
        return done ? 0 : 1;
    }
    if (strcmp(mode, "again") == 0) {
        done = cannot_load(engine);
        close_engine(engine);
        return done ? 0 : 1;
    }
    shared = load(engine);
    if (!shared)
        return 1;
    if (strcmp(mode, "sign") == 0 || strcmp(mode, "threads") == 0) {
        double start = now();
        int threads = mode[0] == 't' ? THREADS : 1;
        done = mode[0] == 't' ? in_threads(sign_many, engine) : sign_many(engine) != NULL;
        printf("%.1f signatures a second\n", threads * count / (now() - start));
    } else if (strcmp(mode, "fork") == 0) {
        done = sign(shared) && in_processes(2);
    } else if (strcmp(mode, "wait") == 0) {
        done = wait_for_lines();
    } else if (strcmp(mode, "workers") == 0) {
        done = work_for_lines();
    } else if (strcmp(mode, "certificate") == 0) {
        done = has_certificate(engine);
    } else if (strcmp(mode, "outlive") == 0) {
        close_engine(engine);
        done = sign(shared);
        EVP_PKEY_free(shared);
        return done ? 0 : 1;
    } else if (strcmp(mode, "leave") == 0) {
        return sign(shared) ? 0 : 1;
    }
    EVP_PKEY_free(shared);
    close_engine(engine);
    return done ? 0 : 1;
}
