import Glibc

/// An environment variable; nil if it is unset or empty, and in a program that runs with more rights than its user.
func environment(_ name: String) -> String? {
    guard getuid() == geteuid(), getgid() == getegid(), let value = unsafe getenv(name) else { return nil }
    let text = unsafe String(cString: value)
    return text.isEmpty ? nil : text
}
