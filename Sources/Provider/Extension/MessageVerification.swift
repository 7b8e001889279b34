// SPDX-License-Identifier: Apache-2.0
public import CCryptoki
import Cryptoki
import Glibc

@c @implementation
public func C_EX_PKCS7VerifyInit(
    _ hSession: CK_SESSION_HANDLE, _ pCms: UnsafeMutablePointer<CK_BYTE>?, _ ulCmsSize: CK_ULONG,
    _ pStore: UnsafeMutablePointer<CK_VENDOR_X509_STORE>?, _ ckMode: CK_VENDOR_CRL_MODE, _ flags: CK_FLAGS
) -> CK_RV {
    call { library throws(CKError) in
        let message = try unsafe octets(pCms, ulCmsSize, "pCms", atMost: documentLimit)
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
            documents.append(try unsafe octets(buffers[index].pData, buffers[index].ulSize, atMost: documentLimit))
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
