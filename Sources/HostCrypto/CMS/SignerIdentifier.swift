// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

/// The name of a signer's certificate (RFC 5652, 5.3).
package enum SignerIdentifier: Sendable, Hashable {
    /// The issuer's Name and the INTEGER of the certificate, in DER.
    case issuer([UInt8], serialNumber: [UInt8])
    /// The certificate's identifier of its key.
    case keyIdentifier([UInt8])

    /// The version of a SignerInfo with such a name.
    var version: UInt8 {
        switch self {
        case .issuer: 1
        case .keyIdentifier: 3
        }
    }

    init(_ reader: inout DERReader) throws(GOSTError) {
        guard reader.isAt(.sequence) else {
            self = .keyIdentifier(try reader.bytes(.contextPrimitive0))
            return
        }
        var identifier = try reader.nested(.sequence)
        let issuer = [UInt8](copying: try identifier.element(.sequence))
        let serialNumber = [UInt8](copying: try identifier.element(.integer))
        try identifier.end()
        self = .issuer(issuer, serialNumber: serialNumber)
    }
}
