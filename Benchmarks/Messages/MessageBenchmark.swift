// SPDX-License-Identifier: Apache-2.0
import Foundation
import KanalKit

/// message-benchmark DIRECTORY COUNT: verifies the detached messages 0.p7s, 1.p7s, … of the files 0, 1, … in a directory, one
/// after the other, and prints the time of each in microseconds.
///
/// message-benchmark DIRECTORY COUNT long: verifies long.p7s, the message of X Long type 1 of the file 0, so many times, each with
/// a verifier that knows nothing yet, and after it the signature alone of 0.p7s, and prints the time of each.
@main
struct MessageBenchmark {
    static func main() throws {
        let words = CommandLine.arguments
        guard [3, 4].contains(words.count), let count = Int(words[2]) else {
            fatalError("usage: message-benchmark DIRECTORY COUNT [long]")
        }
        let directory = words[1]
        func read(_ name: String) throws -> [UInt8] {
            guard let file = fopen("\(directory)/\(name)", "r") else { fatalError("no file \(name)") }
            defer { fclose(file) }
            return [UInt8](unsafeUninitializedCapacity: 1 << 16) { $1 = fread($0.baseAddress, 1, $0.count, file) }
        }
        let trusted = try [read("ca.der")] + (words.count == 4 ? [read("tsa-ca.der")] : [])
        func measure(_ work: (Int) throws -> Void) rethrows {
            let clock = ContinuousClock()
            let start = clock.now
            for number in 0..<count { try work(number) }
            print(String(format: "%.1f", (clock.now - start) / .microseconds(1) / Double(count)))
        }
        guard words.count == 4 else {
            let verifier = MessageVerifier(trusting: trusted)
            return try measure { number in
                _ = try verifier.verify(read("\(number).p7s"), content: read("\(number)"))
            }
        }
        let (content, long, short) = try (read("0"), read("long.p7s"), read("0.p7s"))
        try measure { _ in
            var verifier = MessageVerifier(trusting: trusted)
            verifier.revocationCheck = .all
            let signers = try verifier.verify(long, content: content).signers
            guard signers.first?.level == .xLongType1 else { fatalError("not X Long type 1: \(signers)") }
        }
        var verifier = MessageVerifier(trusting: trusted)
        verifier.checksSignatureOnly = true
        try measure { _ in _ = try verifier.verify(short, content: content) }
    }
}
