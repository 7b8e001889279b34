// SPDX-License-Identifier: Apache-2.0
import APDU
import Foundation
import PCSC
import TestSupport
import Testing

private let sharedReader = ProcessInfo.processInfo.environment["KANAL_TEST_SHARED_READER"]

/// The same attacks over pcscd, against `kanal share` on another machine: Tests/System/Share/share-attack.bats runs them,
/// and knows which commands reached the token.
@Suite("A paired host that means no good, against the command", .enabled(if: sharedReader != nil))
struct SharedTokenTests {
    private static let password = ProcessInfo.processInfo.environment["KANAL_TEST_PASSWORD"] ?? ""

    private let host = HostileHost()

    @Test(
        "no login passes that was not agreed to, however it is cut, and nothing of which it is not known what it does")
    func refused() throws {
        let channel = try host.channel(PCSCReaders(), sharedReader ?? "", password: Self.password)
        for number in HostileHost.references {
            let verify = Command(0x00, 0x20, 0x00, number, bytes: HostileHost.pin)
            for pieces in HostileHost.cuts {
                #expect(try host.send(channel, HostileHost.links(verify, in: pieces)) == .securityStatusNotSatisfied)
            }
        }
        for header in HostileHost.unknown {
            let command = header + [8] + HostileHost.pin
            let link = [header[0] | 0x10] + command.dropFirst()
            #expect(try host.send(channel, [command]) == .securityStatusNotSatisfied, "\(header)")
            #expect(try host.send(channel, [link, header]) == .securityStatusNotSatisfied, "\(header)")
        }
    }

    @Test("a login in a chain is one")
    func counted() throws {
        let channel = try host.channel(PCSCReaders(), sharedReader ?? "", password: Self.password)
        let chain: [[UInt8]] = [[0x10, 0x20, 0, 2, 8] + HostileHost.pin, [0x00, 0x20, 0, 2]]
        #expect(try host.send(channel, chain) == .success)
    }
}
