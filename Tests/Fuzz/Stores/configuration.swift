// SPDX-License-Identifier: Apache-2.0
import Asking
import Configuration
import SecureChannel
import Token

/// Two configuration files, the administrator's before the first zero byte and the user's behind it: the user's never
/// lowers the protection, a store has the path of its name, and numbers are in their ranges.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzConfiguration(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    let system = Array(input.prefix { $0 != 0 })
    let user = system.count < input.count ? Array(input.dropFirst(system.count + 1)) : nil
    let administrator = Configuration(system: system, user: nil, program: "openssl")
    let both = Configuration(system: system, user: user, program: "openssl")
    check(administrator)
    check(both)
    guard both.policy.minimumProfile >= administrator.policy.minimumProfile,
        both.policy.requireSM || !administrator.policy.requireSM,
        both.isClosed || !administrator.isClosed,
        both.consent >= administrator.consent,
        administrator.isClosed || administrator.consent == .never || administrator.authenticator == nil
            || both.authenticator?.method == administrator.authenticator?.method,
        administrator.policy.wirelessReaders.allSatisfy(both.policy.wirelessReaders.contains)
    else { fatalError("the user lowers the protection: \(both)") }
    return 0
}

private func check(_ configuration: Configuration) {
    let windows = [configuration.policy.reconnectWindow, configuration.policy.reconnectWindowWired]
    guard windows.allSatisfy((0...3600).contains) else { fatalError("windows of \(windows) seconds") }
    for pattern in configuration.policy.wirelessReaders {
        _ = pattern.matches("Aktiv Rutoken ECP 00 00")
        // A pattern without wildcards matches itself.
        guard pattern.text.contains(where: { "*?".contains($0) }) || pattern.matches(pattern.text) else {
            fatalError("\(pattern.text) does not match itself")
        }
    }
    for remark in configuration.remarks where remark.description.isEmpty { fatalError("a remark that says nothing") }
    let location = configuration.location(data: "/data", home: "/home", groups: "/groups")
    guard !configuration.isClosed else {
        guard configuration.policy.requireSM, configuration.policy.minimumProfile == .modern, location.path.isEmpty
        else {
            fatalError("closed, and yet \(configuration)")
        }
        return
    }
    switch (configuration.store, location) {
    case (.user, .directory("/data/kanal/pairings")): break
    case (.application, .directory(let path)): requireName(in: path, below: "/data/kanal/applications/")
    case (.groups, .group(let path, memory: _)): requireName(in: path, below: "/groups/")
    case (.synchronised, .synchronised(let path, local: "/data/kanal/synchronised")) where path.hasPrefix("/"): break
    default: fatalError("\(configuration.store) lies in \(location)")
    }
}

/// A name that leads nowhere but to one directory.
private func requireName(in path: String, below directory: String) {
    let name = path.dropFirst(directory.count)
    guard path.hasPrefix(directory), !name.isEmpty, !name.utf8.contains(0x2F), !name.hasPrefix(".") else {
        fatalError("a store in \(path)")
    }
}
