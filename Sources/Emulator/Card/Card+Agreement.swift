// SPDX-License-Identifier: Apache-2.0
import APDU
import GOST
import Secrets
import TokenEnd

/// VKO, or ECDH, with a private key in the card. No token's command for it is known: this one is the emulator's own.
extension Card {
    /// GENERAL AUTHENTICATE `7C { 85 <X ‖ Y>, 94 <UKM> }`, for ECDH without UKM. The answer is the key that both sides get.
    func agree(_ command: borrowing Command) throws(Refusal) -> Response {
        try require(command.p1 == 0 && command.p2 == 0, else: .incorrectParameters)
        try require(command.ne != nil, else: .wrongLength)
        try require(!state.isInitialising, else: .initialisationPhase)
        guard let (number, hash) = context.environment.agreement else { throw Refusal(.referencedDataNotFound) }
        let file = try key(number, .gostPrivate)
        guard let key = file.rightsFile, let algorithm = file.algorithm else { throw Refusal(.incorrectData) }
        try authorise(.use, on: file)
        try require(key.flags & RightsFileFlags.agrees != 0, else: .securityStatusNotSatisfied)
        let point: [UInt8]
        var ukm: [UInt8]?
        do throws(MalformedBytes) {
            var outer = ByteCursor([UInt8](copying: command.data))
            var cursor = ByteCursor(try outer.object(0x7C))
            try outer.finish()
            point = try cursor.object(0x85)
            if !cursor.isAtEnd { ukm = try cursor.object(0x94) }
            try cursor.finish()
        } catch {
            throw Refusal(.incorrectData)
        }
        switch (algorithm, ukm) {
        case (.gost(let curve), let ukm?): return try agree(key, on: curve, with: point, ukm: ukm, hash)
        case (.ec(let curve), nil): return try agree(key, on: curve, with: point)
        default: throw Refusal(.incorrectData)
        }
    }

    private func agree(
        _ key: RightsFile, on curve: ECKey.Curve, with point: [UInt8]
    ) throws(Refusal) -> Response {
        guard let value = key.value else { throw Refusal(.referencedDataNotFound) }
        do throws(LibraryFailure) {
            let own = try ECKey(value.secret, on: curve)
            let secret = try own.agree(with: point.span)
            return Response(.success, data: [UInt8](copying: secret))
        } catch {
            throw Refusal(.incorrectData)
        }
    }

    /// PSO: DECIPHER of X ‖ Y ‖ UKM with a GOST key.
    func agree(_ key: RightsFile, on curve: Curve, deciphering data: [UInt8]) throws(Refusal) -> Response {
        let count = 2 * curve.coordinateSize
        try require(data.count > count, else: .wrongLength)
        return try agree(key, on: curve, with: Array(data.prefix(count)), ukm: Array(data.dropFirst(count)), nil)
    }

    private func agree(
        _ key: RightsFile, on curve: Curve, with point: [UInt8], ukm: [UInt8], _ hash: HashAlgorithm?
    ) throws(Refusal) -> Response {
        guard let scalar = key.value else { throw Refusal(.referencedDataNotFound) }
        do throws(GOSTError) {
            let peer = try PublicKey(curve: curve, bytes: point)
            let own = try PrivateKey(curve: curve, scalar: scalar.secret.copy())
            let secret = try own.agree(with: peer, ukm: ukm.span, hash)
            return Response(.success, data: [UInt8](copying: secret))
        } catch {
            throw Refusal(.incorrectData)
        }
    }
}

extension PrivateKey {
    /// VKO with this hash function; without one, with that of GOST R 34.11-2012 which is as long as the key.
    fileprivate func agree(
        with peer: PublicKey, ukm: Span<UInt8>, _ hash: HashAlgorithm?
    ) throws(GOSTError) -> Secret {
        switch hash ?? (curve.coordinateSize == 32 ? .streebog256 : .streebog512) {
        case .gostR341194: try vko2001(with: peer, ukm: ukm)
        case .streebog256: try vko2012256(with: peer, ukm: ukm)
        case .streebog512: try vko2012512(with: peer, ukm: ukm)
        }
    }
}
