// SPDX-License-Identifier: Apache-2.0
import GOST
import HostCrypto
import Secrets

/// Files with keys and certificates: typed errors, never a trap. The first byte chooses whether the rest is a whole
/// file, or the contents of one with the right code, so that the parsers behind the code are reached. A key that is
/// read has a public key, and key derivations are few.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPFX(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard let first = input.first else { return 0 }
    let rest = Array(input.dropFirst())
    let file = first >= 0x80 ? authenticated(rest) : rest
    do throws(PFXError) {
        let pfx = try PFX(parsing: file.span, password: Secret(copying: password), workLimit: 80)
        for key in pfx.keys {
            guard !key.publicKey.der.isEmpty else { fatalError("a key without its public half") }
            _ = pfx.certificate(of: key)
        }
    } catch {
        guard error != .libraryFailure else { fatalError("\(error)") }
    }
    return 0
}

private let password = Array("password".utf8)
private let salt: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
private let codeKey: [UInt8] = {
    let derived = PBKDF2<Streebog512>.derive(password: password.span, salt: salt.span, iterations: 1, count: 96)
    return Array([UInt8](copying: derived).suffix(32))
}()

/// A file with these contents and their code.
private func authenticated(_ contents: [UInt8]) -> [UInt8] {
    let code = HMAC<Streebog512>.authenticate(contents.span, key: codeKey.span)
    let digest =
        DERTag.sequence.element(HashAlgorithm.streebog512.oid) + DERTag.octetString.element([UInt8](copying: code))
    let macData = DERTag.sequence.element(DERTag.sequence.element(digest) + DERTag.octetString.element(salt))
    let data: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01]
    let info = DERTag.sequence.element(data + DERTag.context0.element(DERTag.octetString.element(contents)))
    return DERTag.sequence.element([2, 1, 3] + info + macData)
}
