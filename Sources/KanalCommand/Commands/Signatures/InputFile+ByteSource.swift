// SPDX-License-Identifier: Apache-2.0
import KanalKit
import Locking
import Terminal
import Translation

extension InputFile {
    /// The file as KanalKit reads it.
    ///
    /// - Parameters:
    ///   - isCounted: Whether its length is known in advance.
    ///   - pieceSize: The greatest number of bytes of a piece.
    func source(
        isCounted: Bool = true, pieceSize: Int = hashedPieceSize,
        progress: @escaping @Sendable (_ done: Int) -> Void = { _ in }
    ) -> ByteSource {
        var source = ByteSource(length: isCounted ? length : nil) { done, _ in
            progress(done)
        } next: {
            try self.next(limit: pieceSize)
        }
        source.fileName = "\(shownName)"
        return source
    }

    /// The bytes of a piece of a file that is hashed: so few that the C library has the memory of the one before for it.
    private static let hashedPieceSize = 1 << 17
}

extension ByteSource {
    /// A piece that was read already, and the rest of the file.
    init(first: [UInt8], _ rest: InputFile?, _ progress: @escaping @Sendable (_ done: Int) -> Void) {
        let pending = Lock<[UInt8]?>(first)
        self.init { done, _ in
            progress(done)
        } next: {
            if let piece = pending.withLock({ $0.take() }) { return piece }
            return try rest?.next()
        }
    }
}
