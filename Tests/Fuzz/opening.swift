import GOST
import Secrets

private let key = [UInt8](1...32)
private let nonce = [UInt8](1...16)

/// Sealed messages and wrapped keys from strangers: opened, and then sealed to the same octets again, or refused with a
/// typed error, never a trap. The first octet chooses whether the rest is what is opened or is added, modulo 2, to the
/// octets of what was sealed.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOpening(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard let first = input.first else { return 0 }
    let rest = Array(input.dropFirst())
    keyWraps(rest, isChanged: first >= 0x80)
    modes(Magma.self, rest, isChanged: first >= 0x80)
    modes(Kuznyechik.self, rest, isChanged: first >= 0x80)
    return 0
}

private func keyWraps(_ octets: [UInt8], isChanged: Bool) {
    for wrap in [GOST28147KeyWrap.gost, .cryptoPro] {
        expectRoundTrip(octets, isChanged, "\(wrap)") { plain in
            try wrap.wrap(plain, kek: key.span, ukm: nonce.span.extracting(first: 8), sBox: .tc26Z)
        } open: { sealed in
            try wrap.unwrap(sealed, kek: key.span, sBox: .tc26Z)
        }
    }
}

private func modes<Cipher: BlockCipher & ~Copyable>(_: Cipher.Type, _ octets: [UInt8], isChanged: Bool) {
    let (block, half) = (Array(nonce.prefix(Cipher.blockSize)), Array(nonce.prefix(Cipher.blockSize / 2)))
    expectRoundTrip(octets, isChanged, "\(Cipher.self) MGM") { plain in
        try MGM<Cipher>(key: key.span).seal(plain, nonce: block.span, authenticating: half.span)
    } open: { sealed in
        try MGM<Cipher>(key: key.span).open(sealed, nonce: block.span, authenticating: half.span)
    }
    expectRoundTrip(octets, isChanged, "\(Cipher.self) KExp15") { plain in
        try KExp15<Cipher>.wrap(plain, authenticationKey: key.span, encryptionKey: key.span, iv: half.span)
    } open: { sealed in
        try KExp15<Cipher>.unwrap(sealed, authenticationKey: key.span, encryptionKey: key.span, iv: half.span)
    }
}

private func expectRoundTrip(
    _ octets: [UInt8], _ isChanged: Bool, _ name: String, seal: (Span<UInt8>) throws -> Secret,
    open: (Span<UInt8>) throws -> Secret
) {
    do {
        var sealed = octets
        if isChanged {
            sealed = [UInt8](copying: try seal(key.span))
            for (index, octet) in octets.enumerated() where index < sealed.count { sealed[index] ^= octet }
        }
        let plain = try open(sealed.span)
        let again = try seal(plain.bytes)
        // The UKM of a key wrap is the caller's when it seals.
        let isSame = constantTimeEqual(
            again.bytes.extracting(droppingFirst: 8), sealed.span.extracting(droppingFirst: 8))
        guard isSame else { fatalError("\(name): opened what was not sealed") }
    } catch {
        let isRefusal = [.authenticationFailed, .invalidLength].contains(error as? GOSTError)
        guard isRefusal else { fatalError("\(name): \(error)") }
    }
}
