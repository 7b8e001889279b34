// SPDX-License-Identifier: Apache-2.0
import KanalKit
import Testing
import Translation

@Suite("The words of errors")
struct ExplanationTests {
    @Test("an error's words and their variable parts stay apart up to the place where a person reads them")
    func parts() {
        let error = KanalError.invalidArgument("the label has more than \(32) bytes")
        #expect(error.explanation == "the label has more than \(32) bytes")
        let refused = KanalError.refused(code: "CKR_DEVICE_ERROR", reason: "it is broken: \("x" as Phrase)")
        #expect(refused.explanation == "\("it is broken: \("x" as Phrase)" as Phrase) (\("CKR_DEVICE_ERROR"))")
    }

    @Test("a text is a program's as it ever was: a literal, and a String")
    func text() {
        let error = KanalError.invalidArgument("the label has more than \(32) bytes")
        #expect(error == .invalidArgument("the label has more than 32 bytes"))
        #expect(error != .invalidArgument("the label has more than 33 bytes"))
        #expect(error.description == "the label has more than 32 bytes")
    }
}
