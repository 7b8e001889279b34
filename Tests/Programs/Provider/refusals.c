/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refusals
 *
 * The memory that processes share to spend one try on a wrong PIN, by itself: its lock is kept for REFUSALS_PATIENCE ms. Workers
 * become the user nobody, if the program runs as root. Prints "good", or the broken rule.
 */
#define _GNU_SOURCE
#include "OpenSSLKeys/refusals.c"

#include <grp.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

enum { WORKERS = 8, NOBODY = 65534 };
static struct refusals *refusals;
static int *presented;

void note(const char *format, ...) { (void)format; }

static void check(bool is_so, const char *rule) {
    if (is_so)
        return;
    fprintf(stderr, "not so: %s\n", rule);
    exit(1);
}

static struct secret pin(const char *text) {
    struct secret pin = {.length = strlen(text)};

    memcpy(pin.octets, text, pin.length);
    return pin;
}

/* A child, without rights, that does something and ends. */
static pid_t begin(bool (*work)(void)) {
    pid_t child = fork();

    if (child == 0) {
        if (geteuid() == 0
            && (setgroups(0, NULL) != 0 || setresgid(NOBODY, NOBODY, NOBODY) != 0 || setresuid(NOBODY, NOBODY, NOBODY) != 0))
            _exit(2);
        _exit(work() ? 0 : 1);
    }
    return child;
}
static bool has_ended_well(pid_t child) {
    int status;
    return waitpid(child, &status, 0) == child && status == 0;
}

static void marks_are_hashes(void) {
    unsigned char octets[64], expected[16];
    uint64_t key[2] = {0x0706050403020100, 0x0F0E0D0C0B0A0908};
    EVP_MAC *mac = EVP_MAC_fetch(NULL, "SIPHASH", NULL);
    EVP_MAC_CTX *context = EVP_MAC_CTX_new(mac);
    size_t length;

    for (size_t i = 0; i < sizeof octets; i++)
        octets[i] = (unsigned char)i;
    for (size_t i = 0; i < sizeof octets; i++) {
        struct mark mark = sip_hash(key, octets, i);
        check(
            EVP_MAC_init(context, (unsigned char *)key, sizeof key, NULL) && EVP_MAC_update(context, octets, i)
                && EVP_MAC_final(context, expected, &length, sizeof expected) && length == sizeof mark
                && memcmp(&mark, expected, length) == 0,
            "a mark is SipHash-2-4 of 128 bits");
    }
    EVP_MAC_CTX_free(context);
    EVP_MAC_free(mac);
}

/* As in a login: a wrong PIN is presented if nothing shows that it is wrong. */
static bool present_wrong(void) {
    struct secret wrong = pin("87654321");
    uint64_t held = refusals_lock(refusals, false);

    if (!refusals_have(refusals, &wrong)) {
        usleep(50000);
        __atomic_add_fetch(presented, 1, __ATOMIC_SEQ_CST);
        refusals_add(refusals, &wrong);
    }
    refusals_unlock(refusals, held);
    return true;
}
static void one_try_is_spent(void) {
    struct secret wrong = pin("87654321"), right = pin("12345678");
    pid_t workers[WORKERS];

    for (int i = 0; i < WORKERS; i++)
        workers[i] = begin(present_wrong);
    for (int i = 0; i < WORKERS; i++)
        check(has_ended_well(workers[i]), "a worker ends");
    check(*presented == 1, "of eight workers with a wrong PIN one presents it");
    check(refusals_have(refusals, &wrong) && !refusals_have(refusals, &right), "the parent knows the wrong PIN, and it alone");
    check(
        !memmem(refusals->shared, sizeof *refusals->shared, "87654321", 8)
            && !memmem(refusals->shared, sizeof *refusals->shared, "1234", 4),
        "shared memory has no PIN in clear");
    check(!refusals_have(refusals, NULL), "the token's own way was not refused");
    refusals_add(refusals, NULL);
    check(refusals_have(refusals, NULL), "the token's own way was refused");
    refusals_forget_path(refusals);
    check(!refusals_have(refusals, NULL), "the token's own way was accepted");
}

static bool hold(void) { return refusals_lock(refusals, false) != 0; }
static bool keep(void) { return hold() && pause() == 0; }
static bool change_it(void) {
    for (uint64_t i = 0;; i++)
        __atomic_store_n(&refusals->shared->holder, (uint64_t)(uint32_t)getpid() << 32 | i, __ATOMIC_SEQ_CST);
}
/* The time for the lock while a worker does something. */
static int64_t time_of(bool (*work)(void), bool has_ended_before) {
    pid_t worker = begin(work);
    int64_t since;
    uint64_t held;

    if (has_ended_before)
        check(has_ended_well(worker), "a worker ends with the lock");
    else
        usleep(100000);
    since = milliseconds();
    held = refusals_lock(refusals, false);
    since = milliseconds() - since;
    if (!has_ended_before) {
        kill(worker, SIGKILL);
        waitpid(worker, NULL, 0);
    }
    refusals_unlock(refusals, held);
    __atomic_store_n(&refusals->shared->holder, 0, __ATOMIC_SEQ_CST);
    return since;
}
static void waiting_is_bounded(void) {
    int64_t dead = time_of(hold, true), kept = time_of(keep, false), changing = time_of(change_it, false);

    check(dead < PATIENCE / 2, "a holder that has ended loses the lock at once");
    check(kept >= PATIENCE && kept < 3 * PATIENCE, "a holder that keeps the lock loses it after its time");
    check(changing < (ALL + 2) * PATIENCE, "holders that change all the time keep the lock for a bounded time");
}

/* Each number of the memory may be anything. */
static void numbers_do_no_harm(void) {
    static const uint64_t values[] = {1, UINT64_MAX, 1ULL << 63, 0xFFFFFFFF00000000, 0x7FFFFFFF00000001, 0x4141414141414141};
    struct secret right = pin("12345678"), wrong = pin("11111111");
    uint64_t *words = (uint64_t *)(void *)refusals->shared;

    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        for (size_t j = 0; j < sizeof *refusals->shared / sizeof *words; j++)
            words[j] = values[i];
        uint64_t held = refusals_lock(refusals, false);
        check(!refusals_have(refusals, &right) && !refusals_have(refusals, NULL), "numbers of others refuse no PIN");
        refusals_add(refusals, &wrong);
        check(refusals_have(refusals, &wrong), "a PIN is refused whatever was there before");
        refusals_unlock(refusals, held);
    }
}

int main(void) {
    alarm(60);
    refusals = refusals_new();
    presented = mmap(NULL, sizeof *presented, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    check(refusals && presented != MAP_FAILED, "there is memory");
    marks_are_hashes();
    one_try_is_spent();
    waiting_is_bounded();
    numbers_do_no_harm();
    refusals_free(refusals);
    puts("good");
    return 0;
}
