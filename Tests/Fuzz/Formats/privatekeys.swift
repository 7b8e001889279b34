// SPDX-License-Identifier: Apache-2.0
import HostCrypto
import Secrets

/// Files with one private key (PKCS #8): typed errors, never a trap. A key that is read has a public key. The files of other
/// programs, with which this begins, have this password.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPrivateKeys(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    do throws(PFXError) {
        let file = try PFX(privateKey: input.span, password: Secret(copying: Array("12345678".utf8)), workLimit: 50_000)
        for key in file.keys {
            guard !key.publicKey.der.isEmpty else { fatalError("a key without its public half") }
        }
    } catch {
        guard error != .libraryFailure else { fatalError("\(error)") }
    }
    return 0
}
