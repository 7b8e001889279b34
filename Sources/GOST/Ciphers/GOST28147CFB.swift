public import Secrets

/// GOST 28147-89 in the cipher feedback mode (RFC 5830, 7), for a message that comes in pieces and is either enciphered
/// or deciphered.
public struct GOST28147CFB: ~Copyable, Sendable {
    private var meshed: MeshedCipher
    /// The gamma's octets that are not used yet, then those of the ciphertext.
    private var register: Wiped<UInt64>
    private var used = 0

    /// Begins a message with a key of 32 octets and an initialisation vector of 8. Constant time in its secret inputs.
    ///
    /// - Parameter meshing: Whether the key changes after every 1024 octets (CryptoPro Key Meshing, RFC 4357, 2.3.2). The
    ///   caller decides, as for ``GOST28147CNT``, because the S-box does not: TC26's own samples of CMS mesh with
    ///   id-tc26-gost-28147-param-Z.
    /// - Throws: ``GOSTError/invalidKeyLength`` or ``GOSTError/invalidIVLength``.
    public init(key: Span<UInt8>, iv: Span<UInt8>, sBox: SBox, meshing: Bool) throws(GOSTError) {
        guard iv.count == 8 else { throw .invalidIVLength }
        meshed = MeshedCipher(try GOST28147(key: key, sBox: sBox), meshing: meshing)
        register = Wiped(iv.littleEndianUInt64(at: 0))
    }

    /// Enciphers the next octets of the message. Constant time in its secret inputs.
    public mutating func encrypt(_ plaintext: Span<UInt8>) -> Secret {
        apply(plaintext) { gamma, octet in gamma ^ octet }
    }

    /// Deciphers the next octets of the message. Constant time in its secret inputs.
    public mutating func decrypt(_ ciphertext: Span<UInt8>) -> Secret {
        apply(ciphertext) { _, octet in octet }
    }

    /// The sum of `data` and the gamma; `feedback` makes the octet of ciphertext from those of gamma and data.
    @inline(__always)
    private mutating func apply(_ data: Span<UInt8>, _ feedback: (UInt8, UInt8) -> UInt8) -> Secret {
        var result = Secret(count: data.count)
        var output = result.mutableBytes
        for index in data.indices {
            if used == 0 { encipherRegister() }
            // The octet in use is the lowest; what is fed back comes in at the top.
            let gamma = UInt8(truncatingIfNeeded: register.value)
            output[index] = gamma ^ data[index]
            register.value = register.value >> 8 | UInt64(feedback(gamma, data[index])) << 56
            used = (used + 1) % 8
        }
        return result
    }

    private mutating func encipherRegister() {
        if meshed.beginBlock() { register.value = meshed.cipher.encrypt(register.value) }
        register.value = meshed.cipher.encrypt(register.value)
    }
}
