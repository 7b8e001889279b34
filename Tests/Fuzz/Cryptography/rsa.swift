// SPDX-License-Identifier: Apache-2.0
import HostCrypto
import Secrets

/// The numbers of RSA keys, and operations with a key: typed errors, never a trap, and an accepted key works. The first
/// byte chooses the operation, the second the number of a valid key to which the rest is added, modulo 2.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRSA(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard input.count >= 2 else { return 0 }
    let rest = Array(input.dropFirst(2))
    do throws(HostCryptoError) {
        if input[0] < 0x80 {
            try readKey(numbers.count > Int(input[1]) ? Int(input[1]) : 0, rest)
        } else {
            try use(input[0], input[1], rest)
        }
    } catch {
        guard error != .libraryFailure, error != .randomUnavailable else { fatalError("\(error)") }
    }
    return 0
}

private func readKey(_ index: Int, _ changes: [UInt8]) throws(HostCryptoError) {
    var changed = numbers
    let length = max(changes.count, changed[index].count)
    let number = [UInt8](repeating: 0, count: length - changed[index].count) + changed[index]
    changed[index] = number.enumerated().map { $0.element ^ ($0.offset < changes.count ? changes[$0.offset] : 0) }
    let key = try RSAPrivateKey(components(changed))
    let isSame = zip(changed, numbers).allSatisfy { $0.drop { $0 == 0 } == $1.drop { $0 == 0 } }
    guard isSame || index == 1 || index == 2 else { fatalError("wrong numbers are a key") }
    _ = try key.sign(changes.span.extracting(first: min(changes.count, 50)), .pkcs1)
}

private func use(_ choice: UInt8, _ parameter: UInt8, _ bytes: [UInt8]) throws(HostCryptoError) {
    let hashes = DigestAlgorithm.allCases
    let hash = hashes[Int(choice) % hashes.count]
    let mask = hashes[Int(parameter) % hashes.count]
    let schemes: [RSASignatureScheme] = [
        .raw, .pkcs1, .pkcs1DigestInfo(hash), .pss(hash: hash, mask: mask, saltLength: Int(parameter) - 64),
    ]
    let scheme = schemes[Int(choice) % schemes.count]
    let encryptions: [RSAEncryptionScheme] = [.raw, .pkcs1, .oaep(hash: hash, mask: mask, label: bytes)]
    let encryption = encryptions[Int(choice) % encryptions.count]
    _ = try? key.decrypt(bytes.span, encryption)
    _ = try? key.publicKey.recover(bytes.span, scheme)
    _ = try? key.publicKey.isValidSignature(bytes.span, of: bytes.span, scheme)
    if let ciphertext = try? key.publicKey.encrypt(bytes.span, encryption) {
        let plaintext = try key.decrypt(ciphertext.span, encryption)
        guard encryption == .raw || [UInt8](copying: plaintext) == bytes else { fatalError("another plaintext") }
    }
    let signature = try key.sign(bytes.span, scheme)
    let isValid = try key.publicKey.isValidSignature(signature.span, of: bytes.span, scheme)
    guard isValid else { fatalError("an invalid signature") }
}

/// n, e, d, p, q, d modulo p − 1, d modulo q − 1, the inverse of q modulo p.
private let numbers: [[UInt8]] = {
    do {
        let components = try RSAPrivateKey(generating: 512).components()
        let start = [components.modulus, components.publicExponent, [UInt8](copying: components.privateExponent)]
        switch components.factors {
        case .none: fatalError("no factors")
        case .some(let factors):
            return start + [
                [UInt8](copying: factors.prime1), [UInt8](copying: factors.prime2),
                [UInt8](copying: factors.exponent1), [UInt8](copying: factors.exponent2),
                [UInt8](copying: factors.coefficient),
            ]
        }
    } catch {
        fatalError("\(error)")
    }
}()

private let key: RSAPrivateKey = {
    do { return try RSAPrivateKey(components(numbers)) } catch { fatalError("\(error)") }
}()

private func components(_ numbers: [[UInt8]]) -> RSAComponents {
    RSAComponents(
        modulus: numbers[0], publicExponent: numbers[1], privateExponent: Secret(copying: numbers[2]),
        factors: RSAFactors(
            prime1: Secret(copying: numbers[3]), prime2: Secret(copying: numbers[4]),
            exponent1: Secret(copying: numbers[5]), exponent2: Secret(copying: numbers[6]),
            coefficient: Secret(copying: numbers[7])))
}
