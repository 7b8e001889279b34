// SPDX-License-Identifier: Apache-2.0
import SecureChannel
import Testing

@Suite("Openings that lead to nothing (GSC/1, 12)")
struct FruitlessOpensTests {
    @Test("More than 3 in a row within 10 s stop the opening for 5 s")
    func fault() {
        var opens = OpenFailures()
        for second in 0..<3 {
            opens.countFailure(at: .seconds(second))
            #expect(!opens.isFault(at: .seconds(second)))
        }
        opens.countFailure(at: .seconds(3))
        #expect(opens.isFault(at: .seconds(3)))
        #expect(opens.isFault(at: .milliseconds(7_999)))
        #expect(!opens.isFault(at: .seconds(8)))
        opens.countFailure(at: .seconds(8))
        #expect(!opens.isFault(at: .seconds(8)), "the count begins anew")
    }

    @Test("4 in more than 10 s do not")
    func slow() {
        var opens = OpenFailures()
        for second in [0, 4, 8, 11, 15] {
            opens.countFailure(at: .seconds(second))
            #expect(!opens.isFault(at: .seconds(second)))
        }
        opens.countFailure(at: .seconds(16))
        #expect(opens.isFault(at: .seconds(16)))
    }

    @Test("An opening that leads to a verified reply ends the row")
    func fruitful() {
        var opens = OpenFailures()
        for second in 0..<3 { opens.countFailure(at: .seconds(second)) }
        opens.countSuccess()
        for second in 3..<6 { opens.countFailure(at: .seconds(second)) }
        #expect(!opens.isFault(at: .seconds(6)))
        opens.countFailure(at: .seconds(6))
        #expect(opens.isFault(at: .seconds(6)))
    }
}
