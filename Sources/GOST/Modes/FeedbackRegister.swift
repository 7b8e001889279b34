import Secrets

/// The register of the modes with feedback of GOST R 34.13-2015, 5.3 and 5.5: m octets, one or more blocks.
///
/// Instead of being shifted, the register is a ring: the block that is enciphered to gamma makes room, octet by octet,
/// for what is fed back.
struct FeedbackRegister<Cipher: BlockCipher & ~Copyable>: ~Copyable {
    /// What follows the gamma in the register.
    enum Feedback {
        /// The gamma itself (OFB).
        case gamma
        /// The sum of gamma and input (CFB, enciphering).
        case output
        /// The input (CFB, deciphering).
        case input
    }

    private let cipher: Cipher
    private var octets: Secret
    private var place = 0

    /// - Throws: ``GOSTError/invalidKeyLength``, or ``GOSTError/invalidIVLength`` unless `iv` is one block or more.
    init(key: Span<UInt8>, iv: Span<UInt8>) throws(GOSTError) {
        guard !iv.isEmpty, iv.count % Cipher.blockSize == 0 else { throw .invalidIVLength }
        cipher = try Cipher(key: key)
        octets = Secret(copying: iv)
    }

    /// The sum of `data` and the gamma.
    mutating func apply(_ data: Span<UInt8>, _ feedback: Feedback) -> Secret {
        var result = Secret(count: data.count)
        var output = result.mutableBytes
        for index in data.indices {
            if place % Cipher.blockSize == 0 { cipher.encrypt(&octets, place..<place + Cipher.blockSize) }
            let sum = octets.bytes[place] ^ data[index]
            output[index] = sum
            switch feedback {
            case .gamma: break
            case .output: setOctet(sum)
            case .input: setOctet(data[index])
            }
            place = place + 1 == octets.count ? 0 : place + 1
        }
        return result
    }

    private mutating func setOctet(_ octet: UInt8) {
        let place = place
        var bytes = octets.mutableBytes
        bytes[place] = octet
    }
}
