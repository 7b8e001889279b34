// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import FoundationEssentials
import Terminal
import Translation

/// The form in which the bytes of a signature are in a file.
enum SignatureEncoding: Sendable, Equatable {
    /// As they are.
    case binary
    /// Base64 in one line, without a line break at its end: all decoders read it, also those that take neither a line
    /// break nor any other character beside the digits.
    case base64
    /// Base64 as a file has it, which was read.
    case text(SignatureText)

    var isText: Bool { self != .binary }
}
