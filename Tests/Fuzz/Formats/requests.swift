// SPDX-License-Identifier: Apache-2.0
import HostCrypto
import Secrets

/// Certification requests of any text: put together or refused, never a trap. Zeros part the fields' types and values;
/// the first byte selects the fields that are attributes and extensions.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRequests(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard let first = input.first else { return 0 }
    let texts = input.dropFirst().split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    let fields = stride(from: 0, to: texts.count - 1, by: 2).map { index in
        CertificationRequest.Field(type: texts[index], value: texts[index + 1])
    }
    let (head, tail) = (fields.prefix(Int(first & 3)), fields.dropFirst(Int(first & 3)))
    let isAttribute = first & 4 != 0
    do throws(HostCryptoError) {
        let request = try CertificationRequest(
            subject: Array(head), publicKeyInfo: publicKey, attributes: isAttribute ? Array(tail) : [],
            extensions: isAttribute ? [] : Array(tail))
        _ = try request.der(.ecdsa(.sha256), signature: [UInt8](repeating: 1, count: 64))
    } catch {
        guard error == .invalidParameter else { fatalError("\(error)") }
    }
    return 0
}

private let publicKey: [UInt8] = {
    do {
        let key = try ECPrivateKey(curve: .p256, scalar: Secret(copying: [1]))
        return PublicKeyInfo.ec(key.publicKey).der
    } catch {
        fatalError("\(error)")
    }
}()
