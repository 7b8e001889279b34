// SPDX-License-Identifier: Apache-2.0
import APDU
import ChannelToken
import Foundation
import GOST
import Secrets
import SecureChannel
import Storage

/// Measures the cost of the host's end of a secure channel: processor time of a message, round trips and time of an
/// opening, and the effect of a million messages on memory.
@main
enum ChannelBenchmark {
    /// The data of a message.
    private struct Shape {
        let name: String
        let sent: Int
        let received: Int
    }

    private static let shapes = [
        Shape(name: "0 → 0", sent: 0, received: 0),
        Shape(name: "32 → 64", sent: 32, received: 64),
        Shape(name: "238 → 0", sent: 238, received: 0),
        Shape(name: "0 → 238", sent: 0, received: 238),
        Shape(name: "238 → 238", sent: 238, received: 238),
    ]

    /// The sets of instructions that this processor has.
    private static let paths = Instructions.allCases.filter(\.areAvailable)

    static func main() throws {
        print("µs of the host's processor per command, by the data of command and reply:\n")
        print("| profile | bytes | \(paths.map { "\($0)" }.joined(separator: " | ")) |")
        print("| --- | ---: |" + paths.map { _ in " ---: |" }.joined())
        for profile in Profile.allCases.reversed() {
            for shape in shapes { try measure(shape, profile) }
        }
        for profile in Profile.allCases.reversed() { try measureOpening(profile) }
        try measureMemory()
    }

    private static func measure(_ shape: Shape, _ profile: Profile) throws {
        let host = try BenchmarkHost(profile)
        let channel = try host.open()
        host.watch.token.answer = { _ in .init(data: [UInt8](repeating: 7, count: shape.received)) }
        let times = try paths.map { path in
            Instructions.choose(path)
            defer { Instructions.choose(nil) }
            var samples: [Double] = []
            for _ in 0..<11 {
                host.watch.start()
                for _ in 0..<1000 { try send(shape, channel) }
                samples.append(host.watch.stop() / 1000)
            }
            return String(format: "%.2f", samples.sorted()[5] * 1e6)
        }
        print("| \(profile) | \(shape.name) | \(times.joined(separator: " | ")) |")
    }

    private static func measureOpening(_ profile: Profile) throws {
        let host = try BenchmarkHost(profile)
        var samples: [Double] = []
        for _ in 0..<11 {
            let count = host.watch.token.count
            host.watch.start()
            _ = try host.open()
            samples.append(host.watch.stop())
            guard host.watch.token.count == count + 2 else { fatalError("an opening takes 2 round trips") }
        }
        let milliseconds = String(format: "%.2f", samples.sorted()[5] * 1e3)
        print("\nOpening, \(profile): 2 round trips, \(milliseconds) ms of the host's processor")
    }

    private static func measureMemory() throws {
        let host = try BenchmarkHost(.modern)
        let channel = try host.open()
        host.watch.token.answer = { _ in .init(data: [UInt8](repeating: 7, count: 64)) }
        let shape = shapes[2]
        for _ in 0..<10_000 { try send(shape, channel) }
        let (resident, peak) = (memory("VmRSS"), memory("VmHWM"))
        var renewals = 0
        for _ in 0..<1_000_000 {
            if channel.needsRenewal {
                try channel.renew(store: host.store, random: SystemRandom())
                renewals += 1
            }
            try send(shape, channel)
        }
        let growth = (memory("VmRSS") - resident, memory("VmHWM") - peak)
        print(
            "\nA million messages, \(renewals) renewals: resident memory grew by \(growth.0) KiB, its peak by \(growth.1)"
        )
    }

    private static func send(_ shape: Shape, _ channel: SecureChannel) throws {
        let data = Secret(count: shape.sent)
        let response = try channel.transmit(
            Command(0x00, 0xD6, 0x00, 0x00, data: data, ne: shape.received > 0 ? shape.received : nil))
        guard response.status == .success, response.data.count == shape.received || shape.received == 0 else {
            fatalError("another reply")
        }
    }

    /// A value of /proc/self/status in KiB: VmRSS, the resident memory, or VmHWM, its peak.
    private static func memory(_ name: String) -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
        return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
    }
}
