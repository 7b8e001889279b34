// SPDX-License-Identifier: Apache-2.0

/// A reader and the state of its slot.
package struct ReaderState: Sendable, Equatable {
    /// The PC/SC reader name.
    package var name: String
    /// The answer to reset of the card in it; nil without one.
    package var atr: [UInt8]?
    /// Counts insertions and removals, so that a card taken out and put back is noticed.
    package var events: Int

    package init(name: String, atr: [UInt8]?, events: Int) {
        self.name = name
        self.atr = atr
        self.events = events
    }
}

extension ReaderState {
    /// In place of an answer to reset, for a folder with a key container. It is longer than a card's answer can be, so that no
    /// card passes for a folder.
    package static let folder = Array("key container of CryptoPro CSP in a folder".utf8)
}
