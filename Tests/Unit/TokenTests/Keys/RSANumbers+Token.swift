import APDU
import TestSupport
import Token

/// The public RSA operation, by the openssl program, which knows nothing of the token.
extension RSANumbers {
    struct Failure: Error {}

    /// A block, raised to the public exponent.
    static func raise(_ block: [UInt8], _ key: TokenObject) throws -> [UInt8] {
        guard let modulus = key.modulus, let exponent = key.publicExponent else { throw Failure() }
        let numbers = [UInt8].object(0x30, .object(0x02, [0] + modulus) + .object(0x02, exponent))
        let info = [UInt8].object(
            0x30, [UInt8](hex: "300d06092a864886f70d0101010500") + [UInt8].object(0x03, [0x00] + numbers))
        let openssl = try OpenSSL()
        try openssl.write(info, "key")
        try openssl.write(block, "block")
        let words = "pkeyutl -encrypt -pubin -keyform DER -inkey key -in block -pkeyopt rsa_padding_mode:none"
        guard let result = try openssl.output(words) else { throw Failure() }
        return result
    }
}
