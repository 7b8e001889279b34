import GOST

extension RightsFile {
    /// The curve of a GOST key; nil for anything else, and for parameter sets that the card does not know.
    ///
    /// For 256 bits the sets 10...40 are 10 + 16·n, n being the last octet of the CryptoPro identifier; the sets from 50
    /// and all of those for 512 bits are the emulator's choice.
    var curve: Curve? {
        switch (type, parameterSet) {
        case (.gostPrivate, 0x10), (.gostPublic, 0x10): .test2001
        case (.gostPrivate, 0x20), (.gostPublic, 0x20): .cryptoProA
        case (.gostPrivate, 0x30), (.gostPublic, 0x30): .cryptoProB
        case (.gostPrivate, 0x40), (.gostPublic, 0x40): .cryptoProC
        case (.gostPrivate, 0x50), (.gostPublic, 0x50): .tc26256A
        case (.gostPrivate, 0x60), (.gostPublic, 0x60): .cryptoProXchA
        case (.gostPrivate, 0x70), (.gostPublic, 0x70): .cryptoProXchB
        case (.gost512Private, 0x20), (.gost512Public, 0x20): .tc26512A
        case (.gost512Private, 0x30), (.gost512Public, 0x30): .tc26512B
        case (.gost512Private, 0x40), (.gost512Public, 0x40): .tc26512C
        default: nil
        }
    }
}
