import APDU

/// What a reader says of itself (PC/SC part 10, 2.2 and 2.6).
package struct ReaderProperties {
    /// The request for the list of features, `CM_IOCTL_GET_FEATURE_REQUEST`.
    static let featureRequest: UInt = 0x4200_0000 + 3400
    private static let tlvProperties: UInt8 = 0x12
    private static let maximumDataSize: UInt8 = 0x0A

    /// The greatest number of octets of data in one APDU that reader and driver take; 256 at most if they take short
    /// ones only. Nil if it is not told.
    package private(set) var maximumAPDUData: Int?

    /// The control code by which the properties are asked for; nil if the reader has none.
    ///
    /// - Parameter features: The answer to ``featureRequest``: tag, length 4 and a control code, big-endian, for each.
    package static func controlCode(in features: [UInt8]) -> UInt? {
        var cursor = ByteCursor(features)
        while let tag = try? cursor.byte(), (try? cursor.byte()) == 4, let code = try? cursor.uint32() {
            if tag == tlvProperties { return UInt(code) }
        }
        return nil
    }

    /// Reads the properties: tag, length and a little-endian number for each.
    package init(parsing octets: [UInt8]) {
        var cursor = ByteCursor(octets)
        while let tag = try? cursor.byte(), let count = try? cursor.byte() {
            var number = 0
            for index in 0..<Int(count) {
                guard let octet = try? cursor.byte() else { return }
                if index < 4 { number |= Int(octet) << (8 * index) }
            }
            if tag == Self.maximumDataSize { maximumAPDUData = number }
        }
    }
}
