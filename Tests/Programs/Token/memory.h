/* SPDX-License-Identifier: Apache-2.0 */
/* Looks for secrets in everything that the process can write to, or in an image of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <unistd.h>

enum { SECRETS = 64, LONGEST = 256, KEY = 32 };

/* Inverted. */
static unsigned char secrets[SECRETS][LONGEST];
static size_t lengths[SECRETS];
/* Those that are looked for. */
static int first, count;

/* The application's own copy of a secret, which it wipes itself. */
static void reveal(int index, unsigned char *text) {
    size_t i;

    for (i = 0; i < lengths[index]; i++)
        text[i] = ~secrets[index][i];
    text[i] = 0;
}

/* In this order, or reversed, as libcrypto keeps numbers. */
static int matches(const unsigned char *memory, int index) {
    size_t size = lengths[index], same = 0, reversed = 0;

    while (same < size && memory[same] == (unsigned char)~secrets[index][same])
        same++;
    while (reversed < size && memory[reversed] == (unsigned char)~secrets[index][size - 1 - reversed])
        reversed++;
    return same == size || reversed == size;
}

/* The copy that is searched is in memory too: its mapping is left out. */
static unsigned char block[(1 << 20) + LONGEST];

static int is_own(unsigned long start, unsigned long end) {
    return (unsigned long)block >= start && (unsigned long)block < end;
}

/* Looks through a part of a file. */
static int search(int file, unsigned long start, unsigned long end, const char *name) {
    unsigned long at;
    int index, found = 0;

    for (at = start; at < end; at += 1 << 20) {
        ssize_t size = pread(file, block, sizeof block, (off_t)at), i;
        for (index = first; index < count; index++)
            for (i = 0; i + (ssize_t)lengths[index] <= size; i++)
                if (matches(block + i, index)) {
                    printf("secret %d at %lx in %s\n", index, at + i, name);
                    found = 1;
                }
    }
    return found;
}

static int scan(void) {
    int memory = open("/proc/self/mem", O_RDONLY), found = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[512], rights[5];
    unsigned long start, end;

    if (memory < 0 || !maps)
        return 2;
    while (fgets(line, sizeof line, maps))
        if (sscanf(line, "%lx-%lx %4s", &start, &end, rights) == 3 && rights[0] == 'r' && rights[1] == 'w'
            && !is_own(start, end))
            found |= search(memory, start, end, strrchr(line, ' ') + 1);
    fclose(maps);
    close(memory);
    return found;
}

/* Checks that the search can find something. */
static int prove(void) {
    unsigned char *copy = malloc(LONGEST + 1);
    int found;

    reveal(0, copy);
    found = scan();
    free(copy);
    if (found != 1)
        puts("the search finds nothing at all");
    return found == 1 ? 0 : 2;
}
