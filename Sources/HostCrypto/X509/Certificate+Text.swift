// SPDX-License-Identifier: Apache-2.0
import COpenSSL
import GOST
import Secrets

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
        var octets = [UInt8](repeating: 0, count: unsafe BIO_ctrl_pending(output.pointer))
        let count = unsafe BIO_read(output.pointer, &octets, Int32(clamping: octets.count))
        guard count == octets.count else { throw .libraryFailure }
        return octets
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
        let digits = number.reversed().flatMap { [$0 >> 4, $0 & 15] }.drop { $0 == 0 }
        return digits.isEmpty ? "0" : digits.map { String($0, radix: 16, uppercase: true) }.joined()
    }
}
