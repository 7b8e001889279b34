// SPDX-License-Identifier: Apache-2.0
import KanalKit
import Locking
import Terminal
import Translation

/// Results of many files, each on its own: an unreadable or malformed file does not stop the others. An absent token or
/// an interrupt does.
struct Batch<Result: Encodable & Sendable>: Sendable {
    private struct Entry {
        /// The number of its file.
        let place: Int
        let result: Result
        var failure: Failure?
    }

    private struct Failure {
        let file: String
        /// The message on standard error.
        let text: String
        let reason: any Error
    }

    /// The places of the files, in whose order results are.
    private let places: [String: Int]
    private var entries: [Entry] = []
    /// The error that stops all further files.
    private(set) var obstacle: (any Error)?
    /// The files that were not tried, or not to the end, because of the obstacle.
    private(set) var untried: [String] = []
    private var skipped = 0

    init(_ files: [String]) {
        places = Dictionary(files.enumerated().map { ($1, $0) }, uniquingKeysWith: min)
    }

    var results: [Result] { entries.map(\.result) }
    private var failures: [Failure] { entries.compactMap(\.failure) }

    private mutating func add(_ file: String, _ result: Result, _ failure: Failure? = nil) {
        let place = places[file] ?? places.count
        let next = entries.lastIndex { $0.place <= place }.map { $0 + 1 } ?? 0
        entries.insert(Entry(place: place, result: result, failure: failure), at: next)
    }

    /// Passes over a file that has its result.
    mutating func skip(_ file: String, _ result: Result) {
        add(file, result)
        skipped += 1
    }

    /// Whether a file passes a check, which comes before the work for all of them.
    mutating func admits(_ file: String, _ check: () throws -> Void, failed: (any Error, String) -> Result) -> Bool {
        do { try check() } catch {
            fail(file, error, failed)
            return false
        }
        return true
    }

    /// Does the work for a file, unless an earlier one has met an obstacle.
    ///
    /// - Parameter failed: The result for a file that failed, by the error and its text in English.
    mutating func attempt(_ file: String, _ work: () throws -> Result, failed: (any Error, String) -> Result) {
        guard obstacle == nil else { return untried.append(file.shownName) }
        do { add(file, try work()) } catch { fail(file, error, failed) }
    }

    /// As the other one, for work that takes its time.
    mutating func attempt(
        _ file: String, _ work: () async throws -> Result, failed: (any Error, String) -> Result
    ) async {
        guard obstacle == nil else { return untried.append(file.shownName) }
        do { add(file, try await work()) } catch { fail(file, error, failed) }
    }

    private mutating func fail(_ file: String, _ error: any Error, _ failed: (any Error, String) -> Result) {
        guard !Interruption.isRequested, Self.isOfOneFile(error) else {
            // After an interrupt, the errors that it causes are not reported.
            obstacle = Interruption.isRequested ? KanalError.cancelled : error
            return untried.append(file.shownName)
        }
        let reason = ExitStatus.message(of: error) ?? Phrase(verbatim: "\(error)")
        let english = reason.description.printable
        let text = translated(reason).printable
        let line = english.contains(file.printable) ? text : "\(file.printable): \(text)"
        add(file, failed(error, english), Failure(file: file.shownName, text: line, reason: error))
    }

    /// Whether the fault is the file's.
    private static func isOfOneFile(_ error: any Error) -> Bool {
        switch error {
        case let error as SystemError: !error.isClosedPipe
        case is ResultRefusal: true
        case let error as CommandError: error.status == .failed
        case KanalError.invalidArgument, KanalError.messageRefused, KanalError.messageNotDecrypted,
            KanalError.timeStampRefused:
            true
        default: false
        }
    }

    /// The error with which the command ends: the obstacle; ``CommandError`` if a file has failed; nil if none has.
    func error(_ work: BatchWork) -> (any Error)? {
        if let obstacle { return obstacle }
        guard !failures.isEmpty else { return nil }
        let status = work == .verification ? ExitStatus(verdict) : .failed
        return CommandError(status, count == 1 ? work.failure : sum(work), of: reason)
    }

    /// The worst verdict on files that have failed. A file that cannot be read has none, and is not good.
    private var verdict: Verdict { failures.map { Verdict(of: $0.reason) ?? .wrong }.max() ?? .wrong }

    /// The reason why every file has failed; nil if one has not, or if there are reasons of several kinds.
    private var reason: (any Error)? {
        let reasons = failures.map(\.reason)
        let kinds = reasons.map(ErrorReport.kind)
        guard reasons.count == count, kinds.allSatisfy({ $0.id == kinds.first?.id }) else { return nil }
        // A remedy helps with all of them, or is none.
        return zip(reasons, kinds).first { $1.remedy == nil }?.0 ?? reasons.first
    }

    /// Reports the failures on standard error, and the sum of many files unless all were done now.
    ///
    /// - Throws: ``error(_:)``.
    func finish(_ work: BatchWork) throws {
        let failures = failures
        for failure in failures { try OutputStream.error.write("kanal: \(failure.text)\n") }
        if count > 1, obstacle != nil || (failures.isEmpty && skipped > 0) {
            try OutputStream.error.write("kanal: \(translated(sum(work)).printable)\n")
        }
        if let error = error(work) { throw error }
    }

    private var count: Int { entries.count + untried.count }

    private func sum(_ work: BatchWork) -> Phrase {
        let missing = failures.map(\.file) + untried
        let done = count - missing.count - skipped
        let before: Phrase = skipped == 0 ? "" : ", \(skipped) had a signature already"
        let shown = missing.prefix(Self.shownNames).map { Phrase(verbatim: $0.printable) }
        let rest = missing.count - shown.count
        let names: Phrase = rest > 0 ? "\(Phrase(listing: shown)) and \(rest) more" : Phrase(listing: shown)
        switch work {
        case .signing:
            let without: Phrase = missing.isEmpty ? "" : "; without a signature: \(names)"
            let remedy: Phrase = untried.isEmpty ? "" : "; go on with --skip-signed"
            return "signed \(done) of \(count) files\(before)\(without)\(remedy)"
        case .verification:
            let without: Phrase = missing.isEmpty ? "" : "; not accepted: \(names)"
            return "accepted \(done) of \(count) files\(without)"
        case .encryption:
            let without: Phrase = missing.isEmpty ? "" : "; not encrypted: \(names)"
            return "encrypted \(done) of \(count) files\(without)"
        case .decryption:
            let without: Phrase = missing.isEmpty ? "" : "; not decrypted: \(names)"
            return "decrypted \(done) of \(count) files\(without)"
        case .stamping:
            let without: Phrase = missing.isEmpty ? "" : "; without a time stamp: \(names)"
            return "stamped \(done) of \(count) files\(without)"
        case .extension:
            let without: Phrase = missing.isEmpty ? "" : "; not extended: \(names)"
            return "extended \(done) of \(count) files\(without)"
        }
    }

    /// The number of files that a sum names.
    private static var shownNames: Int { 5 }
}

/// The work of a batch, in sentences.
enum BatchWork {
    case signing, verification, encryption, decryption, stamping, `extension`

    var title: Phrase {
        switch self {
        case .signing: "Signing"
        case .verification: "Verifying"
        case .encryption: "Encrypting"
        case .decryption: "Decrypting"
        case .stamping: "Stamping"
        case .extension: "Extending"
        }
    }

    var failure: Phrase {
        switch self {
        case .signing: "it was not signed"
        case .verification: "it was not accepted"
        case .encryption: "it was not encrypted"
        case .decryption: "it was not decrypted"
        case .stamping: "it was not stamped"
        case .extension: "it was not extended"
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
