/* SPDX-License-Identifier: Apache-2.0 */
// The code of GOST 28147-89, and OMAC by Magma and Kuznyechik.

#include "GOSTCiphers.h"
#include "Partial.h"

enum { section = 1024 };

void gost_mac_begin_imit(gost_mac *mac, const gost_block *block, const uint8_t *state, bool is_meshed) {
    *mac = (gost_mac){.block = *block, .is_imit = true, .is_meshed = is_meshed};
    if (state) memcpy(mac->state, state, 8);
}

void gost_mac_begin_omac(gost_mac *mac, const gost_block *block) { *mac = (gost_mac){.block = *block}; }

// ---- GOST 28147-89 ----

/// Whole blocks; the key changes before them if it is time.
static void absorb(gost_mac *mac, const uint8_t *data, size_t count) {
    while (count > 0) {
        size_t left = mac->is_meshed ? (section - mac->done % section) / 8 : count;
        size_t taken = count < left ? count : left;
        if (mac->is_meshed && mac->done > 0 && mac->done % section == 0) gost_block_mesh(&mac->block);
        gost_block_imit(&mac->block, mac->state, data, taken);
        mac->done += 8 * taken;
        data += 8 * taken;
        count -= taken;
    }
}

static void update_imit(gost_mac *mac, const uint8_t *data, size_t length) {
    while (length > 0) {
        size_t taken = length / 8 * 8;
        if (mac->used == 0 && taken > 0) absorb(mac, data, taken / 8);
        else taken = fill(mac->partial, &mac->used, 8, data, length);
        data += taken;
        length -= taken;
        if (mac->used == 8) {
            absorb(mac, mac->partial, 1);
            mac->used = 0;
        }
    }
}

/// The last block is padded with zeros. A single block is followed by a block of zeros.
static void end_imit(gost_mac *mac) {
    static const uint8_t zeros[8] = {0};

    if (mac->used > 0) {
        memset(mac->partial + mac->used, 0, 8 - mac->used);
        absorb(mac, mac->partial, 1);
    }
    if (mac->done == 8) absorb(mac, zeros, 1);
}

// ---- OMAC ----

static void update_omac(gost_mac *mac, const uint8_t *data, size_t length) {
    size_t size = gost_block_size(mac->block.name), count;

    while (length > 0) {
        if (mac->used == size) {
            gost_block_encrypt(&mac->block, mac->state, mac->state, 1);
            mac->used = 0;
        }
        // The last block is another one than those before.
        count = (length - 1) / size;
        if (mac->used == 0 && count > 0) {
            gost_block_chain(&mac->block, gost_chain_input, mac->state, data, NULL, count);
            data += size * count;
            length -= size * count;
            continue;
        }
        mac->state[mac->used++] ^= *data++;
        length--;
    }
}

/// Multiplies by t in GF(2^64) or GF(2^128), the first octet being the highest.
static void multiply_by_t(uint8_t *element, size_t size) {
    uint8_t carry = 0;

    for (size_t i = size; i-- > 0;) {
        uint8_t octet = element[i];
        element[i] = (uint8_t)(octet << 1) | carry;
        carry = octet >> 7;
    }
    element[size - 1] ^= (size == 8 ? 0x1B : 0x87) & (uint8_t)-carry;
}

static void end_omac(gost_mac *mac) {
    size_t size = gost_block_size(mac->block.name);
    uint8_t key[gost_block_largest] = {0};

    gost_block_encrypt(&mac->block, key, key, 1);
    multiply_by_t(key, size);
    if (mac->used < size) {
        mac->state[mac->used] ^= 0x80;
        multiply_by_t(key, size);
    }
    for (size_t i = 0; i < size; i++) mac->state[i] ^= key[i];
    gost_block_encrypt(&mac->block, mac->state, mac->state, 1);
    explicit_bzero(key, sizeof key);
}

void gost_mac_update(gost_mac *mac, const uint8_t *data, size_t length) {
    if (mac->is_imit) update_imit(mac, data, length);
    else update_omac(mac, data, length);
}

void gost_mac_end(gost_mac *mac, uint8_t *code, size_t length) {
    if (mac->is_imit) end_imit(mac);
    else end_omac(mac);
    memcpy(code, mac->state, length);
    explicit_bzero(mac, sizeof *mac);
}
