// SPDX-License-Identifier: Apache-2.0

/// A command whose PIN the user types at the reader, which completes it and sends it to the card (PC/SC part 10). The PIN
/// is in ASCII, without padding.
package struct PINEntry: Sendable, Equatable {
    package let cla: UInt8
    package let ins: UInt8
    package let p1: UInt8
    package let p2: UInt8
    package let pin: Kind

    package enum Kind: Sendable, Equatable {
        /// The data are the PIN, of one of these lengths.
        case present(ClosedRange<Int>)
        /// A new PIN of this length follows these bytes. The user types it twice.
        case new(count: Int, after: [UInt8])
    }

    /// The longest new PIN: a reader writes its size in four bits.
    package static let longestNew = 15

    package init(_ cla: UInt8, _ ins: UInt8, _ p1: UInt8, _ p2: UInt8, _ pin: Kind) {
        (self.cla, self.ins, self.p1, self.p2) = (cla, ins, p1, p2)
        self.pin = pin
    }

    /// Why the reader has not sent the command, by the status words that part 10 reserves for it.
    package enum Refusal: UInt16, Error, Sendable, CaseIterable {
        case timedOut = 0x6400
        case cancelled = 0x6401
        /// The new PIN was typed in two ways.
        case mismatch = 0x6402
        /// The PIN is shorter or longer than the command allows.
        case length = 0x6403
        /// The reader does not do what it was asked for.
        case unsupported = 0x6B80
    }
}
