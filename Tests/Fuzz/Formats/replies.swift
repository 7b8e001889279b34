// SPDX-License-Identifier: Apache-2.0
import HostCrypto

/// Replies of authorities for time stamps and of responders, which come from the network: refused with a typed error, or
/// read, and then they do not answer a request that was never made. The first byte chooses whose reply the rest is, or
/// whether it is what messages keep of one.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzReplies(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard let first = input.first else { return 0 }
    let rest = Array(input.dropFirst())
    switch first % 4 {
    case 0: readStamp(rest) { bytes throws(TimeStampFault) in try TimeStampResponse(reply: bytes).token }
    case 1: readStamp(rest) { bytes throws(TimeStampFault) in try TimeStampToken(bytes) }
    case 2: readState(rest) { bytes throws(OCSPFault) in try OCSPResponse(reply: bytes) }
    default: readState(rest) { bytes throws(OCSPFault) in try OCSPResponse(der: bytes) }
    }
    return 0
}

private func readStamp(_ bytes: [UInt8], by read: ([UInt8]) throws(TimeStampFault) -> TimeStampToken) {
    do throws(TimeStampFault) {
        let token = try read(bytes)
        _ = try? token.verify(imprint: token.imprint, trusting: nil, now: token.time.seconds)
        let store = TrustStore(trusted: [])
        _ = try token.verify(imprint: token.imprint, trusting: store, now: token.time.seconds)
        fatalError("trusted by nobody")
    } catch {
        if case .failure(let error) = error { fatalError("\(error)") }
    }
}

private func readState(_ bytes: [UInt8], by read: ([UInt8]) throws(OCSPFault) -> OCSPResponse) {
    do throws(OCSPFault) {
        let response = try read(bytes)
        // Whoever answers is asked about each certificate that came along, as if it were its own issuer.
        for certificate in response.certificates {
            _ = try? response.state(of: certificate.der, issuer: certificate.der, at: response.producedAt)
        }
    } catch {
        if case .failure(let error) = error { fatalError("\(error)") }
    }
}
