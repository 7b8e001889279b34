// SPDX-License-Identifier: Apache-2.0
import GOST
import HostCrypto
import Secrets

/// Encrypted messages: refused with a typed error, or read, and a key opens them or not. The first byte chooses whether the
/// rest is read as it is or added, modulo 2, to the bytes of a message that the key opens: it has a code, so that its content
/// is then the same or nothing.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzEnvelopes(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard let first = input.first else { return 0 }
    let rest = Array(input.dropFirst())
    let isOurs = first >= 0x80
    let isWhole = isOurs && rest.allSatisfy { $0 == 0 }
    let opened = opened(isOurs ? changed(valid, rest) : rest, inPiecesOf: Int(first & 0x3F) + 1)
    guard !isOurs || opened == nil || opened == content, !isWhole || opened != nil else {
        fatalError("another content")
    }
    return 0
}

/// The content of a message that is read in pieces; nil if it does not open.
private func opened(_ message: [UInt8], inPiecesOf size: Int) -> [UInt8]? {
    var reader = EnvelopeReader()
    var parts: [ArraySlice<UInt8>] = []
    do throws(HostCryptoError) {
        var rest = message[...]
        while !rest.isEmpty {
            parts += try reader.read(Array(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
        let (recipients, encryption) = (reader.recipients ?? [], reader.encryption)
        let code = try reader.finish()
        guard let encryption else { fatalError("a message without a cipher") }
        for recipient in recipients {
            guard let key = key(of: recipient, encryption.cipher) else { continue }
            let decryption = try ContentDecryption(encryption, key: key)
            var content: [UInt8] = []
            for part in parts { content += try decryption.update(part) }
            return content + (try decryption.finish(code: code))
        }
        return nil
    } catch {
        guard [.invalidEncoding, .invalidParameter, .invalidLength, .decryptionFailed, .invalidPoint].contains(error)
        else { fatalError("\(error)") }
        return nil
    }
}

/// The key of the content; nil if the key does not open it.
private func key(of recipient: RecipientKey, _ cipher: ContentCipher) -> Secret? {
    do {
        let own = try owner()
        let demand = try recipient.demand(of: publicKey)
        guard case .agreement(.gost(let peer), let ukm, let hash?) = demand else { return nil }
        let secret = try own.vko(with: peer.key, ukm: ukm.span, hash: hash)
        return try recipient.contentKey(from: secret, for: cipher)
    } catch {
        return nil
    }
}

private func owner() throws(GOSTError) -> PrivateKey {
    try PrivateKey(curve: .tc26256A, scalar: Secret(copying: [UInt8](repeating: 7, count: 32)))
}

private let content = [UInt8](1...40)

private var publicKey: PublicKeyInfo { .gost(info) }

/// In an enumeration its memory would count as leaked: pointers in it have further bits.
private let info: SubjectPublicKeyInfo = {
    do { return try SubjectPublicKeyInfo(algorithm: .gostR34102012256, key: owner().publicKey()) } catch {
        fatalError("\(error)")
    }
}()

/// A message that is encrypted for the key.
private let valid: [UInt8] = {
    do {
        let certificate = certificate(of: publicKey.der)
        let recipient = try RecipientCertificate(der: certificate.span)
        let writer = try EnvelopeWriter(
            to: [recipient], cipher: .kuznyechik(hasCode: true), padding: .pkcs1, contentCount: content.count,
            random: Constant())
        var message = writer.head
        try writer.write(content) { message += $0 }
        try writer.finish { message += $0 }
        return message
    } catch {
        fatalError("\(error)")
    }
}()

/// The same bytes each time, so that inputs keep their meaning.
private struct Constant: RandomSource {
    func mix(_ seed: Span<UInt8>) {}

    func fill(_ bytes: inout MutableSpan<UInt8>) throws(RandomUnavailable) {
        for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: index + 1) }
    }
}

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
