// SPDX-License-Identifier: Apache-2.0

public import CCryptoki
import Cryptoki
import Glibc
import Tokens

@c @implementation
public func C_EX_CreateCSR(
    _ hSession: CK_SESSION_HANDLE, _ hPublicKey: CK_OBJECT_HANDLE,
    _ dn: UnsafeMutablePointer<UnsafeMutablePointer<CK_CHAR>?>?, _ ulDnLength: CK_ULONG,
    _ pCsr: UnsafeMutablePointer<UnsafeMutablePointer<CK_BYTE>?>?, _ pulCsrLength: UnsafeMutablePointer<CK_ULONG>?,
    _ hPrivKey: CK_OBJECT_HANDLE, _ pAttributes: UnsafeMutablePointer<UnsafeMutablePointer<CK_CHAR>?>?,
    _ ulAttributesLength: CK_ULONG, _ pExtensions: UnsafeMutablePointer<UnsafeMutablePointer<CK_CHAR>?>?,
    _ ulExtensionsLength: CK_ULONG
) -> CK_RV {
    call { library throws(CKError) in
        let request = try unsafe AllocatedOutput(pCsr, pulCsrLength, "pCsr or pulCsrLength")
        let fields = try unsafe RequestFields(
            subject: words(dn, ulDnLength), attributes: words(pAttributes, ulAttributesLength),
            extensions: words(pExtensions, ulExtensionsLength))
        try library.withSession(hSession) { session throws(CKError) in
            try request.store(session.certificationRequest(for: hPublicKey, with: hPrivKey, fields))
        }
    }
}

@c @implementation
public func C_EX_PKCS7Sign(
    _ hSession: CK_SESSION_HANDLE, _ pData: UnsafeMutablePointer<CK_BYTE>?, _ ulDataLen: CK_ULONG,
    _ hCert: CK_OBJECT_HANDLE, _ ppEnvelope: UnsafeMutablePointer<UnsafeMutablePointer<CK_BYTE>?>?,
    _ pEnvelopeSize: UnsafeMutablePointer<CK_ULONG>?, _ hPrivKey: CK_OBJECT_HANDLE,
    _ phCertificates: UnsafeMutablePointer<CK_OBJECT_HANDLE>?, _ ulCertificatesLen: CK_ULONG, _ flags: CK_ULONG
) -> CK_RV {
    call { library throws(CKError) in
        let envelope = try unsafe AllocatedOutput(ppEnvelope, pEnvelopeSize, "ppEnvelope or pEnvelopeSize")
        let data = try unsafe input(pData, ulDataLen, "pData", atMost: documentLimit)
        let others = try unsafe Array(input(phCertificates, ulCertificatesLen, "phCertificates", atMost: listLimit))
        // The host computes the hash, which is quicker.
        let known = PKCS7_DETACHED_SIGNATURE | USE_HARDWARE_HASH
        guard flags & ~known == 0 else { throw .argumentsBad("the flags \(hex: flags) are not known") }
        let isDetached = flags & PKCS7_DETACHED_SIGNATURE != 0
        let now = time(nil)
        try library.withSession(hSession) { session throws(CKError) in
            let message = try unsafe session.signedMessage(
                of: data.span, certificate: hCert, with: hPrivKey, others: others, isDetached: isDetached, time: now)
            try envelope.store(message)
        }
    }
}

@c @implementation
public func C_EX_GetCertificateInfoText(
    _ hSession: CK_SESSION_HANDLE, _ hCert: CK_OBJECT_HANDLE,
    _ pInfo: UnsafeMutablePointer<UnsafeMutablePointer<CK_CHAR>?>?, _ pulInfoLen: UnsafeMutablePointer<CK_ULONG>?
) -> CK_RV {
    call { library throws(CKError) in
        let info = try unsafe AllocatedOutput(pInfo, pulInfoLen, "pInfo or pulInfoLen")
        try library.withSession(hSession) { session throws(CKError) in
            try info.store(session.certificateText(hCert) + [0])
        }
    }
}

@c @implementation
public func C_EX_FreeBuffer(_ pBuffer: UnsafeMutablePointer<CK_BYTE>?) -> CK_RV {
    unsafe free(pBuffer)
    return CK_RV(CKR_OK)
}

/// The caller's strings, each of which ends with NUL.
///
/// - Throws: `CKR_ARGUMENTS_BAD` for a string that is not UTF-8 or has no end within 64 KiB.
private func words(
    _ pointer: UnsafeMutablePointer<UnsafeMutablePointer<CK_CHAR>?>?, _ count: CK_ULONG
) throws(CKError) -> [String] {
    let limit = 1 << 16
    let pointers = try unsafe input(pointer, count, atMost: listLimit)
    var words: [String] = []
    for index in pointers.indices {
        let start = try unsafe output(pointers[index], "a string")
        let count = unsafe start.withMemoryRebound(to: CChar.self, capacity: 1) { unsafe strnlen($0, limit) }
        let bytes = unsafe UnsafeBufferPointer(start: start, count: count)
        guard count < limit, let word = unsafe String(validating: bytes, as: UTF8.self) else {
            throw .argumentsBad("a string is longer than \(limit) bytes, or not UTF-8")
        }
        words.append(word)
    }
    return words
}

@c @implementation
public func C_EX_PKCS7VerifyInit(
    _ hSession: CK_SESSION_HANDLE, _ pCms: UnsafeMutablePointer<CK_BYTE>?, _ ulCmsSize: CK_ULONG,
    _ pStore: UnsafeMutablePointer<CK_VENDOR_X509_STORE>?, _ ckMode: CK_VENDOR_CRL_MODE, _ flags: CK_FLAGS
) -> CK_RV {
    call { library throws(CKError) in
        let message = try unsafe bytes(pCms, ulCmsSize, "pCms", atMost: documentLimit)
        let store = try unsafe MessageStore(pStore)
        try library.verifyMessageInit(hSession, message, trusting: store, mode: ckMode, flags: flags, time: time(nil))
    }
}

@c @implementation
public func C_EX_PKCS7Verify(
    _ hSession: CK_SESSION_HANDLE, _ ppData: UnsafeMutablePointer<UnsafeMutablePointer<CK_BYTE>?>?,
    _ pulDataSize: UnsafeMutablePointer<CK_ULONG>?,
    _ ppSignerCertificates: UnsafeMutablePointer<UnsafeMutablePointer<CK_VENDOR_BUFFER>?>?,
    _ pulSignerCertificatesCount: UnsafeMutablePointer<CK_ULONG>?
) -> CK_RV {
    call { library throws(CKError) in
        let data = try unsafe AllocatedOutput(ppData, pulDataSize, "ppData or pulDataSize")
        let signers = try unsafe AllocatedOutput(
            ppSignerCertificates, pulSignerCertificatesCount, "ppSignerCertificates or pulSignerCertificatesCount")
        let message = try library.verifyMessage(hSession)
        try data.store(message.content)
        do throws(CKError) {
            try unsafe signers.store(message.signers)
        } catch {
            data.clear()
            throw error
        }
        guard message.isTrusted else { throw .certificateChainNotVerified }
    }
}

@c @implementation
public func C_EX_PKCS7VerifyUpdate(
    _ hSession: CK_SESSION_HANDLE, _ pData: UnsafeMutablePointer<CK_BYTE>?, _ ulDataSize: CK_ULONG
) -> CK_RV {
    call { library throws(CKError) in
        let data = try unsafe input(pData, ulDataSize, "pData")
        try unsafe library.verifyMessageUpdate(hSession, data.span)
    }
}

@c @implementation
public func C_EX_PKCS7VerifyFinal(
    _ hSession: CK_SESSION_HANDLE,
    _ ppSignerCertificates: UnsafeMutablePointer<UnsafeMutablePointer<CK_VENDOR_BUFFER>?>?,
    _ pulSignerCertificatesCount: UnsafeMutablePointer<CK_ULONG>?
) -> CK_RV {
    call { library throws(CKError) in
        let signers = try unsafe AllocatedOutput(
            ppSignerCertificates, pulSignerCertificatesCount, "ppSignerCertificates or pulSignerCertificatesCount")
        let message = try library.verifyMessageFinal(hSession)
        try unsafe signers.store(message.signers)
        guard message.isTrusted else { throw .certificateChainNotVerified }
    }
}

extension MessageStore {
    /// The certificates that the caller trusts; none for NULL.
    fileprivate init(_ pointer: UnsafeMutablePointer<CK_VENDOR_X509_STORE>?) throws(CKError) {
        guard let store = unsafe pointer?.pointee else {
            self.init(trusted: [], certificates: [], revocationLists: [])
            return
        }
        try unsafe self.init(
            trusted: Self.documents(store.pTrustedCertificates, store.ulTrustedCertificateCount),
            certificates: Self.documents(store.pCertificates, store.ulCertificateCount),
            revocationLists: Self.documents(store.pCrls, store.ulCrlCount))
    }

    private static func documents(
        _ pointer: UnsafeMutablePointer<CK_VENDOR_BUFFER>?, _ count: CK_ULONG
    ) throws(CKError) -> [[UInt8]] {
        let buffers = try unsafe input(pointer, count, atMost: listLimit)
        var documents: [[UInt8]] = []
        for index in buffers.indices {
            documents.append(try unsafe bytes(buffers[index].pData, buffers[index].ulSize, atMost: documentLimit))
        }
        return documents
    }
}

extension AllocatedOutput<CK_VENDOR_BUFFER> {
    /// Stores an array of buffers, each of which the caller releases for itself; NULL for an empty one.
    fileprivate func store(_ values: [[UInt8]]) throws(CKError) {
        guard !values.isEmpty else { return unsafe storeNothing() }
        var buffers: [CK_VENDOR_BUFFER] = unsafe []
        do throws(CKError) {
            for value in values {
                unsafe buffers.append(CK_VENDOR_BUFFER(pData: try allocated(value), ulSize: CK_ULONG(value.count)))
            }
            try unsafe store(buffers)
        } catch {
            for index in unsafe buffers.indices { unsafe free(buffers[index].pData) }
            throw error
        }
    }
}
