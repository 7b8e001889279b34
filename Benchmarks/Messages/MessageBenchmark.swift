// SPDX-License-Identifier: Apache-2.0
import Foundation
import KanalKit

/// Verifies the detached messages 0.p7s, 1.p7s, … of the files 0, 1, … in a directory, one after the other, and prints the time
/// of each in microseconds.
@main
struct MessageBenchmark {
    static func main() throws {
        guard CommandLine.arguments.count == 3, let count = Int(CommandLine.arguments[2]) else {
            fatalError("usage: message-benchmark DIRECTORY COUNT")
        }
        let directory = CommandLine.arguments[1]
        func read(_ name: String) throws -> [UInt8] {
            guard let file = fopen("\(directory)/\(name)", "r") else { fatalError("no file \(name)") }
            defer { fclose(file) }
            return [UInt8](unsafeUninitializedCapacity: 1 << 16) { $1 = fread($0.baseAddress, 1, $0.count, file) }
        }
        let verifier = MessageVerifier(trusting: [try read("ca.der")])
        let clock = ContinuousClock()
        let start = clock.now
        for number in 0..<count {
            _ = try verifier.verify(read("\(number).p7s"), content: read("\(number)"))
        }
        print(String(format: "%.1f", (clock.now - start) / .microseconds(1) / Double(count)))
    }
}
