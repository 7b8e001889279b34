// SPDX-License-Identifier: Apache-2.0

import COpenSSL
import GOST
import Secrets

/// The fields of an X.509 certificate that the attributes of a certificate object need (RFC 5280, 4.1; PKCS #11 v2.40,
/// 4.6.3).
///
/// Its algorithms may be any.
package struct Certificate: Sendable, Equatable {
    /// The whole certificate in DER.
    package let der: [UInt8]
    /// The INTEGER in DER: `CKA_SERIAL_NUMBER`.
    package let serialNumber: [UInt8]
    /// The Name in DER: `CKA_ISSUER`.
    package let issuer: [UInt8]
    /// The Name in DER: `CKA_SUBJECT`.
    package let subject: [UInt8]
    /// The two times of the Validity in DER.
    private let times: [UInt8]
    /// The SubjectPublicKeyInfo in DER: `CKA_PUBLIC_KEY_INFO`. `PublicKeyInfo` reads it.
    package let subjectPublicKeyInfo: [UInt8]
    /// The Extensions in DER; empty if missing.
    let extensions: [UInt8]
    let structure: SignedStructure

    /// Reads a certificate.
    ///
    /// - Parameter bytes: The certificate in DER. Bytes behind it are ignored, as libcrypto's `d2i_X509` does.
    /// - Throws: ``HostCryptoError/invalidEncoding``.
    package init(der bytes: Span<UInt8>) throws(HostCryptoError) {
        do throws(GOSTError) { try self.init(reading: bytes) } catch { throw .invalidEncoding }
    }

    private init(reading bytes: Span<UInt8>) throws(GOSTError) {
        var first = DERReader(bytes)
        der = [UInt8](copying: try first.element(.sequence))
        var reader = DERReader(bytes)
        let contents = try reader.contents(.sequence)
        var structure = try SignedStructure(contents)
        let signed = structure.content
        var outer = DERReader(signed.span)
        var content = DERReader(try outer.contents(.sequence))
        if content.isAt(.context0) { _ = try content.contents(.context0) }
        serialNumber = [UInt8](copying: try content.element(.integer))
        guard serialNumber.count > 2 else { throw .invalidEncoding }
        try structure.takeAlgorithm(&content)
        self.structure = structure
        issuer = [UInt8](copying: try content.element(.sequence))
        times = [UInt8](copying: try content.contents(.sequence))
        subject = [UInt8](copying: try content.element(.sequence))
        subjectPublicKeyInfo = [UInt8](copying: try content.element(.sequence))
        for tag in [DERTag.issuerUniqueID, .subjectUniqueID] where content.isAt(tag) {
            _ = try content.contents(tag)
        }
        extensions = content.isAt(.context3) ? [UInt8](copying: try content.contents(.context3)) : []
        try content.end()
    }

    /// When the certificate begins and ends to be valid, in seconds since 1970.
    ///
    /// - Throws: ``HostCryptoError/invalidEncoding`` also for times that RFC 5280, 4.1.2.5, has no form for.
    package var validity: (notBefore: Int, notAfter: Int) {
        get throws(HostCryptoError) {
            do throws(GOSTError) {
                var reader = DERReader(times.span)
                let notBefore = try reader.time()
                let notAfter = try reader.time()
                try reader.end()
                return (notBefore, notAfter)
            } catch {
                throw .invalidEncoding
            }
        }
    }

    /// Whether the certificate is signed with a key.
    ///
    /// - Throws: ``HostCryptoError/libraryFailure``.
    package func isSigned(with key: PublicKeyInfo) throws(HostCryptoError) -> Bool {
        try structure.isSigned(with: key, digest: structure.digest())
    }
}

extension DERReader {
    /// Reads a Time (RFC 5280, 4.1.2.5), in seconds since 1970.
    mutating func time() throws(GOSTError) -> Int {
        let der = [UInt8](copying: try element(isAt(.utcTime) ? .utcTime : .generalizedTime))
        guard let seconds = CalendarTime.seconds(of: der) else { throw .invalidEncoding }
        return seconds
    }

    /// Reads a GeneralizedTime without a fraction (RFC 5280, 4.1.2.5.2), in seconds since 1970.
    mutating func generalizedTime() throws(GOSTError) -> Int {
        let text = [UInt8](copying: try contents(.generalizedTime))
        guard let seconds = CalendarTime.seconds(of: String(decoding: text, as: UTF8.self)) else {
            throw .invalidEncoding
        }
        return seconds
    }
}

extension Certificate {
    /// The value of an extension, and whether it is critical; nil if the certificate does not have it.
    ///
    /// - Parameter type: The object identifier in DER, tag and length included.
    /// - Throws: `GOSTError/invalidEncoding`.
    func extensionValue(_ type: [UInt8]) throws(GOSTError) -> (isCritical: Bool, value: [UInt8])? {
        guard !extensions.isEmpty else { return nil }
        var reader = DERReader(extensions.span)
        var list = DERReader(try reader.contents(.sequence))
        while !list.isAtEnd {
            let found = try list.extension()
            if found.type == type { return (found.isCritical, found.value) }
        }
        return nil
    }

    /// The identifier of the key (RFC 5280, 4.2.1.2); nil if it is missing or cannot be read.
    var subjectKeyIdentifier: [UInt8]? {
        guard let value = (try? extensionValue([0x06, 3, 0x55, 0x1D, 0x0E]))??.value else { return nil }
        var reader = DERReader(value.span)
        guard let identifier = try? reader.contents(.octetString), reader.isAtEnd else { return nil }
        return [UInt8](copying: identifier)
    }

    /// Whether the basic constraints say that it is an authority's (RFC 5280, 4.2.1.9).
    package var isAuthority: Bool {
        guard let value = (try? extensionValue([0x06, 3, 0x55, 0x1D, 0x13]))??.value else { return false }
        var reader = DERReader(value.span)
        guard let constraints = try? reader.contents(.sequence) else { return false }
        var list = DERReader(constraints)
        guard list.isAt(.boolean), let flag = try? list.contents(.boolean) else { return false }
        return flag.count == 1 && flag[0] != 0
    }

    /// Whether the purposes of the key, where the certificate names any, let it sign messages (RFC 5280, 4.2.1.12).
    ///
    /// Critical ones do if signed mail (RFC 8551), signed documents (RFC 9336) or any purpose is among them. Others say
    /// what the key is meant for and often leave this out: they only do not if they name time stamps or answers about
    /// revocation, whose signers must not sign what others give them, and none of the former.
    ///
    /// - Throws: `GOSTError/invalidEncoding`.
    var allowsMessages: Bool {
        get throws(GOSTError) {
            guard let (isCritical, value) = try extensionValue(Purpose.extension) else { return true }
            var reader = DERReader(value.span)
            var list = DERReader(try reader.contents(.sequence))
            try reader.end()
            var isRestricted = isCritical
            while !list.isAtEnd {
                let purpose = try list.objectIdentifier()
                if Purpose.messages.contains(purpose) { return true }
                if Purpose.services.contains(purpose) { isRestricted = true }
            }
            return !isRestricted
        }
    }
}

extension Certificate {
    /// Whether its issuer has let its key sign answers about revocation (RFC 6960, 4.2.2.2).
    var answersForIssuer: Bool { (try? purposes)?.contains(Purpose.ocspSigning) == true }

    /// The purposes of the key, as object identifiers in DER (RFC 5280, 4.2.1.12); none if the certificate names none.
    ///
    /// - Throws: `GOSTError/invalidEncoding`.
    var purposes: [[UInt8]] {
        get throws(GOSTError) {
            guard let value = try extensionValue(Purpose.extension)?.value else { return [] }
            var reader = DERReader(value.span)
            var list = DERReader(try reader.contents(.sequence))
            try reader.end()
            var found: [[UInt8]] = []
            while !list.isAtEnd { found.append(try list.objectIdentifier()) }
            return found
        }
    }
}

extension Certificate {
    /// The contents of a certificate, as text for people, in the layout of OpenSSL's `X509_print` with names in UTF-8.
    ///
    /// libcrypto prints it, but for GOST keys, which it does not know: these are as OpenSSL's gost engine prints them.
    ///
    /// - Parameter der: The certificate in DER. Bytes behind it are ignored.
    /// - Throws: ``HostCryptoError/invalidEncoding``; ``HostCryptoError/libraryFailure``.
    package static func text(der: Span<UInt8>) throws(HostCryptoError) -> [UInt8] {
        let fields = try Certificate(der: der)
        let key = try? SubjectPublicKeyInfo(der: fields.subjectPublicKeyInfo.span)
        let der = fields.der
        return try quietly { () throws(HostCryptoError) in
            let certificate = try read(der)
            let output = try unsafe Handle(BIO_new(BIO_s_mem()), free: { unsafe _ = BIO_free($0) })
            guard let key else {
                try print(certificate, to: output, without: 0)
                return try contents(of: output)
            }
            try print(certificate, to: output, without: X509_FLAG_NO_PUBKEY | afterKey)
            let text = try key.text()
            try check(unsafe BIO_write(output.pointer, text, Int32(clamping: text.count)) == text.count ? 1 : 0)
            try print(certificate, to: output, without: X509_FLAG_NO_PUBKEY | beforeKey)
            return try contents(of: output)
        }
    }

    private static let beforeKey =
        X509_FLAG_NO_HEADER | X509_FLAG_NO_VERSION | X509_FLAG_NO_SERIAL | X509_FLAG_NO_SIGNAME | X509_FLAG_NO_ISSUER
        | X509_FLAG_NO_VALIDITY | X509_FLAG_NO_SUBJECT
    private static let afterKey =
        X509_FLAG_NO_IDS | X509_FLAG_NO_EXTENSIONS | X509_FLAG_NO_SIGDUMP | X509_FLAG_NO_AUX

    /// Whether libcrypto can read it, too.
    var isReadable: Bool { (try? quietly { () throws(HostCryptoError) in try Self.read(der) }) != nil }

    /// The certificate in libcrypto (`X509`).
    static func read(_ der: [UInt8]) throws(HostCryptoError) -> Handle {
        guard let library = unsafe LibraryContext.context else { throw .libraryFailure }
        var certificate = unsafe X509_new_ex(library, nil)
        let isRead = unsafe der.withUnsafeBufferPointer { der in
            var start = der.baseAddress
            return unsafe d2i_X509(&certificate, &start, der.count) != nil
        }
        // libcrypto has freed and cleared the pointer after a failed read.
        let handle = try unsafe Handle(certificate, free: X509_free, else: .invalidEncoding)
        guard isRead else { throw .invalidEncoding }
        return handle
    }

    private static func print(
        _ certificate: Handle, to output: Handle, without parts: Int
    ) throws(HostCryptoError) {
        // XN_FLAG_ONELINE, but that bytes above 7F stay.
        let characters =
            ASN1_STRFLGS_ESC_2253 | ASN1_STRFLGS_ESC_CTRL | ASN1_STRFLGS_ESC_QUOTE | ASN1_STRFLGS_UTF8_CONVERT
            | ASN1_STRFLGS_DUMP_UNKNOWN | ASN1_STRFLGS_DUMP_DER
        let names = UInt(characters) | UInt(XN_FLAG_SEP_CPLUS_SPC | XN_FLAG_SPC_EQ)
        try unsafe check(
            X509_print_ex(output.pointer, certificate.pointer, names, UInt(parts)), else: .invalidEncoding)
    }

    private static func contents(of output: Handle) throws(HostCryptoError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: unsafe BIO_ctrl_pending(output.pointer))
        let count = unsafe BIO_read(output.pointer, &bytes, Int32(clamping: bytes.count))
        guard count == bytes.count else { throw .libraryFailure }
        return bytes
    }
}

extension SubjectPublicKeyInfo {
    fileprivate func text() throws(HostCryptoError) -> [UInt8] {
        let size = key.curve.coordinateSize
        let text = try """
                Subject Public Key Info:
                    Public Key Algorithm: \(Self.name(algorithm.algorithm.oid))
                        Public key:
                           X:\(Self.digits(key.bytes.prefix(size)))
                           Y:\(Self.digits(key.bytes.dropFirst(size)))
                        Parameter set: \(Self.name(key.curve.oid))

        """
        return Array(text.utf8)
    }

    /// The name that libcrypto has for an object identifier.
    private static func name(_ oid: [UInt8]) throws(HostCryptoError) -> String {
        let made = unsafe oid.withUnsafeBufferPointer { oid in
            var start = oid.baseAddress
            return unsafe d2i_ASN1_OBJECT(nil, &start, oid.count)
        }
        let object = try unsafe Handle(made, free: ASN1_OBJECT_free)
        var text = [CChar](repeating: 0, count: 80)
        let count = unsafe OBJ_obj2txt(&text, Int32(text.count), object.pointer, 0)
        guard (1..<80).contains(count) else { throw .libraryFailure }
        return String(decoding: text.prefix(Int(count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// A number, least significant byte first, in hexadecimal digits without leading zeros.
    private static func digits(_ number: ArraySlice<UInt8>) -> String {
        let digits = number.reversed().hexadecimal.uppercased().drop { $0 == "0" }
        return digits.isEmpty ? "0" : String(digits)
    }
}
