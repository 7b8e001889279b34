// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Distinguishes a process from its forked children, without a system call, by memory empty in a child (madvise(2)).
@safe
struct ForkMark: @unchecked Sendable {
    /// True in the process that made the mark; nil where the kernel has no such memory.
    private let page: UnsafePointer<Bool>?
    private let process = getpid()

    init() {
        let size = max(sysconf(Int32(_SC_PAGESIZE)), 1)
        let memory = unsafe mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let memory = unsafe memory, unsafe memory != MAP_FAILED else {
            unsafe page = nil
            return
        }
        guard unsafe madvise(memory, size, MADV_WIPEONFORK) == 0 else {
            unsafe munmap(memory, size)
            unsafe page = nil
            return
        }
        let mark = unsafe memory.bindMemory(to: Bool.self, capacity: 1)
        unsafe mark.pointee = true
        unsafe page = UnsafePointer(mark)
    }

    /// Whether this process made the mark, rather than inherited it.
    var isOwn: Bool {
        guard let page = unsafe page else { return process == getpid() }
        return unsafe page.pointee
    }
}
