// SPDX-License-Identifier: Apache-2.0
import Foundation
import Configuration
import Synchronization
import TestSupport
import Testing
import Translation

@Suite("The user's directories")
struct UserDirectoryTests {
    private let root = "/tmp/kanal-home-\(UUID().uuidString)"
    private let warnings = Warnings()

    private final class Warnings: Sendable {
        let texts = Mutex<[String]>([])
        var count: Int { texts.withLock { $0.count } }
    }

    private func directories(_ variables: [String: String], password: String? = nil) -> UserDirectories {
        UserDirectories(
            variable: { variables[$0] }, passwordHome: { _ in password },
            warn: { [warnings] ignored in warnings.texts.withLock { $0.append(ignored.reason.description) } })
    }

    private func make(_ names: String...) throws {
        for name in names {
            try FileManager.default.createDirectory(atPath: root + "/" + name, withIntermediateDirectories: true)
        }
    }

    private func give(_ name: String, to user: uid_t = 65534) {
        #expect(unsafe chown(root + "/" + name, user, user) == 0)
    }

    @Test("Variables name them; without, they are in the home directory")
    func named() throws {
        defer { try? FileManager.default.removeItem(atPath: root) }
        try make("home", "config", "data")
        let home = root + "/home"
        #expect(
            directories(["HOME": home]).found()
                == .init(home: home, configuration: home + "/.config", data: home + "/.local/share"))
        #expect(
            directories(["HOME": home, "XDG_CONFIG_HOME": root + "/config", "XDG_DATA_HOME": root + "/data"]).found()
                == .init(home: home, configuration: root + "/config", data: root + "/data"))
        #expect(directories(["XDG_DATA_HOME": root + "/data/new/newer"]).found().data == root + "/data/new/newer")
        #expect(warnings.count == 0)
    }

    @Test("A relative path is none, and it is said once")
    func relative() throws {
        let directories = directories(["HOME": "home", "XDG_CONFIG_HOME": "./config", "XDG_DATA_HOME": "data"])
        #expect(directories.found() == .init())
        #expect(directories.found() == .init())
        #expect(warnings.count == 3)
    }

    @Test("Without HOME the password database tells the home, if that is there and the user's")
    func password() throws {
        defer { try? FileManager.default.removeItem(atPath: root) }
        try make("home")
        #expect(directories([:], password: root + "/home").found().data == root + "/home/.local/share")
        #expect(directories(["HOME": "x"], password: root + "/home").found().home == root + "/home")
        for home in [root + "/missing", "home", "", "/dev/null", nil] {
            #expect(directories([:], password: home).found() == .init())
        }
        #expect(PasswordDatabase.home(of: 0) == "/root")
        #expect(PasswordDatabase.home(of: 4_000_000_000) == nil)
    }

    @Test(
        "A directory of another user, or that would come to lie in one, counts for nothing, and it is said once",
        .needsRoot)
    func foreign() throws {
        defer { try? FileManager.default.removeItem(atPath: root) }
        try make("other/inner", "home")
        give("other")
        let other = root + "/other"
        let found = directories(["HOME": other, "XDG_CONFIG_HOME": other, "XDG_DATA_HOME": other + "/new/newer"])
        #expect(found.found() == .init())
        #expect(found.found() == .init())
        #expect(warnings.count == 3)
        #expect(directories(["HOME": other], password: other).found() == .init())
        #expect(directories(["HOME": other], password: root + "/home").found().home == root + "/home")
        #expect(directories(["HOME": other + "/inner"]).found().home == other + "/inner")
        #expect(
            directories(["HOME": root + "/home", "XDG_DATA_HOME": other]).found().data == root + "/home/.local/share")
    }
}
