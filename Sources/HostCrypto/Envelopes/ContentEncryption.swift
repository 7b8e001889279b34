// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

/// A content's cipher, and its parameters in a message.
package struct ContentEncryption: Sendable {
    package let cipher: ContentCipher
    /// The initialisation vector, and what goes with it.
    let vector: [UInt8]
    /// The number of bytes of GCM's code, if it is named.
    let codeSize: Int?

    /// A new encryption.
    init(_ cipher: ContentCipher, random: any RandomSource) throws(HostCryptoError) {
        guard let vector = try? random.bytes(cipher.vectorSize) else { throw .randomUnavailable }
        self.cipher = cipher
        self.vector = vector
        codeSize = cipher.isOfAuthEnvelopedData ? cipher.codeSize : nil
    }

    /// Reads an AlgorithmIdentifier.
    ///
    /// - Throws: ``GOSTError/invalidEncoding``; ``GOSTError/invalidParameter`` for an unknown cipher or parameter.
    init(_ identifier: [UInt8]) throws(GOSTError) {
        var reader = DERReader(identifier.span, .ber)
        var fields = try reader.nested(.sequence)
        let oid = try fields.objectIdentifier()
        var codeSize: Int?
        if oid == ContentCipher.gost28147(.tc26Z).oid {
            var parameters = try fields.nested(.sequence)
            vector = try parameters.bytes()
            let set = try parameters.objectIdentifier()
            guard let sBox = SBox.all.first(where: { $0.oid == set }) else { throw .invalidParameter }
            cipher = .gost28147(sBox)
            try parameters.end()
        } else {
            guard let cipher = ContentCipher(oid: oid) else { throw .invalidParameter }
            self.cipher = cipher
            switch cipher {
            case .aesCBC, .tripleDES: vector = try fields.bytes()
            case .aesGCM:
                var parameters = try fields.nested(.sequence)
                vector = try parameters.bytes()
                if !parameters.isAtEnd {
                    let size = [UInt8](copying: try parameters.contents(.integer))
                    guard size.count == 1, (12...16).contains(size[0]) else { throw .invalidParameter }
                    codeSize = Int(size[0])
                }
                try parameters.end()
            default:
                var parameters = try fields.nested(.sequence)
                vector = try parameters.bytes()
                try parameters.end()
            }
        }
        try fields.end()
        guard vector.count == cipher.vectorSize else { throw .invalidParameter }
        self.codeSize = codeSize
    }

    /// The AlgorithmIdentifier in DER.
    var der: [UInt8] {
        let vector = DERTag.octetString.element(vector)
        let parameters: [UInt8]
        switch cipher {
        case .gost28147(let sBox): parameters = DERTag.sequence.element(vector + sBox.oid)
        case .kuznyechik, .magma: parameters = DERTag.sequence.element(vector)
        case .aesCBC, .tripleDES: parameters = vector
        case .aesGCM:
            let size = codeSize.map { DERTag.integer.element([UInt8(truncatingIfNeeded: $0)]) } ?? []
            parameters = DERTag.sequence.element(vector + size)
        }
        return DERTag.sequence.element(cipher.oid + parameters)
    }

    /// Whether a message may have a code of so many bytes. Without a number in the message, 12 to 16 are allowed:
    /// RFC 5084 has 12 then, and programs write 16.
    func allowsCode(of count: Int) -> Bool {
        guard cipher.isOfAuthEnvelopedData else { return count == cipher.codeSize }
        return codeSize.map { $0 == count } ?? (12...16).contains(count)
    }
}
