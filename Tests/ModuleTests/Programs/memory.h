/* Looks for secrets in everything that the process can write to. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <unistd.h>

enum { SECRETS = 64, LONGEST = 256, KEY = 32 };

/* Inverted. */
static unsigned char secrets[SECRETS][LONGEST];
static size_t lengths[SECRETS];
static int count;

/* The application's own copy of a secret, which it wipes itself. */
static void reveal(int index, unsigned char *text) {
    size_t i;

    for (i = 0; i < lengths[index]; i++)
        text[i] = ~secrets[index][i];
    text[i] = 0;
}

static int matches(const unsigned char *memory, int index) {
    size_t i;

    for (i = 0; i < lengths[index]; i++)
        if (memory[i] != (unsigned char)~secrets[index][i])
            return 0;
    return 1;
}

/* Looks through one mapping. What is read of the memory lies in memory too: the mapping that holds it is left out. */
static int search(int memory, unsigned long start, unsigned long end, const char *name) {
    static unsigned char block[(1 << 20) + LONGEST];
    unsigned long at;
    int index, found = 0;

    if ((unsigned long)block >= start && (unsigned long)block < end)
        return 0;
    for (at = start; at < end; at += 1 << 20) {
        ssize_t size = pread(memory, block, sizeof block, (off_t)at), i;
        for (index = 0; index < count; index++)
            for (i = 0; i + (ssize_t)lengths[index] <= size; i++)
                if (matches(block + i, index)) {
                    printf("secret %d at %lx in %s", index, at + i, name);
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
        if (sscanf(line, "%lx-%lx %4s", &start, &end, rights) == 3 && rights[0] == 'r' && rights[1] == 'w')
            found |= search(memory, start, end, line);
    fclose(maps);
    close(memory);
    return found;
}

/* That the search would find something is part of the check. */
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
