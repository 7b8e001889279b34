// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

/// Public keys and signatures from strangers: refused or taken, never a trap. The first byte chooses the curve, and
/// whether the next ones are a point or are added, modulo 2, to the bytes of a valid one.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPoints(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard let first = input.first else { return 0 }
    let curve = Curve.all[Int(first) % Curve.all.count]
    let size = curve.coordinateSize
    let data = Array(input.dropFirst())
    _ = Curve(oid: data)

    let rest = data.dropFirst(2 * size)
    var bytes = Array(data.prefix(2 * size))
    if first >= 0x80 {
        bytes += [UInt8](repeating: 0, count: 2 * size - bytes.count)
        for (index, byte) in generator(curve).enumerated() { bytes[index] ^= byte }
    }
    guard let key = try? PublicKey(curve: curve, bytes: bytes) else { return 0 }
    guard key.bytes == bytes else { fatalError("another point than was given") }
    let (signature, digest) = (Array(rest.prefix(2 * size)), Array(rest.dropFirst(2 * size)))
    _ = try? key.isValidSignature(signature, digest: digest)
    return 0
}

/// The generator's bytes: the public key of the private key 1.
private func generator(_ curve: Curve) -> [UInt8] {
    let one = [1] + [UInt8](repeating: 0, count: curve.coordinateSize - 1)
    guard let key = try? PrivateKey(curve: curve, scalar: Secret(copying: one)).publicKey() else {
        fatalError("no public key")
    }
    return key.bytes
}
