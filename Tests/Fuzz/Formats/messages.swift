// SPDX-License-Identifier: Apache-2.0
import HostCrypto
import Secrets

/// Signed messages in DER: refused with a typed error, or read, and a signer then has signed or not, with a key that is
/// given or with a certificate of the message. Read in pieces, the message has the same content. With a further signer it is a
/// message again, with all that it had. The first byte chooses whether the rest is read as it is or added, modulo 2, to the bytes of a message that is signed.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMessages(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard let first = input.first else { return 0 }
    let rest = Array(input.dropFirst())
    let isWhole = first >= 0x80 && rest.allSatisfy { $0 == 0 }
    let der = first >= 0x80 ? changed(valid.message, rest) : rest
    let passed = passedBy(der, inPiecesOf: Int(first & 0x3F) + 1)
    do throws(HostCryptoError) {
        let message = try SignedData(ber: der.span)
        let content = message.content ?? []
        guard passed == nil || passed?.content == content, !isWhole || passed != nil else {
            fatalError("another content")
        }
        if let passed { try addSigner(to: message, der, passed.parts) }
        var digests: [DigestAlgorithm: [UInt8]] = [:]
        for signer in message.signers {
            let digest = try Digest.digest(content.span, signer.digest)
            digests[signer.digest] = digest
            let hasSigned = try signer.hasSigned(contentDigest: digest, with: valid.key)
            guard hasSigned || !isWhole else { fatalError("a valid signature is not") }
            if let stamps = try? signer.values(of: .signatureTimeStamp, limit: 8) {
                for stamp in stamps { _ = try? TimeStampToken(stamp) }
            }
        }
        var form = ContentForm()
        form.update(content.span)
        let store = TrustStore(trusted: [])
        let verification = try SignerVerification(message, trusting: store, usesMessage: true, time: 1_700_000_000)
        let signers = try verification.signers(of: digests, form)
        guard signers != nil || !isWhole else { fatalError("a valid signature is not") }
        guard try !verification.trustsSigners() else { fatalError("trusted by nobody") }
    } catch {
        guard !isWhole, [.invalidEncoding, .invalidParameter].contains(error) else { fatalError("\(error)") }
    }
    return 0
}

/// Adds a signer to a message.
private func addSigner(to message: SignedData, _ der: [UInt8], _ parts: SignedDataParts) throws(HostCryptoError) {
    guard message.signers.count < 8, message.certificates.count < 8 else { return }
    var added = AddedSignatures()
    try added.add(valid.signer, signature: valid.signature)
    let (head, tail) = try parts.adding(added)
    let body = der.dropFirst(parts.head.count).prefix(parts.bodyCount)
    let changed: SignedData
    do { changed = try SignedData(ber: (head + body + tail).span) } catch { fatalError("no message any more") }
    let signatures = changed.signers.map(\.signature)
    guard changed.content == message.content, signatures.count == message.signers.count + 1,
        message.signers.allSatisfy({ signatures.contains($0.signature) })
    else { fatalError("another message") }
}

/// The content of a message that is read in pieces, and the parts around it; nil if it is refused.
private func passedBy(_ der: [UInt8], inPiecesOf size: Int) -> (content: [UInt8], parts: SignedDataParts)? {
    var reader = SignedDataReader()
    var content: [UInt8] = []
    do throws(HostCryptoError) {
        var rest = der[...]
        while !rest.isEmpty {
            for part in try reader.read(Array(rest.prefix(size))) { content += part }
            rest = rest.dropFirst(size)
        }
        let parts = try reader.parts()
        _ = try reader.finish()
        return (content, parts)
    } catch {
        guard [.invalidEncoding, .invalidParameter].contains(error) else { fatalError("\(error)") }
        return nil
    }
}

/// A message that is signed with a key, and its only signer.
private let valid: (message: [UInt8], key: PublicKeyInfo, signer: SignedMessage, signature: [UInt8]) = {
    do {
        let key = try ECPrivateKey(curve: .p256, scalar: Secret(copying: [1]))
        let (content, info) = ([UInt8](1...20), PublicKeyInfo.ec(key.publicKey))
        let message = try SignedMessage(
            contentDigest: Digest.digest(content.span, .sha256), certificate: certificate(of: info.der), others: [],
            algorithm: .ecdsa(.sha256), signingTime: 0)
        let digest = try Digest.digest(message.signedAttributes.span, .sha256)
        let signature = try key.sign(digest.span)
        return (try message.der(signature: signature, content: content), info, message, signature)
    } catch {
        fatalError("\(error)")
    }
}()

/// A certificate with nothing but the key.
private func certificate(of key: [UInt8]) -> [UInt8] {
    let algorithm = element(0x30, element(0x06, [0x2A, 3]))
    let content = element(0x02, [1]) + algorithm + element(0x30, []) + element(0x30, []) + element(0x30, []) + key
    return element(0x30, element(0x30, content) + algorithm + element(0x03, [0, 1]))
}

private func element(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
    let count = contents.count
    return [tag] + (count < 0x80 ? [] : [0x81]) + [UInt8(count)] + contents
}

private func changed(_ bytes: [UInt8], _ changes: [UInt8]) -> [UInt8] {
    bytes.enumerated().map { $0.element ^ (changes.indices.contains($0.offset) ? changes[$0.offset] : 0) }
}
