// SPDX-License-Identifier: Apache-2.0

import CHostProcess
import CProcess
import Glibc

/// The names of the program and of the machine.
package enum HostNames {
    /// The name of this process's executable, without its directory; empty if unknown.
    package static func program() -> String {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink("/proc/self/exe", &path, path.count)
        var name = String(decoding: path.prefix(max(count, 0)).map(UInt8.init(bitPattern:)), as: UTF8.self)
        name = name.split(separator: "/").last.map(String.init) ?? ""
        // The kernel's addition if the file was replaced while it runs.
        let removed = " (deleted)"
        return name.hasSuffix(removed) ? String(name.dropLast(removed.count)) : name
    }

    /// The machine's name, without its domain; empty if unknown.
    package static func machine() -> String {
        var name = [CChar](repeating: 0, count: 257)
        guard unsafe gethostname(&name, name.count - 1) == 0 else { return "" }
        let whole = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return whole.split(separator: ".").first.map(String.init) ?? ""
    }
}
