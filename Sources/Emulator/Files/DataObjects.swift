import APDU

extension [UInt8] {
    /// Simple data objects one after the other.
    static func objects(_ objects: KeyValuePairs<UInt8, [UInt8]>) -> [UInt8] {
        objects.reduce(into: []) { $0.appendObject($1.key, $1.value) }
    }
}
