public import CCryptoki
import Cryptoki

@c @implementation
public func C_Initialize(_ pInitArgs: UnsafeMutableRawPointer?) -> CK_RV {
    enter { () throws(CKError) in
        try unsafe checkInitialisation(pInitArgs?.assumingMemoryBound(to: CK_C_INITIALIZE_ARGS.self))
        try Process.current.initialise(Composition.library)
    }
}

/// Refuses arguments that cannot be honoured (PKCS #11 v2.40, 5.4). The library always locks with the operating
/// system's primitives and never starts a thread.
private func checkInitialisation(_ pointer: UnsafeMutablePointer<CK_C_INITIALIZE_ARGS>?) throws(CKError) {
    guard let arguments = unsafe pointer?.pointee else { return }
    guard unsafe arguments.pReserved == nil else { throw .argumentsBad }
    let callbacks = unsafe [
        arguments.CreateMutex != nil, arguments.DestroyMutex != nil, arguments.LockMutex != nil,
        arguments.UnlockMutex != nil,
    ]
    guard Set(callbacks).count == 1 else { throw .argumentsBad }
    guard unsafe !callbacks[0] || arguments.flags & CKF_OS_LOCKING_OK != 0 else { throw .cannotLock }
}

@c @implementation
public func C_Finalize(_ pReserved: UnsafeMutableRawPointer?) -> CK_RV {
    enter { () throws(CKError) in
        guard unsafe pReserved == nil else { throw .argumentsBad }
        try Process.current.finalise().finalize()
    }
}

@c @implementation
public func C_GetInfo(_ pInfo: UnsafeMutablePointer<CK_INFO>?) -> CK_RV {
    call { _ throws(CKError) in
        let info = try unsafe output(pInfo)
        unsafe info.pointee = CK_INFO()
        unsafe info.pointee.cryptokiVersion = CK_VERSION(major: 2, minor: 40)
        unsafe pad(&info.pointee.manufacturerID, with: "Kanal".utf8)
        unsafe pad(&info.pointee.libraryDescription, with: "Kanal PKCS #11 for GOST tokens".utf8)
        unsafe info.pointee.libraryVersion = CK_VERSION(major: 0, minor: 1)
    }
}
