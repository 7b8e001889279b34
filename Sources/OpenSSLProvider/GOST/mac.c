/* SPDX-License-Identifier: Apache-2.0 */
/* The code of GOST 28147-89, and OMAC by Magma and Kuznyechik. */
#include "mac.h"

#include <string.h>

enum { MESH = 1024 };

void mac_begin_imit(struct mac *mac, const struct block *block, const unsigned char *state, bool is_meshed) {
    *mac = (struct mac){.block = *block, .is_imit = true, .is_meshed = is_meshed};
    if (state)
        memcpy(mac->state, state, 8);
}

void mac_begin_omac(struct mac *mac, const struct block *block) { *mac = (struct mac){.block = *block}; }

/* ---- GOST 28147-89 ---- */

/* Whole blocks; the key changes before them if it is time. */
static void absorb(struct mac *mac, const unsigned char *data, size_t count) {
    while (count > 0) {
        size_t left = mac->is_meshed ? (MESH - mac->done % MESH) / 8 : count;
        size_t taken = count < left ? count : left;
        if (mac->is_meshed && mac->done > 0 && mac->done % MESH == 0)
            block_mesh(&mac->block);
        block_imit(&mac->block, mac->state, data, taken);
        mac->done += 8 * taken;
        data += 8 * taken;
        count -= taken;
    }
}

static void update_imit(struct mac *mac, const unsigned char *data, size_t length) {
    size_t taken;

    if (mac->used > 0) {
        taken = length < 8 - mac->used ? length : 8 - mac->used;
        memcpy(mac->partial + mac->used, data, taken);
        mac->used += taken;
        data += taken;
        length -= taken;
        if (mac->used < 8)
            return;
        absorb(mac, mac->partial, 1);
        mac->used = 0;
    }
    absorb(mac, data, length / 8);
    mac->used = length % 8;
    memcpy(mac->partial, data + length - mac->used, mac->used);
}

/*
 * The last block is padded with zeros. A single block is followed by a block of zeros, since the standard requires two.
 */
static void end_imit(struct mac *mac) {
    static const unsigned char zeros[8] = {0};

    if (mac->used > 0) {
        memset(mac->partial + mac->used, 0, 8 - mac->used);
        absorb(mac, mac->partial, 1);
    }
    if (mac->done == 8)
        absorb(mac, zeros, 1);
}

/* ---- OMAC ---- */

static void update_omac(struct mac *mac, const unsigned char *data, size_t length) {
    size_t size = block_size(&mac->block), count;

    while (length > 0) {
        if (mac->used == size) {
            block_encrypt(&mac->block, mac->state, mac->state, 1);
            mac->used = 0;
        }
        count = (length - 1) / size;
        if (mac->used == 0 && count > 0) {
            block_chain(&mac->block, gost_chain_input, mac->state, data, NULL, count);
            data += size * count;
            length -= size * count;
            continue;
        }
        mac->state[mac->used++] ^= *data++;
        length--;
    }
}

/* Multiplies by t in GF(2^64) or GF(2^128), the first byte being the highest. */
static void multiply_by_t(unsigned char *element, size_t size) {
    unsigned char carry = 0;

    for (size_t i = size; i-- > 0;) {
        unsigned char byte = element[i];
        element[i] = (unsigned char)(byte << 1) | carry;
        carry = byte >> 7;
    }
    element[size - 1] ^= (size == 8 ? 0x1B : 0x87) & (unsigned char)-carry;
}

static void end_omac(struct mac *mac) {
    size_t size = block_size(&mac->block);
    unsigned char key[BLOCK_LARGEST] = {0};

    block_encrypt(&mac->block, key, key, 1);
    multiply_by_t(key, size);
    if (mac->used < size) {
        mac->state[mac->used] ^= 0x80;
        multiply_by_t(key, size);
    }
    for (size_t i = 0; i < size; i++)
        mac->state[i] ^= key[i];
    block_encrypt(&mac->block, mac->state, mac->state, 1);
    explicit_bzero(key, sizeof key);
}

void mac_update(struct mac *mac, const unsigned char *data, size_t length) {
    if (!length)
        return;
    if (mac->is_imit)
        update_imit(mac, data, length);
    else
        update_omac(mac, data, length);
}

void mac_end(struct mac *mac, unsigned char *code, size_t length) {
    if (mac->is_imit)
        end_imit(mac);
    else
        end_omac(mac);
    memcpy(code, mac->state, length);
    explicit_bzero(mac, sizeof *mac);
}
