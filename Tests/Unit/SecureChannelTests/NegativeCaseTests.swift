// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport
import Testing

@Suite("Coverage of the negative cases")
struct NegativeCaseTests {
    @Test("each case of GSC/1, 19 begins the name of a test, in a suite or a file of checks")
    func names() throws {
        let paths = FileManager.default.enumerator(atPath: Project.tests.path)?.compactMap { $0 as? String } ?? []
        var named: Set<Int> = []
        for path in paths where path.hasSuffix(".swift") || path.hasSuffix(".bats") {
            let text = try String(contentsOf: Project.tests.appending(path: path), encoding: .utf8)
            for list in text.matches(of: /"(([NR][0-9]+(, )?)+):/) {
                named.formUnion(list.1.matches(of: /N([0-9]+)/).compactMap { Int($0.1) })
            }
        }
        #expect(Set(1...82).subtracting(named).sorted() == [])
        #expect(named.subtracting(1...82).isEmpty)
    }
}
