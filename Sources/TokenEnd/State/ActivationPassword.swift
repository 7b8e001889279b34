// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

/// An activation password (GSC/1, 5): the first of 12 to 32 symbols names the slot, the others are random.
///
/// Only the verifiers stay in a token.
struct ActivationPassword: ~Copyable {
    /// The symbols of a new password: letters without O, and digits without 0 or none.
    enum Alphabet: UInt8 {
        case lettersAndDigits = 0
        case letters = 1

        var symbols: [UInt8] {
            switch self {
            case .lettersAndDigits: ActivationPassword.allSymbols
            case .letters: ActivationPassword.allSymbols.filter { $0 >= 0x41 }
            }
        }
    }

    private static let allSymbols = [UInt8]("ABCDEFGHIJKLMNPQRSTUVWXYZ123456789".utf8)
    /// The length of a new password.
    private static let standardCount = 16
    private static let maximumCount = 32
    /// The number of salts to try. An unusable salt is practically impossible.
    private static let salts = 4

    let slot: Int
    /// The canonical form.
    let symbols: Secret

    /// The canonical form of a user's input: without dashes and spaces, in capitals. Nil if it is malformed, or too
    /// short for one of the profiles.
    init?(_ text: String, for profiles: [ChannelProfile]) {
        let capitals = text.utf8.map { (0x61...0x7A).contains($0) ? $0 & 0xDF : $0 }
        let symbols = capitals.filter { $0 != 0x2D && $0 != 0x20 }
        let minimum = profiles.contains(.classic) ? 16 : 12
        guard (minimum...Self.maximumCount).contains(symbols.count), symbols.allSatisfy(Self.allSymbols.contains),
            let slot = symbols.first.flatMap(Self.slot(named:))
        else { return nil }
        self.slot = slot
        self.symbols = Secret(copying: symbols)
    }

    /// A new password for a slot: the slot's digit or letter, and 15 random symbols.
    init(
        slot: Int, of alphabet: Alphabet = .lettersAndDigits, random: any RandomSource
    ) throws(RandomUnavailable) {
        self.slot = slot
        let name: UInt8 = alphabet == .letters ? 0x40 : 0x30
        var symbols = [name + UInt8(truncatingIfNeeded: slot)]
        defer { symbols.wipe() }
        let choice = alphabet.symbols
        let fair = 256 / choice.count * choice.count
        while symbols.count < Self.standardCount {
            let byte = Int(try random.bytes(1)[0])
            if byte < fair { symbols.append(choice[byte % choice.count]) }
        }
        self.symbols = Secret(copying: symbols)
    }

    /// The printed form: groups of four with dashes between.
    var printed: String {
        var text = ""
        for index in 0..<symbols.count {
            if index > 0 && index.isMultiple(of: 4) { text += "-" }
            text.unicodeScalars.append(Unicode.Scalar(symbols.bytes[index]))
        }
        return text
    }

    /// The slot of the token: the verifiers of the profiles under a new salt, and full counters.
    func slot(for profiles: [ChannelProfile], random: any RandomSource) throws -> ActivationSlot {
        for _ in 0..<Self.salts {
            let salt = try random.bytes(16)
            var verifiers: [ChannelProfile: SharedSecret] = [:]
            do throws(GOSTError) {
                for profile in profiles {
                    verifiers[profile] = SharedSecret(try profile.suite.verifier(password: symbols.bytes, salt: salt))
                }
                return ActivationSlot(salt: salt, verifiers: verifiers)
            } catch .invalidPoint {
                continue
            }
        }
        throw RandomUnavailable()
    }

    /// '1'...'6' or 'A'...'F'.
    private static func slot(named symbol: UInt8) -> Int? {
        switch symbol {
        case 0x31...0x36: Int(symbol) - 0x30
        case 0x41...0x46: Int(symbol) - 0x40
        default: nil
        }
    }
}
