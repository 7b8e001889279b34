// SPDX-License-Identifier: Apache-2.0

/// A reader, and the state of its slot.
public struct Reader: Sendable, Equatable {
    /// The reader's name, by which it is known as long as the transport lives.
    public var name: String
    /// The answer to reset of the card in it; nil without a card.
    public var atr: [UInt8]?
    /// Counts insertions and removals, so that a card that was taken out and put back is noticed.
    public var events: Int

    /// A reader; see its properties.
    public init(name: String, atr: [UInt8]?, events: Int) {
        self.name = name
        self.atr = atr
        self.events = events
    }
}
