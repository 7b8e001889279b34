// SPDX-License-Identifier: Apache-2.0
import KanalKit
import Locking
import Terminal
import Translation

/// Results of many files, each on its own: an unreadable or malformed file does not stop the others. An absent token or
/// an interrupt does.
struct Batch<Result: Encodable & Sendable>: Sendable {
    private(set) var results: [Result] = []
    /// The error that stops all further files.
    private(set) var obstacle: (any Error)?
    private(set) var failures: [String] = []

    /// Does the work for a file, unless an earlier one has met an obstacle.
    ///
    /// - Parameter failed: The result for a file that failed, by the error and its text in English.
    mutating func attempt(_ file: String, _ work: () throws -> Result, failed: (any Error, String) -> Result) {
        guard obstacle == nil else { return }
        do { results.append(try work()) } catch { fail(file, error, failed) }
    }

    /// As the other one, for work that takes its time.
    mutating func attempt(
        _ file: String, _ work: () async throws -> Result, failed: (any Error, String) -> Result
    ) async {
        guard obstacle == nil else { return }
        do { results.append(try await work()) } catch { fail(file, error, failed) }
    }

    private mutating func fail(_ file: String, _ error: any Error, _ failed: (any Error, String) -> Result) {
        guard !Interruption.isRequested, Self.isOfOneFile(error) else {
            // After an interrupt, the errors that it causes are not reported.
            obstacle = Interruption.isRequested ? KanalError.cancelled : error
            return
        }
        let reason = ExitStatus.message(of: error) ?? Phrase(verbatim: "\(error)")
        let english = reason.description.printable
        results.append(failed(error, english))
        let text = translated(reason).printable
        failures.append(english.contains(file.printable) ? text : "\(file.printable): \(text)")
    }

    /// Whether the fault is the file's.
    private static func isOfOneFile(_ error: any Error) -> Bool {
        switch error {
        case let error as SystemError: !error.isClosedPipe
        case is ResultRefusal: true
        case let error as CommandError: error.status == .failed
        case KanalError.invalidArgument, KanalError.messageRefused: true
        default: false
        }
    }

    /// Reports the failures on standard error.
    ///
    /// - Throws: The obstacle; ``CommandError`` if a file has failed.
    func finish(of count: Int, _ work: BatchWork) throws {
        for failure in failures { try OutputStream.error.write("kanal: \(failure)\n") }
        if let obstacle { throw obstacle }
        guard !failures.isEmpty else { return }
        throw CommandError(
            .failed, count == 1 ? work.failure : work.failures(failures.count, of: count))
    }
}

/// The work of a batch, in sentences.
enum BatchWork {
    case signing, verification

    var title: Phrase {
        switch self {
        case .signing: "Signing"
        case .verification: "Verifying"
        }
    }

    var failure: Phrase {
        switch self {
        case .signing: "it was not signed"
        case .verification: "it was not accepted"
        }
    }

    func failures(_ failed: Int, of count: Int) -> Phrase {
        switch self {
        case .signing: "\(failed) of \(count) files were not signed"
        case .verification: "\(failed) of \(count) files were not accepted"
        }
    }
}

/// The number of the current file of many, and the progress in it.
struct BatchProgress: Sendable {
    private let verb: Phrase
    private let count: Int
    private let line: ProgressLine

    init(_ work: BatchWork, count: Int) {
        (verb, self.count) = (work.title, count)
        line = ProgressLine("\(verb)…")
    }

    /// Begins a file; the result takes the number of bytes done.
    func begin(_ number: Int, _ input: InputFile) -> @Sendable (_ done: Int) -> Void {
        let place: Phrase = count > 1 ? "\(number + 1) of \(count), " : ""
        let text: Phrase = "\(verb) \(place)\(input.shownName)"
        let (length, line) = (input.length, line)
        line.update(text)
        return { done in
            let share: Phrase =
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
    /// - Parameter isCounted: Whether its length is known in advance.
    func source(isCounted: Bool = true, progress: @escaping @Sendable (_ done: Int) -> Void = { _ in }) -> ByteSource {
        var source = ByteSource(length: isCounted ? length : nil) { done, _ in
            progress(done)
        } next: {
            try self.next()
        }
        source.fileName = "\(shownName)"
        return source
    }
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
