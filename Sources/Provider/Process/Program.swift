import Glibc

/// The name of this process's executable, without its directory; empty if the system does not tell it.
func programName() -> String {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe readlink("/proc/self/exe", &path, path.count)
    var name = String(decoding: path.prefix(max(count, 0)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    name = name.split(separator: "/").last.map(String.init) ?? ""
    // The kernel's addition if the file was replaced while it runs.
    let removed = " (deleted)"
    return name.hasSuffix(removed) ? String(name.dropLast(removed.count)) : name
}
