// SPDX-License-Identifier: Apache-2.0
import Asking
import Foundation
import TestSupport
import Testing

@Suite("A file has the answer")
struct SecretFileTests {
    private let standIn: StandIn

    init() throws { standIn = try StandIn() }

    private func answer(_ path: String, _ question: Question = .pin) -> Result<[UInt8], AskingError> {
        Authenticator(.file(path)).answer(question)
    }

    @Test(
        "The answer is what it says, without one end of a line",
        arguments: [
            ("1234", "1234"), ("1234\n", "1234"), ("1234\r\n", "1234"), ("12\n34\n\n", "12\n34\n"), (" 1 ", " 1 "),
        ])
    func content(_ content: String, _ answer: String) throws {
        #expect(self.answer(try standIn.file("pin", Array(content.utf8))) == .success(Array(answer.utf8)))
    }

    @Test("Every byte counts")
    func everyByte() throws {
        let bytes = Array(UInt8.min...255)
        #expect(answer(try standIn.file("pin", bytes)) == .success(bytes))
    }

    @Test("A file that others can reach is refused", arguments: [0o640, 0o604, 0o620, 0o601, 0o644, 0o666])
    func mode(_ mode: Int) throws {
        let reason = answer(try standIn.file("pin", [0x31], mode: mode)).reason
        #expect(reason?.hasSuffix("group or others have access") == true)
    }

    @Test("Links, files with two names, directories, pipes and devices are refused, and nothing waits")
    func kinds() throws {
        let path = try standIn.file("pin", [0x31])
        try FileManager.default.createSymbolicLink(atPath: standIn.folder + "/link", withDestinationPath: path)
        #expect(answer(standIn.folder + "/link").reason?.hasSuffix("it is a link") == true)
        try FileManager.default.linkItem(atPath: path, toPath: standIn.folder + "/second")
        #expect(answer(path).reason?.hasSuffix("it has several names") == true)
        #expect(unsafe mkfifo(standIn.folder + "/pipe", 0o600) == 0)
        for other in [standIn.folder, standIn.folder + "/pipe", "/dev/null"] {
            #expect(answer(other).reason?.hasSuffix("it is not a regular file") == true)
        }
    }

    @Test("An empty file and one that is too long are refused; a missing one is not there")
    func sizes() throws {
        for content in [[], [0x0A]] as [[UInt8]] {
            #expect(answer(try standIn.file("pin", content)).reason?.hasSuffix("it is empty") == true)
        }
        let long = try standIn.file("long", [UInt8](repeating: 0x31, count: 1_000_000))
        #expect(answer(long).reason?.hasSuffix("it is too long") == true)
        guard case .failure(let error) = answer(standIn.folder + "/none") else { return }
        #expect(error.missing?.hasSuffix("No such file or directory") == true)
    }

    @Test("Who repeats the question, because the answer was wrong, gets no answer")
    func wrong() throws {
        var question = Question.pin
        question.error = "Wrong PIN."
        #expect(
            answer(try standIn.file("pin", [0x31]), question).reason?.hasSuffix("the answer in it was wrong") == true)
    }

    @Test("A file of another user is refused", .needsRoot)
    func owner() throws {
        let path = try standIn.file("pin", [0x31])
        #expect(unsafe chown(path, 12_345, 12_345) == 0)
        #expect(answer(path).reason?.hasSuffix("it belongs to another user") == true)
    }
}
