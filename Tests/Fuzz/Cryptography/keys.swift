// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

/// Private keys, digests and UKM of any length and content: typed errors, never a trap. The first byte chooses the
/// curve; an accepted key has a public key, and its signatures are valid.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzKeys(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard let first = input.first else { return 0 }
    let curve = Curve.all[Int(first) % Curve.all.count]
    let bytes = Array(input.dropFirst())
    let (scalar, rest) = (Array(bytes.prefix(curve.coordinateSize)), Array(bytes.dropFirst(curve.coordinateSize)))
    do throws(GOSTError) {
        let key = try PrivateKey(curve: curve, scalar: Secret(copying: scalar))
        let publicKey = try key.publicKey()
        let signature = try? key.sign(digest: rest.span, random: SystemRandom())
        if let signature, try !publicKey.isValidSignature(signature, digest: rest) {
            fatalError("an invalid signature")
        }
        _ = try key.vko2001(with: publicKey, ukm: rest.span)
    } catch {
        guard error != .libraryFailure, error != .randomUnavailable else { fatalError("\(error)") }
    }
    return 0
}
