// SPDX-License-Identifier: Apache-2.0
import GOST
import HostCrypto
import Secrets

/// Certificates, lists of revoked ones and public keys in DER: refused with a typed error, or read, and a key then
/// written as it was. No path leads to an untrusted certificate. The first byte chooses whether the rest is read as it
/// is or added, modulo 2, to the bytes of a valid certificate.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCertificates(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard let first = input.first else { return 0 }
    let rest = Array(input.dropFirst())
    let isChanged = first >= 0x80
    let key = keys[Int(first) % keys.count]
    read(isChanged ? changed(certificate(of: key), rest) : rest)
    follow(isChanged ? changed(certificate(of: key), rest) : rest, list: isChanged ? changed(list, rest) : rest)
    readKey(isChanged ? changed(key, rest) : rest)
    return 0
}

private func read(_ der: [UInt8]) {
    do throws(HostCryptoError) {
        let certificate = try Certificate(der: der.span)
        readKey(certificate.subjectPublicKeyInfo)
        _ = try Certificate.text(der: der.span)
        let names = certificate.issuer + certificate.subject
        guard der.count > names.count + certificate.serialNumber.count else { fatalError("more than was given") }
    } catch {
        guard error == .invalidEncoding else { fatalError("\(error)") }
    }
}

private func follow(_ der: [UInt8], list: [UInt8]) {
    var store = TrustStore(trusted: [], certificates: [der], revocationLists: [list])
    store.revocationCheck = .all
    do throws(HostCryptoError) {
        try store.requireReadable()
        guard try !store.trusts(der, at: 1_700_000_000) else { fatalError("trusted by nobody") }
        store.allowsPartialPaths = true
        store.trusted = [der]
        _ = try store.trusts(der, at: 1_700_000_000)
    } catch {
        guard error == .invalidEncoding else { fatalError("\(error)") }
    }
}

private func readKey(_ der: [UInt8]) {
    do throws(HostCryptoError) {
        let info = try PublicKeyInfo(der: der.span)
        guard info.der == der else { fatalError("another key than was read") }
        let bytes = [UInt8](repeating: 1, count: 64)
        switch info {
        case .rsa(let key):
            let signature = [UInt8](repeating: 1, count: key.size)
            _ = try key.isValidSignature(signature.span, of: bytes.span.extracting(first: 20), .pkcs1DigestInfo(.sha1))
            _ = try key.encrypt(bytes.span.extracting(first: 16), .pkcs1)
        case .ec(let key):
            _ = try key.isValidSignature(bytes.span, of: bytes.span)
        case .gost(let info):
            _ = try? info.key.isValidSignature(bytes, digest: bytes)
        }
    } catch {
        guard error != .libraryFailure else { fatalError("\(error)") }
    }
}

/// Public keys of every kind that can be read.
private let keys: [[UInt8]] = {
    do {
        let d = Secret(copying: [1])
        let modulus = [UInt8](repeating: 0xFF, count: 64)
        let curve = Curve.all[0]
        let one = Secret(copying: [1] + [UInt8](repeating: 0, count: 31))
        let gost = try PrivateKey(curve: curve, scalar: one).publicKey()
        let ec = try ECPrivateKey(curve: .p256, scalar: d)
        return [
            try PublicKeyInfo.rsa(RSAPublicKey(modulus: modulus, publicExponent: [1, 0, 1])).der,
            PublicKeyInfo.ec(ec.publicKey).der,
            try SubjectPublicKeyInfo(algorithm: .gostR34102001, key: gost).der,
        ]
    } catch {
        fatalError("\(error)")
    }
}()

/// A certificate with nothing but the key.
private func certificate(of key: [UInt8]) -> [UInt8] {
    let algorithm = element(0x30, element(0x06, [0x2A, 3]))
    let time = element(0x17, Array("210101000000Z".utf8))
    let name = element(0x30, element(0x31, element(0x30, element(0x06, [0x55, 4, 3]) + element(0x0C, [65]))))
    let content = [
        element(0xA0, element(0x02, [2])), element(0x02, [1]), algorithm, name, element(0x30, time + time), name, key,
        element(0xA3, element(0x30, [])),
    ]
    return element(0x30, element(0x30, Array(content.joined())) + algorithm + element(0x03, [0, 1]))
}

/// A list of one certificate, with nothing else.
private let list: [UInt8] = {
    let algorithm = element(0x30, element(0x06, [0x2A, 3]))
    let time = element(0x17, Array("210101000000Z".utf8))
    let name = element(0x30, element(0x31, element(0x30, element(0x06, [0x55, 4, 3]) + element(0x0C, [65]))))
    let revoked = element(0x30, element(0x30, element(0x02, [1]) + time))
    let extensions = element(
        0xA0, element(0x30, element(0x30, element(0x06, [0x55, 29, 20]) + element(0x04, [2, 1, 1]))))
    let content = [element(0x02, [1]), algorithm, name, time, time, revoked, extensions]
    return element(0x30, element(0x30, Array(content.joined())) + algorithm + element(0x03, [0, 1]))
}()

private func element(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
    let count = contents.count
    let length = count < 0x80 ? [] : count < 0x100 ? [0x81] : [0x82, UInt8(count >> 8)]
    return [tag] + length + [UInt8(count & 0xFF)] + contents
}

private func changed(_ bytes: [UInt8], _ changes: [UInt8]) -> [UInt8] {
    bytes.enumerated().map { $0.element ^ (changes.indices.contains($0.offset) ? changes[$0.offset] : 0) }
}
