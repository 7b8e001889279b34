// SPDX-License-Identifier: Apache-2.0
import COpenSSL
import GOST

/// A request for a certificate (PKCS #10, RFC 2986), to be signed by the holder of the private key.
///
/// The text of its fields is what `openssl` takes in its configuration file, without references to sections of one.
package struct CertificationRequest: Sendable {
    /// A type, by its object identifier in digits or the name that OpenSSL has for it, and a value.
    package struct Field: Sendable, Hashable {
        package let type, value: String

        package init(type: String, value: String) {
            self.type = type
            self.value = value
        }
    }

    /// The CertificationRequestInfo in DER: the input of the signature.
    package let info: [UInt8]

    /// Puts a request together.
    ///
    /// - Parameters:
    ///   - subject: The relative distinguished names, the first one first. `UTF8String:` before a value makes it a
    ///     UTF8String; otherwise its type decides.
    ///   - publicKeyInfo: The SubjectPublicKeyInfo in DER, of any algorithm.
    ///   - attributes: Such as `challengePassword`; values as in the subject. Those of one type become values of one
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
            for field in subject {
                let (kind, text) = field.text
                let result = unsafe X509_NAME_add_entry_by_txt(
                    name.pointer, field.type, kind, text, Int32(clamping: text.count), -1, 0)
                try check(result, else: .invalidParameter)
            }
            try unsafe check(X509_REQ_set_subject_name(request.pointer, name.pointer))
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
        let (kind, text) = attribute.text
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
            let made =
                number == NID_undef
                ? unsafe X509V3_EXT_nconf(nil, &context, field.type, field.value)
                : unsafe X509V3_EXT_nconf_nid(nil, &context, number, field.value)
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

extension CertificationRequest.Field {
    /// The value, and what libcrypto is to make of it.
    fileprivate var text: (kind: Int32, bytes: [UInt8]) {
        let prefix = "UTF8String:"
        return value.hasPrefix(prefix)
            ? (V_ASN1_UTF8STRING, Array(value.utf8.dropFirst(prefix.utf8.count))) : (MBSTRING_FLAG, Array(value.utf8))
    }
}

/// Frees a list of extensions and its elements.
private func freeExtensions(_ list: OpaquePointer?) {
    while let last = unsafe OPENSSL_sk_pop(list) { unsafe X509_EXTENSION_free(OpaquePointer(last)) }
    unsafe OPENSSL_sk_free(list)
}
