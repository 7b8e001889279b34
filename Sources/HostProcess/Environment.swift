// SPDX-License-Identifier: Apache-2.0

import CHostProcess
import CProcess
import Glibc

/// The environment that the process was started with.
package enum Environment {
    /// Whether the program has more rights than the user who started it, or than the user whom it works as at the
    /// moment (seteuid(2)). It must not listen to the wishes of either. A process can change its user at any time.
    package static var isPrivileged: Bool { process_is_privileged() }

    /// An environment variable; nil if it is unset, empty or not text in UTF-8, and in a program that runs with more
    /// rights than the user who started it.
    package static func variable(_ name: String) -> String? {
        guard !isPrivileged, let value = unsafe getenv(name), let text = unsafe String(validatingCString: value)
        else { return nil }
        return text.isEmpty ? nil : text
    }
}

/// The root directory of the process.
package enum RootDirectory {
    /// Whether it is another one than when this code was loaded (chroot(2)). Its files need not be the system's: neither
    /// libraries nor programs nor sockets are looked for there.
    package static var hasChanged: Bool { process_root_has_changed() }
}

/// Words for a function of C: an array of C strings that ends with NULL.
///
/// They are made and freed here. Memory that the C library allocates by itself (strdup(3)) may come from a different
/// allocator than the one that this library was bound to (`RTLD_DEEPBIND`).
@safe
package final class CStrings {
    package let pointer: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    package let count: Int

    package init(_ words: [String]) {
        count = words.count
        unsafe pointer = .allocate(capacity: words.count + 1)
        for (index, word) in words.enumerated() {
            let bytes = word.utf8
            let text = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count + 1)
            for (place, byte) in bytes.enumerated() { unsafe text[place] = CChar(bitPattern: byte) }
            unsafe text[bytes.count] = 0
            unsafe (pointer + index).initialize(to: text)
        }
        unsafe (pointer + words.count).initialize(to: nil)
    }

    deinit {
        for index in 0..<count { unsafe pointer[index]?.deallocate() }
        unsafe pointer.deallocate()
    }
}

/// The names of the program and of the machine.
package enum HostNames {
    /// The name of this process's executable, without its directory; empty if the system does not tell it.
    package static func program() -> String {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink("/proc/self/exe", &path, path.count)
        var name = String(decoding: path.prefix(max(count, 0)).map(UInt8.init(bitPattern:)), as: UTF8.self)
        name = name.split(separator: "/").last.map(String.init) ?? ""
        // The kernel's addition if the file was replaced while it runs.
        let removed = " (deleted)"
        return name.hasSuffix(removed) ? String(name.dropLast(removed.count)) : name
    }

    /// The machine's name, without its domain; empty if the system does not tell it.
    package static func machine() -> String {
        var name = [CChar](repeating: 0, count: 257)
        guard unsafe gethostname(&name, name.count - 1) == 0 else { return "" }
        let whole = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return whole.split(separator: ".").first.map(String.init) ?? ""
    }
}
