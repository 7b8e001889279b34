// SPDX-License-Identifier: Apache-2.0

import GOST
import Secrets
package import TokenEnd

/// The kind of token that the emulator is: its answer to reset, its information, and whether it has a secure channel.
/// It has a property for each thing in which tokens differ.
package struct Identity: Sendable {
    /// The name that command lines and stored states use.
    package let name: String
    /// The answer to reset.
    package let atr: [UInt8]
    /// The model that the token names itself, if it does.
    package let model: String
    /// Major and minor version.
    package let hardware: (UInt8, UInt8)
    package let firmware: (UInt8, UInt8)
    /// The volumes of the drive; nil for a token without one.
    let volumes: [Volume]?
    /// Whether it is of the second generation, which does not name its model, has RSA keys of at most 2048 bits,
    /// refuses to test their primes at length, and does not know the curve secp256k1.
    private let isSecondGeneration: Bool
    /// Whether it keeps files only: it has no commands that compute, neither the vendor's `80 71` nor names of its
    /// model, and none of the emulator's own.
    let isFilesOnly: Bool
    /// Whether the protocol is T=0, not T=1.
    let speaksBytes: Bool
    /// Whether only the administrator may erase with `80 8A`, which no real token's documentation states.
    package var erasesForAdministratorOnly = false
    /// Whether VERIFY of a PIN that is verified already succeeds, and does not say 6F86.
    package var verifiesAgain = false
    /// Whether formatting and making keys take as long as they do on a real token.
    package var isSlow = false
    /// Nil for a token without a secure channel.
    package var channel: ChannelOffer?

    /// Rutoken ECP 3.0 on USB, without a secure channel.
    package static let usb3 = Identity(
        name: "usb3", atr: historical("Rutoken DS "), model: "Rutoken ECP 3.0 (emulated)", hardware: (67, 4))

    /// Rutoken ECP 3.0 with a drive.
    package static let flash3 = Identity(
        name: "flash3", atr: historical("Rutoken DS "), model: "Rutoken ECP 3.0 Flash (emulated)", hardware: (66, 4),
        volumes: Volume.standard)

    /// Rutoken ECP 2.0 on USB.
    package static let ecp2 = Identity(
        name: "ecp2", atr: historical("Rutoken DS "), model: "", hardware: (20, 5), firmware: (23, 2),
        isSecondGeneration: true)

    /// Rutoken ECP SC, a card that speaks T=0, of the second generation.
    package static let sc = Identity(
        name: "sc", atr: [0x3B, 0x9C, 0x96, 0x00] + "RutokenECPsc".utf8, model: "", hardware: (20, 5),
        firmware: (23, 2), isSecondGeneration: true, speaksBytes: true)

    /// Rutoken Lite, which keeps files and computes nothing.
    package static let lite = Identity(
        name: "lite", atr: historical("Rutokenlite"), model: "", hardware: (51, 0), firmware: (8, 0),
        isFilesOnly: true)

    /// A Bluetooth token, which requires the secure channel in any reader.
    package static let bt = Identity(
        name: "bt", atr: historical("RutokenDSBT"), model: "Rutoken ECP BT (emulated)", hardware: (67, 4),
        channel: ChannelOffer())

    /// The token on USB that is meant by default.
    package static var usb: Identity { usb3 }

    /// All identities.
    package static let all = [usb3, flash3, ecp2, sc, lite, bt]

    /// The identity of this name. "usb" stands for "usb3", and is found in the states of former versions.
    package init?(name: String) {
        let name = name == "usb" ? Identity.usb.name : name
        guard let identity = Identity.all.first(where: { $0.name == name }) else { return nil }
        self = identity
    }

    private init(
        name: String, atr: [UInt8], model: String, hardware: (UInt8, UInt8), firmware: (UInt8, UInt8) = (34, 2),
        volumes: [Volume]? = nil, isSecondGeneration: Bool = false, isFilesOnly: Bool = false,
        speaksBytes: Bool = false, channel: ChannelOffer? = nil
    ) {
        self.name = name
        self.atr = atr
        self.model = model
        self.hardware = hardware
        self.firmware = firmware
        self.volumes = volumes
        self.isSecondGeneration = isSecondGeneration
        self.isFilesOnly = isFilesOnly
        self.speaksBytes = speaksBytes
        self.channel = channel
    }

    var namesModel: Bool { !isSecondGeneration && !isFilesOnly }

    /// Whether RSA keys can have primes that are tested at length.
    var testsPrimes: Bool { !isSecondGeneration }

    /// Whether ECDSA keys on secp256k1 are supported.
    var knowsSecp256k1: Bool { !isSecondGeneration }

    var maximumRSABits: Int { isSecondGeneration ? 2048 : 4096 }

    /// An answer to reset for T=1 with these eleven historical bytes and the check byte (ISO/IEC 7816-3, 8.2).
    private static func historical(_ text: String) -> [UInt8] {
        let bytes: [UInt8] = [0x3B, 0x8B, 0x01] + text.utf8
        return bytes + [bytes.dropFirst().reduce(0, ^)]
    }
}

/// Makes new tokens.
struct Factory {
    let identity: Identity
    let random: any RandomSource

    /// The first state of a token, and the activation passwords whose verifiers it holds.
    func state(
        serial: [UInt8]?, label: String?, passwords: [String]
    ) throws(EmulatorError) -> (CardState, [String]) {
        guard (label?.utf8.count ?? 0) <= 255 else { throw .invalidLabel }
        do {
            // Emulators have 00 00 00 00 0E xx xx xx.
            let serial = try serial ?? [0, 0, 0, 0, 0x0E] + random.bytes(3)
            var state = CardState.factory(
                identity: identity.name, serial: serial, label: label.map { Array($0.utf8) },
                nonce: try random.bytes(16))
            guard let offer = identity.channel else { return (state, []) }
            var channel = try ChannelState(offer, random: random)
            let printed = try channel.fill(with: passwords, offer, random: random)
            state.channel = channel
            return (state, printed)
        } catch ChannelState.CreationError.invalidPassword {
            throw .invalidActivationPassword
        } catch is RandomUnavailable {
            throw .randomUnavailable
        } catch {
            throw .cryptography
        }
    }
}
