// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets

/// The algorithm that a SignerInfo names beside its signature. No signature covers it.
struct SignerAlgorithm: Sendable {
    private enum Parameters {
        /// None, or NULL.
        case none
        /// The curve of a GOST key, and what goes with it: CryptoPro's programs repeat the key's own.
        case key(AlgorithmIdentifier)
        case pss(RSASignatureScheme)
        case unknown
    }

    /// The object identifier in DER; empty for an identifier that cannot be read.
    let oid: [UInt8]
    private let parameters: Parameters

    /// RSASSA-PSS with its parameters; nil for other algorithms.
    var pss: RSASignatureScheme? {
        guard case .pss(let scheme) = parameters else { return nil }
        return scheme
    }

    /// - Parameter identifier: An AlgorithmIdentifier.
    init(_ identifier: [UInt8]) {
        do throws(GOSTError) {
            var reader = DERReader(identifier.span, .ber)
            var fields = try reader.nested(.sequence)
            oid = try fields.objectIdentifier()
            parameters = Self.parameters(of: oid, identifier, &fields)
        } catch {
            (oid, parameters) = ([], .unknown)
        }
    }

    private static func parameters(
        of oid: [UInt8], _ identifier: [UInt8], _ fields: inout DERReader
    ) -> Parameters {
        if oid == pssOID { return (try? PSSParameters.scheme(&fields)).map(Parameters.pss) ?? .unknown }
        if fields.isAtEnd { return .none }
        if fields.isAt(.null) {
            guard let null = try? fields.contents(.null), null.isEmpty, fields.isAtEnd else { return .unknown }
            return .none
        }
        var reader = DERReader(identifier.span)
        guard let key = try? AlgorithmIdentifier(&reader) else { return .unknown }
        return .key(key)
    }

    /// id-RSASSA-PSS (RFC 4055, 3.1).
    private static let pssOID: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x0A]

    /// Whether a signature by this algorithm covers a digest of this kind (RFC 5652, 5.3; RFC 4056, 3).
    func isUsed(with digest: DigestAlgorithm) -> Bool {
        switch parameters {
        case .pss(.pss(let hash, _, _)): return hash == digest
        case .pss, .unknown: return false
        case .key(let key): return SignatureAlgorithm.gost(key.algorithm).digest == digest
        case .none: break
        }
        if let algorithm = SignatureAlgorithm(oid: oid) { return algorithm.digest == digest }
        // The key's algorithm alone is allowed as well, without the hash function (RFC 3370, 3.2; RFC 4490, 3.2).
        if oid == PublicKeyInfo.rsaEncryption { return true }
        return PublicKeyAlgorithm.allCases.contains { $0.oid == oid && SignatureAlgorithm.gost($0).digest == digest }
    }

    /// Whether keys like this one make such signatures.
    func isUsed(with key: PublicKeyInfo) -> Bool {
        switch (parameters, key) {
        case (.pss, .rsa): return true
        case (.key(let own), .gost(let info)): return own == info.algorithm
        case (.none, _): break
        default: return false
        }
        if let algorithm = SignatureAlgorithm(oid: oid) { return algorithm.isUsed(with: key) }
        return switch key {
        case .rsa: oid == PublicKeyInfo.rsaEncryption
        case .gost(let info): oid == info.algorithm.algorithm.oid
        case .ec: false
        }
    }
}

/// RSASSA-PSS-params (RFC 4055, 3.1).
private enum PSSParameters {
    /// - Throws: ``GOSTError/invalidEncoding``; ``GOSTError/invalidParameter`` for a hash function or a mask generation
    ///   function that is not known here.
    static func scheme(_ fields: inout DERReader) throws(GOSTError) -> RSASignatureScheme {
        var parameters = try fields.nested(.sequence)
        try fields.end()
        let (hash, mask) = try MaskedHash.read(&parameters)
        var saltLength = 20
        if parameters.isAt(.context2) {
            var explicit = try parameters.nested(.context2)
            let contents = try explicit.contents(.integer)
            guard (1...2).contains(contents.count), contents[0] < 0x80 else { throw .invalidParameter }
            saltLength = 0
            for index in contents.indices { saltLength = saltLength << 8 | Int(contents[index]) }
        }
        // The trailer field has one value.
        if parameters.isAt(.context3) {
            var explicit = try parameters.nested(.context3)
            guard [UInt8](copying: try explicit.contents(.integer)) == [1] else { throw .invalidParameter }
        }
        try parameters.end()
        return .pss(hash: hash, mask: mask, saltLength: saltLength)
    }
}

/// The hash function and the mask generation function that the parameters of RSA's schemes begin with (RFC 4055, 2.2, 3.1
/// and 4.1).
enum MaskedHash {
    /// - Throws: ``GOSTError/invalidEncoding``; ``GOSTError/invalidParameter`` for a function that is not known here.
    static func read(
        _ parameters: inout DERReader
    ) throws(GOSTError) -> (hash: DigestAlgorithm, mask: DigestAlgorithm) {
        var (hash, mask) = (DigestAlgorithm.sha1, DigestAlgorithm.sha1)
        if parameters.isAt(.context0) {
            var explicit = try parameters.nested(.context0)
            hash = try digest(&explicit)
        }
        if parameters.isAt(.context1) {
            var explicit = try parameters.nested(.context1)
            var function = try explicit.nested(.sequence)
            guard try function.objectIdentifier() == mgf1 else { throw .invalidParameter }
            mask = try digest(&function)
        }
        return (hash, mask)
    }

    private static func digest(_ reader: inout DERReader) throws(GOSTError) -> DigestAlgorithm {
        var identifier = try reader.nested(.sequence)
        let oid = try identifier.objectIdentifier()
        guard let digest = DigestAlgorithm.allCases.first(where: { $0.oid == oid }) else { throw .invalidParameter }
        return digest
    }

    /// id-mgf1.
    static let mgf1: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x08]
}
