// SPDX-License-Identifier: Apache-2.0

/// The readers of this machine: pcscd's, or a test's.
package protocol ReaderService: AnyObject, Sendable {
    /// All readers in the service's order, with their present cards. No command is sent to any card.
    func readers() throws(LinkError) -> [ReaderState]

    /// As ``readers()``, but a previous answer will do if it is too recent to make a difference.
    func recentReaders() throws(LinkError) -> [ReaderState]

    /// Connects to the card in the reader, shared with other processes.
    func connect(to reader: String) throws(LinkError) -> any CardLink

    /// Watches the readers for one thread; nil if they cannot be watched but only looked at.
    func watch() -> (any ReaderWatch)?

    /// The reason why the service did not serve this process when it was last asked; nil if it did.
    var obstacle: LinkError? { get }

    /// The field that cards are held to at the moment, for a while only; nil without one.
    var field: (any CardField)? { get }

    /// Whether the service has started seconds ago, perhaps for this process, and may not have found all cards yet.
    var isNew: Bool { get }
}

extension ReaderService {
    package var obstacle: LinkError? { nil }
    package var isNew: Bool { false }
    package var field: (any CardField)? { nil }
    package func recentReaders() throws(LinkError) -> [ReaderState] { try readers() }
    package func watch() -> (any ReaderWatch)? { nil }
}
