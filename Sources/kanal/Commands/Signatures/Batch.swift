// SPDX-License-Identifier: Apache-2.0
import KanalKit
import Locking
import Terminal

/// What becomes of many files, each on its own: one that cannot be read, or is not as it should be, does not hold up the
/// others. A token that is gone, or a wish to end, does.
struct Batch<Result: Encodable & Sendable>: Sendable {
    private(set) var results: [Result] = []
    /// What keeps all further files from being done.
    private(set) var obstacle: (any Error)?
    private(set) var failures: [String] = []

    /// Does the work for a file, unless an earlier one has met an obstacle.
    ///
    /// - Parameter failed: What is told of a file that failed.
    mutating func attempt(_ file: String, _ work: () throws -> Result, failed: (String) -> Result) {
        guard obstacle == nil else { return }
        do { results.append(try work()) } catch { fail(file, error, failed) }
    }

    /// As the other one, for work that takes its time.
    mutating func attempt(
        _ file: String, _ work: () async throws -> Result, failed: (String) -> Result
    ) async {
        guard obstacle == nil else { return }
        do { results.append(try await work()) } catch { fail(file, error, failed) }
    }

    private mutating func fail(_ file: String, _ error: any Error, _ failed: (String) -> Result) {
        guard !Interruption.isRequested, Self.isOfOneFile(error) else {
            // Whoever wants to end is not told what ends because of it.
            obstacle = Interruption.isRequested ? KanalError.cancelled : error
            return
        }
        let reason = ExitStatus.message(of: error) ?? "\(error)"
        results.append(failed(reason))
        failures.append(reason.contains(file.printable) ? reason : "\(file.printable): \(reason)")
    }

    /// Whether the fault is the file's.
    private static func isOfOneFile(_ error: any Error) -> Bool {
        switch error {
        case let error as SystemError: !error.isClosedPipe
        case let error as CommandError: error.status == .failed
        case KanalError.invalidArgument, KanalError.messageRefused: true
        default: false
        }
    }

    /// Tells of the faults on standard error.
    ///
    /// - Throws: The obstacle; ``CommandError`` if a file has failed, with these words.
    func finish(of count: Int, _ words: String) throws {
        for failure in failures { try OutputStream.error.write("kanal: \(failure)\n") }
        if let obstacle { throw obstacle }
        guard !failures.isEmpty else { return }
        throw CommandError(
            .failed, count == 1 ? "it was not \(words)" : "\(failures.count) of \(count) files were not \(words)")
    }
}

/// Which file of many is being worked with, and how much of it is done.
struct BatchProgress: Sendable {
    private let verb: String
    private let count: Int
    private let line: ProgressLine

    /// - Parameter verb: What is being done, such as "Signing".
    init(_ verb: String, count: Int) {
        (self.verb, self.count) = (verb, count)
        line = ProgressLine("\(verb)…")
    }

    /// Says that a file is begun; what it returns takes the octets that are done.
    func begin(_ number: Int, _ input: InputFile) -> @Sendable (_ done: Int) -> Void {
        let place = count > 1 ? "\(number + 1) of \(count), " : ""
        let (text, length, line) = ("\(verb) \(place)\(input.name)", input.length, line)
        line.update(text)
        return { done in
            let share =
                if let length, length > 0 { "\(Int(100 * (Double(done) / Double(length)))) %" } else {
                    "\(done >> 20) MiB"
                }
            line.update("\(text), \(share)")
        }
    }

    func end() { line.end() }
}

extension InputFile {
    /// The file as KanalKit reads it.
    ///
    /// - Parameter isCounted: Whether its length is told in advance.
    func source(isCounted: Bool = true, progress: @escaping @Sendable (_ done: Int) -> Void = { _ in }) -> OctetSource {
        OctetSource(length: isCounted ? length : nil) { done, _ in
            progress(done)
        } next: {
            try self.next()
        }
    }
}

extension OctetSource {
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
