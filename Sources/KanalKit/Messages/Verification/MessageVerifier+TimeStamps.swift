// SPDX-License-Identifier: Apache-2.0
import Glibc
import HostCrypto

extension MessageVerifier {
    /// Verifies the time stamp of a content by itself.
    ///
    /// - Parameters:
    ///   - stamp: An authority's reply, TimeStampResp, or the stamp from it, in BER or DER.
    ///   - content: The stamped content. Cancelling the task ends the work between two pieces of it, with
    ///     ``KanalError/cancelled``.
    /// - Returns: The stamp, which is good.
    /// - Throws: ``KanalError/timeStampRefused(_:)``; the errors of the content's source.
    public func verify(timeStamp stamp: [UInt8], of content: ByteSource) async throws -> TimeStamp {
        let (token, imprint) = try await inThreadOfItsOwn { isCancelled in
            _ = try store()
            let token = try asStamp { () throws(TimeStampFault) in
                TimeStampResponse.isReply(stamp) ? try TimeStampResponse(reply: stamp).token : try TimeStampToken(stamp)
            }
            let digests = try onHost { () throws(HostCryptoError) in try ContentDigests([token.digest]) }
            try content.forEach(unless: isCancelled) { piece in digests.update(piece.span) }
            let values = try onHost { () throws(HostCryptoError) in try digests.finalize() }
            return (token, values[token.digest] ?? [])
        }
        return try await inRounds { store throws(KanalError) in
            let authority = try asStamp { () throws(TimeStampFault) in
                try token.verify(
                    imprint: imprint, trusting: checksSignatureOnly ? nil : store,
                    usesOwn: usesMessageCertificates, further: checksSignatureOnly ? store.certificates : [],
                    now: moment)
            }
            return TimeStamp(token, .content, .success(authority))
        }
    }

    /// The time as of which is verified, in seconds since 1970.
    var moment: Int { time.map { Int($0) } ?? Int(Glibc.time(nil)) }
}

/// Runs `body`, which reads or verifies a time stamp.
func asStamp<Value>(_ body: () throws(TimeStampFault) -> Value) throws(KanalError) -> Value {
    do throws(TimeStampFault) { return try body() } catch {
        let fault: TimeStamp.Fault
        do throws(HostCryptoError) { fault = try TimeStamp.Fault(error) } catch { throw KanalError(host: error) }
        throw .timeStampRefused(fault)
    }
}
