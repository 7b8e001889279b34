// SPDX-License-Identifier: Apache-2.0
import Foundation
import KanalKit

/// Measures what KanalKit adds to the library's own calls, on the token of pcscd, and prints a table.
@main
struct KitBenchmark {
    static func main() async throws {
        guard CommandLine.arguments.count == 3, let seconds = Int(CommandLine.arguments[2]) else {
            fatalError("usage: kit-benchmark PIN SECONDS")
        }
        let manager = try TokenManager()
        let token = try await manager.find()
        try await token.perform(pin: PIN(CommandLine.arguments[1])) { _ in }
        print("| | |\n| --- | ---: |")

        // The least that a call of the library asks of the token.
        let count = 2000
        let inside = try await token.perform { session in
            try time(count) { _ = try session.randomBytes(8) }
        }
        row("`randomBytes`, within one `perform` (µs)", inside)
        let clock = ContinuousClock()
        var start = clock.now
        for _ in 0..<count { try await token.perform { session in _ = try session.randomBytes(8) } }
        row("`perform` of it (µs)", microseconds(clock.now - start) / Double(count))
        start = clock.now
        for _ in 0..<count { try await token.perform { _ in } }
        row("`perform` of nothing (µs)", microseconds(clock.now - start) / Double(count))

        _ = resources()
        let before = resources()
        for _ in 0..<1000 { try await token.perform { session in _ = try session.randomBytes(8) } }
        let after = resources()
        row("growth over 1,000 of them (KiB)", Double(after.resident - before.resident))
        row("descriptors more after them", Double(after.descriptors - before.descriptors))

        let longest = try await longestRest(whileUsing: token)
        row("longest rest of another task while 16 tasks work (µs)", longest)

        let events = manager.events()
        let listener = Task { for await _ in events {} }
        // A task's sleep would wake the process up.
        sleep(2)
        let (idle, switches) = (processorTime(), contextSwitches())
        sleep(UInt32(seconds))
        row("processor time of watching for \(seconds) s (µs)", processorTime() - idle)
        row("times that it woke up", Double(contextSwitches() - switches))
        listener.cancel()
    }

    /// The longest rest of one task while 16 others worked with a token, in microseconds.
    static func longestRest(whileUsing token: Token) async throws -> Double {
        let end = ContinuousClock.now + .seconds(2)
        return try await withThrowingTaskGroup(of: Duration.self) { group in
            group.addTask {
                var (last, longest) = (ContinuousClock.now, Duration.zero)
                while last < end {
                    await Task.yield()
                    let now = ContinuousClock.now
                    longest = max(longest, now - last)
                    last = now
                }
                return longest
            }
            for _ in 0..<16 {
                group.addTask {
                    while ContinuousClock.now < end {
                        try await token.perform { session in _ = try session.randomBytes(4096) }
                    }
                    return .zero
                }
            }
            var longest = Duration.zero
            for try await rest in group { longest = max(longest, rest) }
            return microseconds(longest)
        }
    }

    static func row(_ text: String, _ value: Double) { print("| \(text) | \(String(format: "%.0f", value)) |") }

    static func microseconds(_ duration: Duration) -> Double { duration / .microseconds(1) }

    static func time(_ count: Int, _ body: () throws -> Void) rethrows -> Double {
        let start = ContinuousClock.now
        for _ in 0..<count { try body() }
        return microseconds(ContinuousClock.now - start) / Double(count)
    }

    /// The process's memory in KiB, and its open descriptors.
    static func resources() -> (resident: Int, descriptors: Int) {
        let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .ascii))?.split(separator: " ")
        let descriptors = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        return ((pages?.dropFirst().first.flatMap { Int($0) } ?? 0) * 4, descriptors ?? 0)
    }

    static func usage() -> rusage {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage
    }

    static func processorTime() -> Double {
        let usage = usage()
        return [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) * 1e6 + Double($1.tv_usec) }
    }

    static func contextSwitches() -> Int { usage().ru_nvcsw }
}
