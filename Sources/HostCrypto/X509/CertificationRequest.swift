// SPDX-License-Identifier: Apache-2.0
import COpenSSL
import GOST
import Secrets

/// A request for a certificate (PKCS #10, RFC 2986), to be signed by the holder of the private key.
///
/// The text of its fields is as in the configuration file of `openssl`, without references to sections.
package struct CertificationRequest: Sendable {
    /// A type, by its object identifier in digits or the name that OpenSSL has for it, `INNLE` or `OGRNIP`, and a value.
    package struct Field: Sendable, Hashable {
        package let type, value: String
        /// The value as an element in DER, in place of the text.
        let der: [UInt8]?

        package init(type: String, value: String) {
            self.type = type
            self.value = value
            der = nil
        }

        package init(type: String, der: [UInt8]) {
            self.type = type
            value = ""
            self.der = der
        }
    }

    /// The CertificationRequestInfo in DER: the input of the signature.
    package let info: [UInt8]

    /// Puts a request together.
    ///
    /// - Parameters:
    ///   - subject: The relative distinguished names, the first one first. The name of a string type before a value, as
    ///     in `UTF8String:` (``Field/StringType``), makes it one of these; otherwise the field's type decides.
    ///   - publicKeyInfo: The SubjectPublicKeyInfo in DER, of any algorithm.
    ///   - attributes: Such as `challengePassword`; values as in the subject. Several of one type become values of one
    ///     attribute.
    ///   - extensions: Values such as `critical,digitalSignature` for `keyUsage`, `hash` for `subjectKeyIdentifier`,
    ///     and `DER:01:02` or `ASN1:UTF8String:text` for any type.
    /// - Throws: ``HostCryptoError/invalidParameter`` for a type or a value that OpenSSL does not take;
    ///   ``HostCryptoError/invalidEncoding`` for the key; ``HostCryptoError/libraryFailure``.
    package init(
        subject: [Field], publicKeyInfo: [UInt8], attributes: [Field], extensions: [Field]
    ) throws(HostCryptoError) {
        info = try quietly { () throws(HostCryptoError) in
            let request = try Self.request(for: publicKeyInfo)
            let name = try unsafe Handle(X509_NAME_new(), free: X509_NAME_free)
            for field in subject { try Self.append(field, to: name) }
            // The name is read again, and a value in DER with it.
            try unsafe check(
                X509_REQ_set_subject_name(request.pointer, name.pointer),
                else: subject.contains { $0.der != nil } ? .invalidParameter : .libraryFailure)
            var known: Set<Field> = []
            for field in attributes where known.insert(field).inserted { try Self.add(field, to: request) }
            try Self.add(extensions, to: request)
            return try Self.info(of: request)
        }
    }

    /// The whole request in DER.
    ///
    /// - Parameter signature: Of ``info``, as PKCS #11 has it.
    /// - Throws: ``HostCryptoError/invalidParameter`` for an algorithm that has no identifier here.
    package func der(_ algorithm: SignatureAlgorithm, signature: [UInt8]) throws(HostCryptoError) -> [UInt8] {
        Self.der(info, try algorithm.der(), algorithm.encoded(signature))
    }

    private static func der(_ info: [UInt8], _ algorithm: [UInt8], _ signature: [UInt8]) -> [UInt8] {
        DERTag.sequence.element(info + algorithm + DERTag.bitString.element([0] + signature))
    }

    /// Whether a field can be in a subject, as far as it is a text.
    package static func accepts(_ field: Field) throws(HostCryptoError) -> Bool {
        try quietly { () throws(HostCryptoError) in
            let name = try unsafe Handle(X509_NAME_new(), free: X509_NAME_free)
            do throws(HostCryptoError) { try append(field, to: name) } catch {
                guard error == .invalidParameter else { throw error }
                return false
            }
            return true
        }
    }

    private static func append(_ field: Field, to name: Handle) throws(HostCryptoError) {
        let (kind, text) = try field.content
        let result = unsafe X509_NAME_add_entry_by_txt(
            name.pointer, field.identifier, kind, text, Int32(clamping: text.count), -1, 0)
        try check(result, else: .invalidParameter)
    }

    /// A request that has a key and nothing else (`X509_REQ`).
    private static func request(for publicKeyInfo: [UInt8]) throws(HostCryptoError) -> Handle {
        guard publicKeyInfo.count < 1 << 14, let library = unsafe LibraryContext.context else {
            throw .invalidEncoding
        }
        let content = DERTag.integer.element([0]) + DERTag.sequence.element([]) + publicKeyInfo
        let empty = DERTag.sequence.element(DERTag.objectIdentifier.element([0x2A, 0x03]))
        let der = der(DERTag.sequence.element(content + DERTag.context0.element([])), empty, [])

        var request = unsafe X509_REQ_new_ex(library, nil)
        let isRead = unsafe der.withUnsafeBufferPointer { der in
            var start = der.baseAddress
            return unsafe d2i_X509_REQ(&request, &start, der.count) != nil
        }
        // libcrypto has freed and cleared the pointer after a failed read.
        let handle = try unsafe Handle(request, free: X509_REQ_free, else: .invalidEncoding)
        guard isRead else { throw .invalidEncoding }
        return handle
    }

    /// Adds an attribute. A request has each type once, with a set of values (RFC 2986, 4.1; X.501, 8.2).
    private static func add(_ attribute: Field, to request: Handle) throws(HostCryptoError) {
        let (kind, text) = try attribute.content
        let count = Int32(clamping: text.count)
        let type = try unsafe Handle(
            OBJ_txt2obj(attribute.type, 0), free: ASN1_OBJECT_free, else: .invalidParameter)
        let place = unsafe X509_REQ_get_attr_by_OBJ(request.pointer, type.pointer, -1)
        let result =
            place < 0
            ? unsafe X509_REQ_add1_attr_by_txt(request.pointer, attribute.type, kind, text, count)
            : unsafe X509_ATTRIBUTE_set1_data(X509_REQ_get_attr(request.pointer, place), kind, text, count)
        try check(result, else: .invalidParameter)
    }

    private static func add(_ fields: [Field], to request: Handle) throws(HostCryptoError) {
        guard !fields.isEmpty else { return }
        var context = unsafe X509V3_CTX()
        unsafe X509V3_set_ctx(&context, nil, nil, request.pointer, nil, 0)
        let list = try unsafe Handle(OPENSSL_sk_new_null(), free: { unsafe freeExtensions($0) })
        for field in fields {
            let number = unsafe OBJ_txt2nid(field.type)
            let value = field.der.map { "DER:" + $0.hexadecimal } ?? field.value
            let made =
                number == NID_undef
                ? unsafe X509V3_EXT_nconf(nil, &context, field.type, value)
                : unsafe X509V3_EXT_nconf_nid(nil, &context, number, value)
            guard let made = unsafe made else { throw .invalidParameter }
            guard unsafe OPENSSL_sk_push(list.pointer, UnsafeRawPointer(made)) > 0 else {
                unsafe X509_EXTENSION_free(made)
                throw .libraryFailure
            }
        }
        try unsafe check(X509_REQ_add_extensions(request.pointer, list.pointer))
    }

    private static func info(of request: Handle) throws(HostCryptoError) -> [UInt8] {
        var start: UnsafeMutablePointer<UInt8>?
        let count = unsafe i2d_re_X509_REQ_tbs(request.pointer, &start)
        guard count > 0, let bytes = unsafe start else { throw .libraryFailure }
        defer { unsafe CRYPTO_free(bytes, #file, #line) }
        return unsafe [UInt8](UnsafeBufferPointer(start: bytes, count: Int(count)))
    }
}

/// Frees a list of extensions and its elements.
private func freeExtensions(_ list: OpaquePointer?) {
    while let last = unsafe OPENSSL_sk_pop(list) { unsafe X509_EXTENSION_free(OpaquePointer(last)) }
    unsafe OPENSSL_sk_free(list)
}
