// SPDX-License-Identifier: Apache-2.0
import Locking

/// Bytes that come piece by piece, such as a file that does not fit into memory.
public struct ByteSource: Sendable {
    /// The number of all bytes; nil if unknown before the end.
    public let length: Int?
    /// The name of the file that they are from. A user who is asked for consent to a signature sees it.
    public var fileName: String?
    private let progress: @Sendable (_ done: Int, _ total: Int?) -> Void
    private let next: @Sendable () throws -> [UInt8]?

    /// - Parameters:
    ///   - length: The number of all bytes, if it is known. More or fewer are an error then.
    ///   - progress: Called after each piece with the number of bytes done, and ``length``. The last time both are the
    ///     same.
    ///   - next: Returns the next piece, of any length, and nil at the end. It is called in a thread that may block. A
    ///     piece of 64 KiB to 1 MiB is fast; no more than one is kept.
    public init(
        length: Int? = nil, progress: @escaping @Sendable (_ done: Int, _ total: Int?) -> Void = { _, _ in },
        next: @escaping @Sendable () throws -> [UInt8]?
    ) {
        self.length = length
        self.progress = progress
        self.next = next
    }

    /// Bytes in memory.
    package init(_ bytes: [UInt8]) {
        let rest = Lock<[UInt8]?>(bytes)
        self.init(length: bytes.count) { rest.withLock { $0.take() } }
    }

    /// Passes all pieces to `body`, one after the other.
    ///
    /// - Throws: ``KanalError/cancelled``; ``KanalError/invalidArgument(_:)`` for more or fewer bytes than ``length``;
    ///   the errors of the source and of `body`.
    func forEach(unless isCancelled: () -> Bool, _ body: (consuming [UInt8]) throws -> Void) throws {
        let pieces = pieces()
        while let piece = try pieces.next(unless: isCancelled) { try body(consume piece) }
    }

    /// The pieces, to be taken one after the other.
    func pieces() -> PieceReader { PieceReader(length: length, progress, next) }
}

/// The pieces of a source, which one thread after another may take.
final class PieceReader: Sendable {
    private let length: Int?
    private let progress: @Sendable (_ done: Int, _ total: Int?) -> Void
    private let read: @Sendable () throws -> [UInt8]?
    private let done = Lock<Int?>(nil)

    fileprivate init(
        length: Int?, _ progress: @escaping @Sendable (_ done: Int, _ total: Int?) -> Void,
        _ read: @escaping @Sendable () throws -> [UInt8]?
    ) {
        (self.length, self.progress, self.read) = (length, progress, read)
    }

    /// The next piece, when the one before is done; nil at the end.
    ///
    /// - Throws: As ``ByteSource/forEach(unless:_:)``.
    func next(unless isCancelled: () -> Bool) throws -> [UInt8]? {
        let count = done.withLock { $0 }
        if let count {
            if count > 0 { progress(count, length) }
        } else if length == 0 {
            progress(0, length)
        }
        let before = count ?? 0
        while true {
            guard !isCancelled() else { throw KanalError.cancelled }
            guard let piece = try read() else { break }
            guard piece.count <= (length ?? .max) - before else {
                throw KanalError.invalidArgument("there are more bytes than the length says")
            }
            guard !piece.isEmpty else { continue }
            done.withLock { $0 = before + piece.count }
            return piece
        }
        guard length == nil || before == length else {
            throw KanalError.invalidArgument("there are \(before) bytes, fewer than the length says")
        }
        return nil
    }
}

/// Runs long work in a thread of its own.
///
/// - Parameter body: Ends early when its argument reports that the task was cancelled.
/// - Throws: ``KanalError/cancelled``; what `body` throws.
package func inThreadOfItsOwn<Result: Sendable>(
    _ body: @escaping @Sendable (_ isCancelled: () -> Bool) throws -> Result
) async throws -> Result {
    let cancellation = Lock(false)
    return try await Worker().run(cancellation: .asks({ cancellation.withLock { $0 = true } })) {
        try body { cancellation.withLock { $0 } }
    }
}
