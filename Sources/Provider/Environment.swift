import Glibc

/// An environment variable; nil if it is unset or empty, and in a program that runs with more rights than its user, to
/// whose wishes it must not listen.
func environment(_ name: String) -> String? {
    guard getuid() == geteuid(), getgid() == getegid(), let value = unsafe getenv(name) else { return nil }
    let text = unsafe String(cString: value)
    return text.isEmpty ? nil : text
}

/// A directory of the user's, as the XDG base directory specification finds it: what the variable names, if that is an
/// absolute path, else a directory in the home directory; nil if the user has none.
func userDirectory(_ variable: String, in home: String) -> String? {
    if let path = environment(variable), path.hasPrefix("/") { return path }
    return environment("HOME").map { $0 + "/" + home }
}

/// The name of this process's executable, without its directory; empty if the system does not tell it.
func programName() -> String {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe readlink("/proc/self/exe", &path, path.count)
    var name = String(decoding: path.prefix(max(count, 0)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    name = name.split(separator: "/").last.map(String.init) ?? ""
    // What the kernel adds when the file was replaced while it runs.
    let removed = " (deleted)"
    return name.hasSuffix(removed) ? String(name.dropLast(removed.count)) : name
}
