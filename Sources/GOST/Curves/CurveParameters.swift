// SPDX-License-Identifier: Apache-2.0

/// The numbers of a parameter set of GOST R 34.10, most significant byte first, all as long as p.
struct CurveParameters: Sendable, Equatable {
    let p, a, b, q: [UInt8]
    /// The coordinates of the point P.
    let x, y: [UInt8]
    /// The number d of the equivalent twisted Edwards curve u² + v² = 1 + d·u²·v², if one exists.
    let d: [UInt8]?

    /// The number of points of the curve divided by q.
    var cofactor: Int { d == nil ? 1 : 4 }

    private init(
        size: Int = 32, p: String, a: String, b: String, q: String, x: String, y: String, d: String? = nil
    ) {
        (self.p, self.a, self.b) = (Self.octets(p, size), Self.octets(a, size), Self.octets(b, size))
        (self.q, self.x, self.y) = (Self.octets(q, size), Self.octets(x, size), Self.octets(y, size))
        self.d = d.map { Self.octets($0, size) }
    }

    /// The number that `hex` spells, in `size` bytes.
    static func octets(_ hex: String, _ size: Int) -> [UInt8] {
        var octets = [UInt8](repeating: 0, count: size)
        for (place, digit) in hex.reversed().compactMap(\.hexDigitValue).prefix(2 * size).enumerated() {
            octets[size - 1 - place / 2] |= UInt8(truncatingIfNeeded: digit) << UInt8(4 * (place % 2))
        }
        return octets
    }
}

extension CurveParameters {
    /// The example of GOST R 34.10-2001 (RFC 4357, 11.4).
    static let test2001 = CurveParameters(
        p: "8000000000000000000000000000000000000000000000000000000000000431",
        a: "7",
        b: "5fbff498aa938ce739b8e022fbafef40563f6e6a3472fc2a514c0ce9dae23b7e",
        q: "8000000000000000000000000000000150fe8a1892976154c59cfc193accf5b3",
        x: "2",
        y: "8e2a8a0e65147d4bd6316030e16d19c85c97f0a9ca267122b96abbcea7e8fc8")

    /// CryptoPro A and XchA, tc26 256 B (RFC 4357, 11.4).
    static let cryptoProA = CurveParameters(
        p: "fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffd97",
        a: "fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffd94",
        b: "a6",
        q: "ffffffffffffffffffffffffffffffff6c611070995ad10045841b09b761b893",
        x: "1",
        y: "8d91e471e0989cda27df505a453f2b7635294f2ddf23e3b122acc99c9e9f1e14")

    /// CryptoPro B, tc26 256 C (RFC 4357, 11.4).
    static let cryptoProB = CurveParameters(
        p: "8000000000000000000000000000000000000000000000000000000000000c99",
        a: "8000000000000000000000000000000000000000000000000000000000000c96",
        b: "3e1af419a269a5f866a7d3c25c3df80ae979259373ff2b182f49d4ce7e1bbc8b",
        q: "800000000000000000000000000000015f700cfff1a624e5e497161bcc8a198f",
        x: "1",
        y: "3fa8124359f96680b83d1c3eb2c070e5c545c9858d03ecfb744bf8d717717efc")

    /// CryptoPro C and XchB, tc26 256 D (RFC 4357, 11.4).
    static let cryptoProC = CurveParameters(
        p: "9b9f605f5a858107ab1ec85e6b41c8aacf846e86789051d37998f7b9022d759b",
        a: "9b9f605f5a858107ab1ec85e6b41c8aacf846e86789051d37998f7b9022d7598",
        b: "805a",
        q: "9b9f605f5a858107ab1ec85e6b41c8aa582ca3511eddfb74f02f3a6598980bb9",
        x: "0",
        y: "41ece55743711a8c3cbf3783cd08c0ee4d4dc440d4641a8f366e550dfdb3bb67")

    /// tc26 256 A, a twisted Edwards curve (RFC 7836, A.2).
    static let tc26256A = CurveParameters(
        p: "fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffd97",
        a: "c2173f1513981673af4892c23035a27ce25e2013bf95aa33b22c656f277e7335",
        b: "295f9bae7428ed9ccc20e7c359a9d41a22fccd9108e17bf7ba9337a6f8ae9513",
        q: "400000000000000000000000000000000fd8cddfc87b6635c115af556c360c67",
        x: "91e38443a5e82c0d880923425712b2bb658b9196932e02c78b2582fe742daa28",
        y: "32879423ab1a0375895786c4bb46e9565fde0b5344766740af268adb32322e5c",
        d: "605f6b7c183fa81578bc39cfad518132b9df62897009af7e522c32d6dc7bffb")

    /// The example of GOST R 34.10-2012 with 512 bits (RFC 9215, E).
    static let tc26512Test = CurveParameters(
        size: 64,
        p: "4531acd1fe0023c7550d267b6b2fee80922b14b2ffb90f04d4eb7c09b5d2d15d"
            + "f1d852741af4704a0458047e80e4546d35b8336fac224dd81664bbf528be6373",
        a: "7",
        b: "1cff0806a31116da29d8cfa54e57eb748bc5f377e49400fdd788b649eca1ac43"
            + "61834013b2ad7322480a89ca58e0cf74bc9e540c2add6897fad0a3084f302adc",
        q: "4531acd1fe0023c7550d267b6b2fee80922b14b2ffb90f04d4eb7c09b5d2d15d"
            + "a82f2d7ecb1dbac719905c5eecc423f1d86e25edbe23c595d644aaf187e6e6df",
        x: "24d19cc64572ee30f396bf6ebbfd7a6c5213b3b3d7057cc825f91093a68cd762"
            + "fd60611262cd838dc6b60aa7eee804e28bc849977fac33b4b530f1b120248a9a",
        y: "2bb312a43bd2ce6e0d020613c857acddcfbf061e91e5f2c3f32447c259f39b2c"
            + "83ab156d77f1496bf7eb3351e1ee4e43dc1a18b91b24640b6dbb92cb1add371e")

    /// tc26 512 A (RFC 7836, A.1).
    static let tc26512A = CurveParameters(
        size: 64,
        p: "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
            + "fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffdc7",
        a: "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
            + "fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffdc4",
        b: "e8c2505dedfc86ddc1bd0b2b6667f1da34b82574761cb0e879bd081cfd0b6265"
            + "ee3cb090f30d27614cb4574010da90dd862ef9d4ebee4761503190785a71c760",
        q: "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
            + "27e69532f48d89116ff22b8d4e0560609b4b38abfad2b85dcacdb1411f10b275",
        x: "3",
        y: "7503cfe87a836ae3a61b8816e25450e6ce5e1c93acf1abc1778064fdcbefa921"
            + "df1626be4fd036e93d75e6a50e3a41e98028fe5fc235f5b889a589cb5215f2a4")

    /// tc26 512 B (RFC 7836, A.1).
    static let tc26512B = CurveParameters(
        size: 64,
        p: "8000000000000000000000000000000000000000000000000000000000000000"
            + "000000000000000000000000000000000000000000000000000000000000006f",
        a: "8000000000000000000000000000000000000000000000000000000000000000"
            + "000000000000000000000000000000000000000000000000000000000000006c",
        b: "687d1b459dc841457e3e06cf6f5e2517b97c7d614af138bcbf85dc806c4b289f"
            + "3e965d2db1416d217f8b276fad1ab69c50f78bee1fa3106efb8ccbc7c5140116",
        q: "8000000000000000000000000000000000000000000000000000000000000001"
            + "49a1ec142565a545acfdb77bd9d40cfa8b996712101bea0ec6346c54374f25bd",
        x: "2",
        y: "1a8f7eda389b094c2c071e3647a8940f3c123b697578c213be6dd9e6c8ec7335"
            + "dcb228fd1edf4a39152cbcaaf8c0398828041055f94ceeec7e21340780fe41bd")

    /// tc26 512 C, a twisted Edwards curve (RFC 7836, A.2).
    static let tc26512C = CurveParameters(
        size: 64,
        p: "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
            + "fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffdc7",
        a: "dc9203e514a721875485a529d2c722fb187bc8980eb866644de41c68e1430645"
            + "46e861c0e2c9edd92ade71f46fcf50ff2ad97f951fda9f2a2eb6546f39689bd3",
        b: "b4c4ee28cebc6c2c8ac12952cf37f16ac7efb6a9f69f4b57ffda2e4f0de5ade0"
            + "38cbc2fff719d2c18de0284b8bfef3b52b8cc7a5f5bf0a3c8d2319a5312557e1",
        q: "3fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"
            + "c98cdba46506ab004c33a9ff5147502cc8eda9e7a769a12694623cef47f023ed",
        x: "e2e31edfc23de7bdebe241ce593ef5de2295b7a9cbaef021d385f7074cea043a"
            + "a27272a7ae602bf2a7b9033db9ed3610c6fb85487eae97aac5bc7928c1950148",
        y: "f5ce40d95b5eb899abbccff5911cb8577939804d6527378b8c108c3d2090ff9b"
            + "e18e2d33e3021ed2ef32d85822423b6304f726aa854bae07d0396e9a9addc40f",
        d: "9e4f5d8c017d8d9f13a5cf3cdf5bfe4dab402d54198e31ebde28a0621050439c"
            + "a6b39e0a515c06b304e2ce43e79e369e91a0cfc2bc2a22b4ca302dbb33ee7550")
}
