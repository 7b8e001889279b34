// SPDX-License-Identifier: Apache-2.0
import Glibc
import KanalKit
import KanalXML
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

    private let files: [String]
    /// No result takes the place of a file before its turn.
    private let reserved: ReservedFiles
    /// The places of the files, in whose order results are.
    private let places: [String: Int]
    private var entries: [Entry] = []
    /// The error that stops all further files.
    private(set) var obstacle: (any Error)?
    private var unfinished: [String] = []
    private var skipped = 0

    init(_ files: [String]) {
        self.files = files
        reserved = ReservedFiles(files)
        places = Dictionary(files.enumerated().map { ($1, $0) }, uniquingKeysWith: min)
    }

    var results: [Result] { entries.map(\.result) }
    /// The files that were not tried, or not to the end, because of the obstacle.
    var untried: [String] {
        unfinished.sorted { (places[$0] ?? 0) < (places[$1] ?? 0) }.map(\.shownName)
    }
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
        guard obstacle == nil else { return unfinished.append(file) }
        do { add(file, try work()) } catch { fail(file, error, failed) }
    }

    /// The same for asynchronous work.
    mutating func attempt(
        _ file: String, _ work: () async throws -> Result, failed: (any Error, String) -> Result
    ) async {
        guard obstacle == nil else { return unfinished.append(file) }
        do { add(file, try await work()) } catch { fail(file, error, failed) }
    }

    /// Does work that needs no token for all files, for several at once. The first one is alone: the answers that it fetches
    /// are there for the others.
    ///
    /// - Parameters:
    ///   - work: The work for a file, by its place.
    ///   - failed: The result for a file that failed, by the error and its text in English.
    mutating func attemptAll(
        _ work: @escaping @Sendable (_ place: Int, _ file: String) async throws -> Result,
        failed: (_ file: String, any Error, String) -> Result
    ) async {
        guard let first = files.first else { return }
        await attempt(first, { try await work(0, first) }, failed: { failed(first, $0, $1) })
        await withTaskGroup(of: (file: String, outcome: Outcome).self) { group in
            var running = 0
            for (place, file) in files.enumerated().dropFirst() {
                if running == Self.countAtOnce, let done = await group.next() {
                    running -= 1
                    finish(done.file, done.outcome, failed)
                }
                guard obstacle == nil else {
                    unfinished.append(file)
                    continue
                }
                running += 1
                group.addTask {
                    do { return (file, .success(try await work(place, file))) } catch { return (file, .failure(error)) }
                }
            }
            for await done in group { finish(done.file, done.outcome, failed) }
        }
    }

    private mutating func finish(
        _ file: String, _ outcome: Outcome, _ failed: (_ file: String, any Error, String) -> Result
    ) {
        // Work that has ended counts, though another file has met an obstacle meanwhile.
        if case .success(let result) = outcome { return add(file, result) }
        attempt(file, { try outcome.get() }, failed: { failed(file, $0, $1) })
    }

    private typealias Outcome = Swift.Result<Result, any Error>

    /// Two files for each processor: while a file is opened, or its result noted, another is computed on.
    private static var countAtOnce: Int { 2 * max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    private mutating func fail(_ file: String, _ error: any Error, _ failed: (any Error, String) -> Result) {
        guard !Interruption.isRequested, Self.isOfOneFile(error) else {
            // After an interrupt, the errors that it causes are not reported.
            obstacle = Interruption.isRequested ? KanalError.cancelled : error
            return unfinished.append(file)
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
        case is ResultRefusal, is XMLFault: true
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
        // A remedy helps only if it helps with all of them.
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
        let without: Phrase = missing.isEmpty ? "" : work.without(names)
        let remedy: Phrase = work == .signing && !untried.isEmpty ? "; go on with --skip-signed" : ""
        return "\(work.sum(done, of: count))\(before)\(without)\(remedy)"
    }

    /// The number of files that a sum names.
    private static var shownNames: Int { 5 }
}
