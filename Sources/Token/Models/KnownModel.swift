// SPDX-License-Identifier: Apache-2.0

/// A model, known by answer to reset and versions. docs/Mechanisms.md has the same table, with the source of each row.
package struct KnownModel: Sendable, Equatable {
    /// The mechanisms of a model.
    package enum Listing: String, Sendable {
        /// None: the model keeps files.
        case none
        /// The mechanisms of Rutoken ECP 2.0.
        case secondGeneration = "ECP 2.0"
        /// The mechanisms of Rutoken ECP 3.0.
        case thirdGeneration = "ECP 3.0"
        /// Unpublished: the mechanisms of Rutoken ECP 3.0 are listed.
        case unknown
    }

    /// The maker's name, with the model's number.
    package let name: String
    package let family: TokenModel
    /// The major version of the hardware; nil for any.
    package let hardware: UInt8?
    /// The major version of the firmware; nil for any.
    package let firmware: UInt8?
    /// Whether it has a drive.
    package let hasDrive: Bool
    package let listing: Listing

    private init(
        _ name: String, _ family: TokenModel, _ hardware: UInt8?, _ firmware: UInt8?,
        hasDrive: Bool = false, _ listing: Listing
    ) {
        self.name = name
        self.family = family
        self.hardware = hardware
        self.firmware = firmware
        self.hasDrive = hasDrive
        self.listing = listing
    }

    /// All of them; the first that fits a token is its model.
    package static let all = [
        KnownModel("Rutoken ECP 2.0 2000", .ecp, 20, 23, .secondGeneration),
        KnownModel("Rutoken ECP 2.0 2100", .ecp, 54, 23, .secondGeneration),
        KnownModel("Rutoken ECP 2.0 2000", .ecp, 59, 26, .unknown),
        KnownModel("Rutoken ECP 2.0 2200", .ecp, 20, 24, .unknown),
        KnownModel("Rutoken ECP 2.0 3000", .ecp, 20, 26, .unknown),
        KnownModel("Rutoken ECP 2.0 3000", .ecp, 59, 27, .unknown),
        KnownModel("Rutoken ECP 2.0 4000 or 4400", .ecp, 55, 24, .unknown),
        KnownModel("Rutoken ECP 2.0 Flash 4500 or 4900", .ecp, 55, 24, hasDrive: true, .unknown),
        KnownModel("Rutoken ECP 2.0 Flash 4500 or 4900", .ecp, 59, 26, hasDrive: true, .unknown),
        KnownModel("Rutoken ECP 2.0 Flash 4500 or 4900", .ecp, 55, 27, hasDrive: true, .unknown),
        KnownModel("Rutoken ECP 2.0 Flash 4500 or 4900", .ecp, 58, 27, hasDrive: true, .unknown),
        KnownModel("Rutoken ECP 2.0 Flash 4500 or 4900", .ecp, 59, 27, hasDrive: true, .unknown),
        KnownModel("Rutoken ECP 3.0 3100 or 3110", .ecp, 60, 28, .unknown),
        KnownModel("Rutoken ECP 3.0 3100 or 3110", .ecp, 60, 30, .thirdGeneration),
        KnownModel("Rutoken ECP 3.0 3100 or 3110", .ecp, 60, 31, .unknown),
        KnownModel("Rutoken ECP 3.0 3120", .ecp, 67, 31, .unknown),
        KnownModel("Rutoken ECP 3.0 3200", .ecp, 59, 30, .unknown),
        KnownModel("Rutoken ECP 3.0 3220", .ecp, 65, 30, .unknown),
        KnownModel("Rutoken ECP 3.0 3250", .ecp, 65, 31, .unknown),
        KnownModel("Rutoken ECP 3.0 3127", .ecp, 67, 34, .thirdGeneration),
        KnownModel("Rutoken ECP 3.0 Flash 5100", .ecp, 66, 34, hasDrive: true, .thirdGeneration),
        KnownModel("Rutoken ECP SC", .ecp, nil, 18, .secondGeneration),
        KnownModel("Rutoken ECP Bluetooth", .ecpBluetooth, nil, nil, .unknown),
        KnownModel("Rutoken Lite", .lite, nil, nil, .none),
        KnownModel("Rutoken PINPad", .pinPad, nil, nil, .unknown),
        KnownModel("Rutoken 2151", .mikron, nil, nil, .unknown),
    ]

    /// The model of a token; nil if the table has none with these versions.
    package static func find(_ family: TokenModel, _ versions: TokenVersions, hasDrive: Bool) -> KnownModel? {
        all.first { $0.fits(family, versions) && $0.hasDrive == hasDrive }
    }

    /// The mechanisms of a token. Whether it has a drive does not decide them.
    package static func listing(of family: TokenModel, _ versions: TokenVersions) -> Listing {
        all.first { $0.fits(family, versions) }?.listing ?? .unknown
    }

    private func fits(_ family: TokenModel, _ versions: TokenVersions) -> Bool {
        self.family == family && (hardware == nil || hardware == versions.hardware.major)
            && (firmware == nil || firmware == versions.firmware.major)
    }
}
