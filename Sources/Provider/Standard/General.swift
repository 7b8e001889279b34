// SPDX-License-Identifier: Apache-2.0
public import CCryptoki
import CVersion
import Cryptoki

@c @implementation
public func C_Initialize(_ pInitArgs: UnsafeMutableRawPointer?) -> CK_RV {
    callUninitialised { () throws(CKError) in
        let arguments = unsafe pInitArgs?.assumingMemoryBound(to: CK_C_INITIALIZE_ARGS.self).pointee
        try Process.current.initialise(Composition.library) { () throws(CKError) in
            try unsafe arguments.flatMap { arguments throws(CKError) in try unsafe applicationMutex(arguments) }
        }
    }
}

/// The mutex that the arguments ask for; nil if the operating system's locks are allowed, which always suffice (PKCS
/// #11 v2.40, 5.4). The library never starts a thread.
private func applicationMutex(_ arguments: CK_C_INITIALIZE_ARGS) throws(CKError) -> ApplicationMutex? {
    guard unsafe arguments.pReserved == nil else { throw .argumentsBad("pReserved is not NULL") }
    let functions = unsafe [
        arguments.CreateMutex != nil, arguments.DestroyMutex != nil, arguments.LockMutex != nil,
        arguments.UnlockMutex != nil,
    ]
    guard !functions.contains(!functions[0]) else {
        throw .argumentsBad("some of the four mutex functions are NULL, and some are not")
    }
    guard functions[0], unsafe arguments.flags & CKF_OS_LOCKING_OK == 0 else { return nil }
    return try unsafe ApplicationMutex(arguments)
}

@c @implementation
public func C_Finalize(_ pReserved: UnsafeMutableRawPointer?) -> CK_RV {
    callUninitialised(givesBack: true) { () throws(CKError) in
        guard unsafe pReserved == nil else { throw .argumentsBad("pReserved is not NULL") }
        try Process.current.finalise()
    }
}

@c @implementation
public func C_GetInfo(_ pInfo: UnsafeMutablePointer<CK_INFO>?) -> CK_RV {
    call { _ throws(CKError) in
        let info = try unsafe output(pInfo, "pInfo")
        unsafe info.pointee = CK_INFO()
        unsafe info.pointee.cryptokiVersion = CK_VERSION(major: 2, minor: 40)
        unsafe pad(&info.pointee.manufacturerID, with: "Kanal".utf8)
        unsafe pad(&info.pointee.libraryDescription, with: "Kanal PKCS #11 for GOST tokens".utf8)
        unsafe info.pointee.libraryVersion = CK_VERSION(
            major: UInt8(truncatingIfNeeded: KANAL_VERSION_MAJOR),
            minor: UInt8(truncatingIfNeeded: KANAL_VERSION_MINOR))
    }
}
