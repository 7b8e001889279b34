// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("Coverage of the published vectors")
struct VectorCoverageTests {
    /// The files that no suite reads yet.
    private let awaited: Set<String> = []

    @Test("Every file is read by a suite, and every file that a suite reads is there")
    func files() throws {
        let covered = try suites()
        let files = Set(try JSON.vectorFiles())
        #expect(files.subtracting(covered.keys) == awaited, "take a file off the list when a suite reads it")
        #expect(Set(covered.keys).isSubset(of: files))
    }

    /// The test files that name each file of vectors.
    private func suites() throws -> [String: [String]] {
        let paths = FileManager.default.enumerator(atPath: Project.tests.path)?.compactMap { $0 as? String } ?? []
        var suites: [String: [String]] = [:]
        for path in paths where path.hasSuffix(".swift") && !#filePath.hasSuffix(path) {
            let text = try String(contentsOf: Project.tests.appending(path: path), encoding: .utf8)
            for match in text.matches(of: /"(\w+\.json)"/) {
                suites[String(match.1), default: []].append(path)
            }
        }
        return suites
    }
}
