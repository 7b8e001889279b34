// SPDX-License-Identifier: Apache-2.0
import Foundation
import GOST
import Libraries

/// Compares Kanal's primitives with those of gost-engine, libgcrypt and nettle, and prints the tables in Markdown: "messages" and
/// "keys", or the one that is named.
@main
enum Benchmark {
    static func main() throws {
        guard libraries_load() else { throw GOSTError.libraryFailure }
        let sets = Table.paths.map { "\($0)" }.joined(separator: ", ")
        print("Processor: \(processor()), one core; sets of instructions: \(sets).")
        print("Medians; in brackets, the ratio to the fastest library, for each set. Keys have one for all sets.\n")
        let named = CommandLine.arguments.dropFirst()
        if named.isEmpty || named.contains("messages") { try messages() }
        print()
        if named.isEmpty || named.contains("keys") { try keys() }
    }

    /// MB/s, a megabyte being 10^6 bytes; key and initialisation vector are set for each message.
    private static func messages() throws {
        let table = Table(columns: ["MB/s", "bytes"], kanal: Table.paths.map { "\($0)" })
        for primitive in messagePrimitives {
            for count in [64, 1024, 16384, 1 << 20] {
                let message = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 151) }
                let kanal = Table.paths.map { path in
                    Contender(name: "\(path)") {
                        Instructions.choose(path)
                        try primitive.run(message)
                    }
                }
                let contenders = kanal + libraryMessages(primitive.name, message)
                let speeds = try seconds(contenders).map { Double(count) / $0 / 1e6 }
                table.add([primitive.name, "\(count)"], zip(contenders.map(\.name), speeds))
            }
        }
    }

    /// Operations per second; EC_POINT_mul is libcrypto's multiplication alone.
    private static func keys() throws {
        let table = Table(columns: ["per second", "curve"], kanal: ["Kanal"], bound: "EC_POINT_mul")
        for primitive in try keyPrimitives() + containerPrimitives() {
            let kanal = Contender(name: "Kanal", run: primitive.run)
            let contenders = [kanal] + libraryKeys(primitive)
            let speeds = try seconds(contenders).map { 1 / $0 }
            table.add([primitive.name, primitive.curve], zip(contenders.map(\.name), speeds))
        }
    }

    private static func processor() -> String {
        let text = try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)
        let line = text?.split(separator: "\n").first { $0.hasPrefix("model name") }
        return line?.split(separator: ": ").last.map(String.init) ?? "unknown"
    }
}

private func libraryMessages(_ primitive: String, _ message: [UInt8]) -> [Contender] {
    var contenders: [Contender] = []
    for index in 0... {
        guard let function = unsafe message_function(index)?.pointee else { break }
        guard unsafe String(cString: function.primitive) == primitive else { continue }
        var output = [UInt8](repeating: 0, count: message.count + 64)
        let contender = Contender(name: unsafe String(cString: function.library)) {
            guard unsafe function.run(message, message.count, &output) > 0 else { throw GOSTError.libraryFailure }
        }
        contenders.append(contender)
    }
    return contenders
}

private func libraryKeys(_ primitive: KeyPrimitive) -> [Contender] {
    var contenders: [Contender] = []
    for index in 0... {
        guard let function = unsafe key_function(index)?.pointee else { break }
        guard unsafe String(cString: function.primitive) == primitive.name else { continue }
        guard unsafe String(cString: function.curve) == primitive.curve else { continue }
        let contender = Contender(name: unsafe String(cString: function.library)) {
            guard unsafe function.run(function.key) else { throw GOSTError.libraryFailure }
        }
        contenders.append(contender)
    }
    return contenders
}
