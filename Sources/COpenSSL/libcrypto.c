/* SPDX-License-Identifier: Apache-2.0 */
// libcrypto of OpenSSL 4 or 3, loaded when it is first needed: one file serves on systems with either. Loading and
// relocating it takes longer than all the rest of C_Initialize and C_GetSlotList, and a process that only looks which
// tokens there are needs none of it.
//
// At first all jumps lead to kanal_first_call, which has libcrypto loaded and goes on where the call was meant to go, with
// its arguments untouched.

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

#include "CProcess.h"
#include "libcrypto.h"

#define FIRST kanal_first_call
#define PREFIX "kanal_jump_"
__attribute__((visibility("hidden"))) extern void kanal_first_call(void);
#include "jumps.h"

HIDDEN void (*kanal_libcrypto(void (**target)(void)))(void);

#if defined(__x86_64__)
// r11 belongs to neither caller nor function. Eight registers and eight vectors of arguments; al counts vectors.
__asm__(
    ".text\n.type kanal_first_call, @function\nkanal_first_call:\n"
    "endbr64\n push %r11\n push %rdi\n push %rsi\n push %rdx\n push %rcx\n push %r8\n push %r9\n push %rax\n sub $136, %rsp\n"
    "movups %xmm0, (%rsp)\n movups %xmm1, 16(%rsp)\n movups %xmm2, 32(%rsp)\n movups %xmm3, 48(%rsp)\n"
    "movups %xmm4, 64(%rsp)\n movups %xmm5, 80(%rsp)\n movups %xmm6, 96(%rsp)\n movups %xmm7, 112(%rsp)\n"
    "mov %r11, %rdi\n call kanal_libcrypto\n mov %rax, 192(%rsp)\n"
    "movups (%rsp), %xmm0\n movups 16(%rsp), %xmm1\n movups 32(%rsp), %xmm2\n movups 48(%rsp), %xmm3\n"
    "movups 64(%rsp), %xmm4\n movups 80(%rsp), %xmm5\n movups 96(%rsp), %xmm6\n movups 112(%rsp), %xmm7\n"
    "add $136, %rsp\n pop %rax\n pop %r9\n pop %r8\n pop %rcx\n pop %rdx\n pop %rsi\n pop %rdi\n pop %r11\n"
    "jmp *%r11\n");
#elif defined(__aarch64__)
// x16 and x17 belong to neither caller nor function. x8 says where a structure is returned.
__asm__(
    ".text\n.type kanal_first_call, @function\nkanal_first_call:\n"
    "hint #34\n stp x29, x30, [sp, #-224]!\n mov x29, sp\n"
    "stp x0, x1, [sp, #16]\n stp x2, x3, [sp, #32]\n stp x4, x5, [sp, #48]\n stp x6, x7, [sp, #64]\n"
    "stp x8, x16, [sp, #80]\n"
    "stp q0, q1, [sp, #96]\n stp q2, q3, [sp, #128]\n stp q4, q5, [sp, #160]\n stp q6, q7, [sp, #192]\n"
    "mov x0, x16\n bl kanal_libcrypto\n str x0, [sp, #88]\n"
    "ldp q0, q1, [sp, #96]\n ldp q2, q3, [sp, #128]\n ldp q4, q5, [sp, #160]\n ldp q6, q7, [sp, #192]\n"
    "ldp x8, x16, [sp, #80]\n"
    "ldp x0, x1, [sp, #16]\n ldp x2, x3, [sp, #32]\n ldp x4, x5, [sp, #48]\n ldp x6, x7, [sp, #64]\n"
    "ldp x29, x30, [sp], #224\n br x16\n");
#endif

// The newest first.
static const struct {
    const char *name;
    int version;
} libraries[] = {{"libcrypto.so.4", 4}, {"libcrypto.so.3", 3}};
enum { LIBRARIES = sizeof libraries / sizeof *libraries };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
// What COpenSSL_version answers. A version stays.
static int known = COPENSSL_ABSENT;

// Zero and NULL are what libcrypto's functions answer when they fail.
static size_t absent(void) { return 0; }

// Leads all jumps to a library, if it has all functions.
static int take(void *library) {
    void *found[JUMPS];
    if (missing_function(library, found)) return 0;
    lead_jumps(found);
    return 1;
}

// All functions come from one library, or from none: if one were missing, its zero could mean that a certificate is not
// revoked, or that nothing in it is critical; and one libcrypto cannot read what another has made. A library that the process
// has loaded comes before one that is loaded for this alone, and then the newer before the older. If none serves, the next
// call looks for them again: there may be no memory for one now. After chroot(2) whoever can write there would choose the
// library, and the file of settings by which libcrypto begins.
static int load(void) {
    static const int modes[] = {RTLD_NOLOAD, 0};
    int answer = COPENSSL_ABSENT;
    if (process_root_has_changed()) return COPENSSL_ROOT_CHANGED;
    for (size_t mode = 0; mode < 2; mode++) {
        for (size_t i = 0; i < LIBRARIES; i++) {
            void *library = dlopen(libraries[i].name, RTLD_NOW | RTLD_LOCAL | modes[mode]);
            if (!library) continue;
            if (take(library)) return libraries[i].version;
            answer = COPENSSL_INCOMPLETE;
            dlclose(library);
        }
    }
    return answer;
}

int COpenSSL_version(void) {
    int version = __atomic_load_n(&known, __ATOMIC_ACQUIRE);
    if (version > 0) return version;
    pthread_mutex_lock(&mutex);
    version = known > 0 ? known : load();
    __atomic_store_n(&known, version, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&mutex);
    return version;
}

// The function to call now.
void (*kanal_libcrypto(void (**target)(void)))(void) {
    return COpenSSL_version() > 0 ? __atomic_load_n(target, __ATOMIC_ACQUIRE) : (void (*)(void))absent;
}
