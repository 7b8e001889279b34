/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PINs that a token has refused, and its refused own authentication. A process shares them with its forked children, so
 * that a PIN that has become wrong costs one try for all workers of a server.
 *
 * A worker without rights may be under an attacker's control, so that the memory that it shares with root holds only
 * numbers. No pointer, no index and no mutex of it is trusted; an impossible number means that nothing was refused. A
 * PIN is stored as a keyed hash, whose key is in private memory, copied by the fork. A hash needs a millisecond, which
 * slows a worker, which has the key, down in trying all PINs. The hash is not libcrypto's, because a program may have
 * no provider of hashes.
 *
 * A lock lets one process at a time present a PIN. It has the number of its thread: an ended thread loses it at once, a
 * slow thread after the patience of the next, which goes on. So a worker that keeps the lock delays others, and costs
 * no more than one try; it could spend tries by itself. By writing it can make a PIN count as refused, or as new; it
 * could lock the PIN as well.
 */
#define _GNU_SOURCE
#include "keys.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

/*
 * Milliseconds that a holder may keep the lock, and a holder that asks its user. All holders together have four times
 * that.
 */
#ifndef REFUSALS_PATIENCE
#define REFUSALS_PATIENCE 30000
#endif
enum { PATIENCE = REFUSALS_PATIENCE, ASKING = 4 * PATIENCE, ALL = 4, POLL = 10, REFUSALS = 8, ROUNDS = 1 << 15 };

struct mark {
    uint64_t words[2];
};
/* It is read and written by atomic operations alone. Memory without a file cannot be cut short by another process. */
struct shared {
    /* The thread that holds the lock, above a number of its own; 0 for none. */
    uint64_t holder;
    uint64_t count;
    struct mark pins[REFUSALS], path;
};
struct refusals {
    struct shared *shared;
    uint64_t key[2];
};

/* ---- Marks ---- */

static uint64_t turn(uint64_t word, int count) { return word << count | word >> (64 - count); }

static void sip_rounds(uint64_t state[4], int count) {
    for (; count > 0; count--) {
        state[0] += state[1];
        state[2] += state[3];
        state[1] = turn(state[1], 13) ^ state[0];
        state[3] = turn(state[3], 16) ^ state[2];
        state[0] = turn(state[0], 32) + state[3];
        state[2] += state[1];
        state[1] = turn(state[1], 17) ^ state[2];
        state[3] = turn(state[3], 21) ^ state[0];
        state[2] = turn(state[2], 32);
    }
}

/* SipHash-2-4 of 128 bits, by J.-P. Aumasson and D. J. Bernstein. */
static struct mark sip_hash(const uint64_t key[2], const void *octets, size_t length) {
    uint64_t state[4] = {key[0] ^ 0x736F6D6570736575, key[1] ^ 0x646F72616E646F6D ^ 0xEE, key[0] ^ 0x6C7967656E657261,
                         key[1] ^ 0x7465646279746573};
    const unsigned char *bytes = octets;
    struct mark mark;

    for (size_t done = 0, taken = 8; taken == 8; done += taken) {
        uint64_t word;
        taken = length - done < 8 ? length - done : 8;
        word = taken < 8 ? (uint64_t)length << 56 : 0;
        for (size_t i = 0; i < taken; i++)
            word |= (uint64_t)bytes[done + i] << 8 * i;
        state[3] ^= word;
        sip_rounds(state, 2);
        state[0] ^= word;
    }
    state[2] ^= 0xEE;
    sip_rounds(state, 4);
    mark.words[0] = state[0] ^ state[1] ^ state[2] ^ state[3];
    state[1] ^= 0xDD;
    sip_rounds(state, 4);
    mark.words[1] = state[0] ^ state[1] ^ state[2] ^ state[3];
    OPENSSL_cleanse(state, sizeof state);
    return mark;
}

/* NULL is the token's own authentication. */
static struct mark mark_of(const struct refusals *refusals, const struct secret *pin) {
    struct mark mark = sip_hash(refusals->key, pin ? pin->octets : NULL, pin ? pin->length : 0);

    for (int i = 0; i < ROUNDS; i++)
        mark = sip_hash(refusals->key, &mark, sizeof mark);
    return mark;
}

static bool is_there(const struct mark *there, struct mark mark) {
    return __atomic_load_n(&there->words[0], __ATOMIC_SEQ_CST) == mark.words[0]
        && __atomic_load_n(&there->words[1], __ATOMIC_SEQ_CST) == mark.words[1];
}
static void put(struct mark *there, struct mark mark) {
    __atomic_store_n(&there->words[0], mark.words[0], __ATOMIC_SEQ_CST);
    __atomic_store_n(&there->words[1], mark.words[1], __ATOMIC_SEQ_CST);
}

bool refusals_have(const struct refusals *refusals, const struct secret *pin) {
    struct mark mark = mark_of(refusals, pin);
    bool has_mark = false;

    if (!pin)
        return is_there(&refusals->shared->path, mark);
    for (size_t i = 0; i < REFUSALS; i++)
        has_mark |= is_there(&refusals->shared->pins[i], mark);
    return has_mark;
}

/* The oldest makes room. */
void refusals_add(struct refusals *refusals, const struct secret *pin) {
    struct shared *shared = refusals->shared;

    if (pin)
        put(&shared->pins[__atomic_fetch_add(&shared->count, 1, __ATOMIC_SEQ_CST) % REFUSALS], mark_of(refusals, pin));
    else
        put(&shared->path, mark_of(refusals, NULL));
}

void refusals_forget_path(struct refusals *refusals) { put(&refusals->shared->path, (struct mark){0}); }

/* ---- The lock ---- */

static int64_t milliseconds(void) {
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Another PID namespace has other numbers: there a living holder may count as ended. */
static bool has_ended(uint64_t holder) {
    int32_t thread = (int32_t)(holder >> 32);

    return thread <= 0 || (kill(thread, 0) != 0 && errno == ESRCH);
}

uint64_t refusals_lock(struct refusals *refusals, bool is_asking) {
    static uint32_t count;
    const struct timespec pause = {.tv_nsec = POLL * 1000000L};
    uint64_t *holder = &refusals->shared->holder, seen = 0,
             own = (uint64_t)(uint32_t)gettid() << 32 | __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
    int64_t patience = is_asking ? ASKING : PATIENCE, begin = milliseconds(), since = begin;

    for (;;) {
        uint64_t found = 0;
        int64_t now = milliseconds();
        bool is_over = now - begin >= ALL * patience;
        if (__atomic_compare_exchange_n(holder, &found, own, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
            return own;
        if (found != seen) {
            seen = found;
            since = now;
        }
        if (is_over || now - since >= patience)
            note("another process has been logging in to this token for too long; this process goes on");
        if (is_over) {
            __atomic_store_n(holder, own, __ATOMIC_SEQ_CST);
            return own;
        }
        if ((now - since >= patience || has_ended(found))
            && __atomic_compare_exchange_n(holder, &found, own, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
            return own;
        nanosleep(&pause, NULL);
    }
}

/* Another thread may have lost its patience, and hold the lock. */
void refusals_unlock(struct refusals *refusals, uint64_t held) {
    __atomic_compare_exchange_n(&refusals->shared->holder, &held, 0, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/* ---- Memory ---- */

struct refusals *refusals_new(void) {
    struct refusals *refusals = OPENSSL_zalloc(sizeof *refusals);
    void *shared = MAP_FAILED;

    if (refusals && getrandom(refusals->key, sizeof refusals->key, 0) == sizeof refusals->key)
        shared = mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        OPENSSL_free(refusals);
        return NULL;
    }
    (void)madvise(shared, sizeof(struct shared), MADV_DONTDUMP);
    refusals->shared = shared;
    return refusals;
}

/* Others may use the memory: it is only unmapped. */
void refusals_free(struct refusals *refusals) {
    if (!refusals)
        return;
    munmap(refusals->shared, sizeof(struct shared));
    OPENSSL_clear_free(refusals, sizeof *refusals);
}
