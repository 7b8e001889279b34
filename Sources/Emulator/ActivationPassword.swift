import GOST
import Secrets

/// An activation password (GSC/1, 5): the first of 16 to 32 symbols names the slot, the others are random.
///
/// Only the verifier stays in a token.
struct ActivationPassword: ~Copyable {
    /// Letters without O, digits without 0: 34 symbols.
    private static let alphabet = [UInt8]("ABCDEFGHIJKLMNPQRSTUVWXYZ123456789".utf8)
    /// As many as the classic profile needs.
    private static let minimumCount = 16
    private static let maximumCount = 32
    private static let iterations = 10_000

    let slot: Int
    private let symbols: Secret

    /// The canonical form of what a user typed: without dashes and spaces, in capitals. Nil if there is none.
    init?(_ text: String) {
        let capitals = text.utf8.map { (0x61...0x7A).contains($0) ? $0 & 0xDF : $0 }
        let symbols = capitals.filter { $0 != 0x2D && $0 != 0x20 }
        guard (Self.minimumCount...Self.maximumCount).contains(symbols.count),
            symbols.allSatisfy(Self.alphabet.contains), let slot = symbols.first.flatMap(Self.slot(named:))
        else { return nil }
        self.slot = slot
        self.symbols = Secret(copying: symbols)
    }

    /// A new password for a slot: its digit and 15 random symbols.
    init(slot: Int, random: any RandomSource) throws(RandomUnavailable) {
        self.slot = slot
        var symbols = [0x30 + UInt8(truncatingIfNeeded: slot)]
        defer { symbols.wipe() }
        let fair = 256 / Self.alphabet.count * Self.alphabet.count
        while symbols.count < Self.minimumCount {
            let byte = Int(try random.bytes(1)[0])
            if byte < fair { symbols.append(Self.alphabet[byte % Self.alphabet.count]) }
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

    /// What a token keeps for the classic profile: K_F = PBKDF2 over HMAC_GOSTR3411-94 with 10 000 iterations.
    func verifier(salt: [UInt8]) -> Sealed {
        Sealed(
            PBKDF2<GOSTR341194>.derive(
                password: symbols.bytes, salt: salt.span, iterations: Self.iterations, count: 32))
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
