// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

/// Keys and wrapped keys in DER: refused with a typed error, or taken and then written so that they are read again. The first byte
/// chooses whether the rest is read as it is or added, modulo 2, to the bytes of a valid key.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzDER(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard let first = input.first else { return 0 }
    let rest = Array(input.dropFirst())
    let curve = Curve.all[Int(first) % Curve.all.count]
    let isChanged = first >= 0x80
    let (privateKey, publicKey, transport) = isChanged ? valid(curve) : ([], [], [])
    readPrivateKey(isChanged ? changed(privateKey, rest) : rest)
    readPublicKey(isChanged ? changed(publicKey, rest) : rest)
    readTransport(isChanged ? changed(transport, rest) : rest)
    return 0
}

private func readPrivateKey(_ der: [UInt8]) {
    guard let info = try? PrivateKeyInfo(der: der.span) else { return }
    let written = info.der()
    guard let again = try? PrivateKeyInfo(der: written.bytes) else { fatalError("what was written is not read") }
    guard constantTimeEqual(again.key.scalar.bytes, info.key.scalar.bytes) else { fatalError("another key") }
}

private func readPublicKey(_ der: [UInt8]) {
    guard let info = try? SubjectPublicKeyInfo(der: der.span) else { return }
    guard let again = try? SubjectPublicKeyInfo(der: info.der.span) else { fatalError("what was written is not read") }
    guard again.key == info.key else { fatalError("another key") }
}

private func readTransport(_ der: [UInt8]) {
    guard let transport = try? KeyTransport(der: der.span) else { return }
    guard (try? KeyTransport(der: transport.der.span)) == transport else { fatalError("what was written is not read") }
}

/// A private and a public key on a curve: 1 and the generator, and a wrapped key on its way with the public one.
private func valid(_ curve: Curve) -> (private: [UInt8], public: [UInt8], transport: [UInt8]) {
    let algorithm = curve.coordinateSize == 32 ? PublicKeyAlgorithm.gostR34102012256 : .gostR34102012512
    let one = [1] + [UInt8](repeating: 0, count: curve.coordinateSize - 1)
    do {
        let key = try PrivateKey(curve: curve, scalar: Secret(copying: one))
        let publicKey = try SubjectPublicKeyInfo(algorithm: algorithm, key: key.publicKey())
        let transport = try KeyTransport(wrapped: [UInt8](1...44), sBox: .cryptoProA, ephemeralKey: publicKey)
        let privateKey = try PrivateKeyInfo(algorithm: algorithm, key: key).der()
        return ([UInt8](copying: privateKey), publicKey.der, transport.der)
    } catch {
        fatalError("\(error)")
    }
}

private func changed(_ bytes: [UInt8], _ changes: [UInt8]) -> [UInt8] {
    bytes.enumerated().map { $0.element ^ (changes.indices.contains($0.offset) ? changes[$0.offset] : 0) }
}
