// SPDX-License-Identifier: Apache-2.0
import APDU
import GOST
import Secrets

/// The card's volatile state, for plain commands or for one session of the secure channel.
struct Context: ~Copyable {
    /// The PINs that were presented.
    var rights: Set<Int> = []
    /// The current directory.
    var directory = FilePath.root
    /// The current file, which is not a directory.
    var file: FilePath?
    var environment = SecurityEnvironment()
    /// Commands that wait for the last link of their chain.
    var chain: Chain?

    /// Forgets the links of a chain, and a hash that was being computed from them.
    mutating func abortChain() {
        chain = nil
        environment.hash = nil
    }
}

/// The links of a command chain so far (ISO/IEC 7816-4, 5.3.3).
struct Chain: ~Copyable {
    /// More than any command needs.
    static let limit = 4096

    let header: [UInt8]
    var data = Secret(count: 0)

    init(_ command: borrowing Command) { header = Chain.header(of: command) }

    func continues(with command: borrowing Command) -> Bool { header == Chain.header(of: command) }

    private static func header(of command: borrowing Command) -> [UInt8] {
        [command.cla & ~0x10, command.ins, command.p1, command.p2]
    }
}
