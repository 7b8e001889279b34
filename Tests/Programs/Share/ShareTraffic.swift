// SPDX-License-Identifier: Apache-2.0
import KanalKit

/// share-traffic PORT PIN SECONDS: works with a shared token as fast as it goes, as a host that comes and goes: random
/// bytes, searches and signatures; a reset after each round, a broken connection every ten seconds. The activation
/// password comes on standard input. Prints "ready" when the share may come.
@main
struct ShareTraffic {
    static func main() async throws {
        let words = CommandLine.arguments
        guard words.count == 4, let port = UInt16(words[1]), let seconds = Int(words[3]) else {
            fatalError("usage: share-traffic PORT PIN SECONDS")
        }
        let far = FarSide(port: port)
        print("ready")
        try far.meet()
        let token = try await TokenManager(transport: far).find()
        let password = readLine() ?? ""
        if !token.isActivated { try await token.activate(password: ActivationPassword(password)) }
        let clock = ContinuousClock()
        let end = clock.now + .seconds(seconds)
        var (rounds, breaks) = (0, 0)
        var lastBreak = clock.now
        while clock.now < end {
            try await token.perform(pin: PIN(words[2])) { session in
                _ = try session.randomBytes(64 << 10)
                let pair = try session.keyPairs().first ?? session.generateKeyPair(.gost256, id: [1], label: "key")
                _ = try session.sign(digest: [UInt8](repeating: 7, count: 32).span, with: pair)
            }
            rounds += 1
            if clock.now - lastBreak < .seconds(10) {
                try far.reset()
            } else {
                try far.breakLink()
                breaks += 1
                lastBreak = clock.now
            }
        }
        print("rounds: \(rounds), connections: \(breaks + 1)")
    }
}
