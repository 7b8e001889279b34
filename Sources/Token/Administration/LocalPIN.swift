/// The number of a PIN that one application protects its own files with.
package struct LocalPIN: Sendable, Equatable {
    package let number: UInt8

    /// - Returns: nil unless the number is 3 to 31: 1 and 2 are the SO's and User's.
    package init?(number: Int) {
        guard let number = UInt8(exactly: number), (3...31).contains(number) else { return nil }
        self.number = number
    }

    var file: FilePath { .localPINs.file(UInt16(number)) }
    /// What VERIFY calls it.
    var reference: UInt8 { 0x80 | number }
}
