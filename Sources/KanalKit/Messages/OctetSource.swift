// SPDX-License-Identifier: Apache-2.0
import Locking

/// Octets that come piece by piece, such as those of a file that does not fit into memory.
public struct OctetSource: Sendable {
    /// The number of all octets; nil if nobody knows it before the end.
    public let length: Int?
    private let progress: @Sendable (_ done: Int, _ total: Int?) -> Void
    private let next: @Sendable () throws -> [UInt8]?

    /// - Parameters:
    ///   - length: The number of all octets, if it is known. More or fewer are an error then.
    ///   - progress: Is told after each piece how many octets are done, and ``length``. The last time both are the same.
    ///   - next: Gives the next piece, of whatever length, and nil at the end. It is called in a thread that may block. A
    ///     piece of 64 KiB to 1 MiB is fast; no more than one is kept.
    public init(
        length: Int? = nil, progress: @escaping @Sendable (_ done: Int, _ total: Int?) -> Void = { _, _ in },
        next: @escaping @Sendable () throws -> [UInt8]?
    ) {
        self.length = length
        self.progress = progress
        self.next = next
    }

    /// Gives all pieces to `body`, one after the other.
    ///
    /// - Throws: ``KanalError/cancelled``; ``KanalError/invalidArgument(_:)`` for more or fewer octets than ``length``;
    ///   what the source and `body` throw.
    func forEach(unless isCancelled: () -> Bool, _ body: ([UInt8]) throws -> Void) throws {
        let limit = length ?? .max
        var done = 0
        if length == 0 { progress(0, length) }
        while true {
            guard !isCancelled() else { throw KanalError.cancelled }
            guard let piece = try next() else { break }
            guard piece.count <= limit - done else {
                throw KanalError.invalidArgument("there are more octets than the length says")
            }
            guard !piece.isEmpty else { continue }
            try body(piece)
            done += piece.count
            progress(done, length)
        }
        guard length == nil || done == length else {
            throw KanalError.invalidArgument("there are \(done) octets, fewer than the length says")
        }
    }
}

/// Runs work that takes long in a thread of its own.
///
/// - Parameter body: Ends early when it is told that the task was cancelled.
/// - Throws: ``KanalError/cancelled``; what `body` throws.
func inThreadOfItsOwn<Result: Sendable>(
    _ body: @escaping @Sendable (_ isCancelled: () -> Bool) throws -> Result
) async throws -> Result {
    let cancellation = Lock(false)
    return try await Worker().run(cancellation: .asks({ cancellation.withLock { $0 = true } })) {
        try body { cancellation.withLock { $0 } }
    }
}
