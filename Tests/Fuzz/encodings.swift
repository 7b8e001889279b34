import GOST
import Secrets

/// Key files of any content: typed errors, never a trap. What is taken as a public key is written as it was read; what
/// is taken as a private key is taken again as it was written.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzEncodings(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let der = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    if let info = try? SubjectPublicKeyInfo(der: der.span) {
        guard info.der == der else { fatalError("another public key") }
    }
    if let info = try? PrivateKeyInfo(der: der.span) {
        let written = info.der()
        guard let again = try? PrivateKeyInfo(der: written.bytes) else { fatalError("a private key is lost") }
        guard constantTimeEqual(again.key.scalar.bytes, info.key.scalar.bytes) else {
            fatalError("another private key")
        }
    }
    return 0
}
