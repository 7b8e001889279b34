/// What X.509 signs, its signature, and the public key that stands in it.
struct SignedObject {
    let content, signature: [UInt8]
    private(set) var subjectPublicKeyInfo: [UInt8]?

    init(_ der: [UInt8]) {
        let parts = Self.elements(Self.elements(der[...])[0].contents)
        content = Array(parts[0].whole)
        signature = Array(parts[2].contents.dropFirst())
        for field in Self.elements(parts[0].contents) where field.whole.first == 0x30 {
            let inner = Self.elements(field.contents)
            if inner.count == 2, inner[1].whole.first == 0x03 { subjectPublicKeyInfo = Array(field.whole) }
        }
    }

    private static func elements(_ der: ArraySlice<UInt8>) -> [(whole: ArraySlice<UInt8>, contents: ArraySlice<UInt8>)]
    {
        var (rest, elements) = (der, [(whole: ArraySlice<UInt8>, contents: ArraySlice<UInt8>)]())
        while rest.count >= 2 {
            let first = Int(rest[rest.startIndex + 1])
            let octets = first < 0x80 ? 0 : first - 0x80
            let digits = rest.dropFirst(2).prefix(octets)
            let count = octets == 0 ? first : digits.reduce(0) { $0 << 8 | Int($1) }
            let whole = rest.prefix(2 + octets + count)
            elements.append((whole, whole.suffix(count)))
            rest = rest.dropFirst(whole.count)
        }
        return elements
    }
}
