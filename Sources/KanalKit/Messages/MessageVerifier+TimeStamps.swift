// SPDX-License-Identifier: Apache-2.0
import Glibc
import HostCrypto

/// The form of a signature, and with it what it proves (RFC 5126, 4.3 and 4.4).
public enum SignatureLevel: Sendable, Equatable {
    /// CAdES-BES: the signature covers the name of the signer's certificate.
    case bes
    /// CAdES-T: an authority's time stamp proves when the signature was there, too.
    case t
}

extension MessageVerifier {
    /// Verifies the time stamp of a content by itself.
    ///
    /// - Parameters:
    ///   - stamp: An authority's reply, TimeStampResp, or the stamp from it, in BER or DER.
    ///   - content: What was stamped. Cancelling the task ends the work between two pieces of it, with
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
            return TimeStamp(token, .success(authority))
        }
    }

    /// The time as of which is verified, in seconds since 1970.
    var moment: Int { time.map { Int($0) } ?? Int(Glibc.time(nil)) }
}

/// The time stamps of a message's signatures, as they are verified one after the other.
struct SignatureStamps {
    /// Whom one trusts; nil if no path to a trusted certificate is asked for.
    let store: TrustStore?
    let usesMessage: Bool
    /// In seconds since 1970.
    let now: Int
    /// The certificates that came with the message, in DER.
    let certificates: [[UInt8]]
    /// The number of stamps of the message that are still looked at. The sender chooses how many there are.
    private var left = 16

    init(store: TrustStore?, usesMessage: Bool, now: Int, certificates: [[UInt8]]) {
        (self.store, self.usesMessage, self.now) = (store, usesMessage, now)
        self.certificates = usesMessage ? certificates : []
    }

    /// The stamps of a signature, good or not, and the last second at which the earliest good one can have been made.
    ///
    /// - Throws: `HostCryptoError.libraryFailure`.
    mutating func stamps(of signer: SignedData.Signer) throws(HostCryptoError) -> (all: [TimeStamp], proven: Int?) {
        let found: [[UInt8]]
        do throws(TimeStampFault) { found = try signer.timeStamps(limit: left) } catch {
            return ([TimeStamp(unreadable: .malformed)], nil)
        }
        left -= found.count
        var (all, proven): ([TimeStamp], Int?) = ([], nil)
        for bytes in found {
            let token: TimeStampToken
            do throws(TimeStampFault) { token = try TimeStampToken(bytes) } catch {
                all.append(TimeStamp(unreadable: try TimeStamp.Fault(error)))
                continue
            }
            do throws(TimeStampFault) {
                let authority = try verify(token, of: signer.signature)
                all.append(TimeStamp(token, .success(authority)))
                proven = min(proven ?? token.time.latest, token.time.latest)
            } catch {
                all.append(TimeStamp(token, .failure(try TimeStamp.Fault(error))))
            }
        }
        return (all, proven)
    }

    private func verify(_ token: TimeStampToken, of signature: [UInt8]) throws(TimeStampFault) -> StampAuthority {
        let imprint: [UInt8]
        do throws(HostCryptoError) { imprint = try Digest.digest(signature.span, token.digest) } catch {
            throw .failure(error)
        }
        return try token.verify(
            imprint: imprint, trusting: store, usesOwn: usesMessage, further: certificates, now: now)
    }
}

/// Runs `body`, which reads or verifies a time stamp.
func asStamp<Value>(_ body: () throws(TimeStampFault) -> Value) throws(KanalError) -> Value {
    do throws(TimeStampFault) { return try body() } catch {
        let fault: TimeStamp.Fault
        do throws(HostCryptoError) { fault = try TimeStamp.Fault(error) } catch { throw KanalError(host: error) }
        throw .timeStampRefused(fault)
    }
}
