// SPDX-License-Identifier: Apache-2.0

import APDU
import Glibc
import HostProcess

/// A reader on USB, as the kernel describes the device.
///
/// Its driver reports the device's place, its descriptors state whether it has a slot. So a driver that reports a wrong place
/// gains nothing where no token is.
package enum USBReader {
    /// The attribute of `SCardGetAttrib` for the place (PC/SC part 3, 3.1.4): `0020`, bus and device.
    static let place: UInt = 0x0002_0110

    /// The file with the descriptors of the device at a place; nil if the place is not on USB.
    ///
    /// - Parameter attribute: The value of ``place``, little-endian in four or eight bytes; empty if the reader has none.
    package static func descriptors(at attribute: [UInt8]) -> String? {
        guard attribute.count == 4 || attribute.count == 8, attribute[2] == 0x20,
            attribute[3...].allSatisfy({ $0 == 0 })
        else { return nil }
        let (device, bus) = (Int(attribute[0]), Int(attribute[1]))
        guard bus > 0, (1...128).contains(device) else { return nil }
        // The numbers of USB devices on Linux.
        return "/sys/dev/char/189:\((bus - 1) * 128 + device - 1)/descriptors"
    }

    /// Whether these are the descriptors of a device that is a card itself, so that no other can come into it (USB-ICC: the
    /// lower word of `dwFeatures`). All of its interfaces for smart cards must say so.
    package static func isCard(_ descriptors: [UInt8]) -> Bool {
        var cursor = ByteCursor(descriptors)
        var (interfaces, told) = (0, 0)
        var isReader = false
        while !cursor.isAtEnd {
            guard let length = try? cursor.byte(), length >= 2, let type = try? cursor.byte(),
                let body = try? cursor.bytes(Int(length) - 2)
            else { return false }
            switch type {
            case interfaceType:
                isReader = body.count > 3 && body[3] == smartCardClass
                if isReader { interfaces += 1 }
            case classType where isReader:
                guard body.count == 52, body[38] == 0x40, body[39] == 0x08 else { return false }
                told += 1
            default: break
            }
        }
        return interfaces > 0 && told == interfaces
    }

    private static let interfaceType: UInt8 = 0x04
    private static let classType: UInt8 = 0x21
    private static let smartCardClass: UInt8 = 0x0B

    /// The first bytes of a file, more than a device has descriptors; empty if it cannot be read.
    static func read(_ path: String) -> [UInt8] {
        let descriptor = StandardDescriptors.avoid(otherwise: Int32(-1)) {
            unsafe open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        }
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
        return Array(bytes.prefix(max(0, count)))
    }
}
