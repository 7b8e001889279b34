// SPDX-License-Identifier: Apache-2.0

public import CCryptoki
import Cryptoki
import CVersion
import Tokens

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

@c @implementation
public func C_GetSlotList(
    _ tokenPresent: CK_BBOOL, _ pSlotList: UnsafeMutablePointer<CK_SLOT_ID>?,
    _ pulCount: UnsafeMutablePointer<CK_ULONG>?
) -> CK_RV {
    call { library throws(CKError) in
        let list = try unsafe Output(pSlotList, pulCount, "pulCount")
        let slots = try library.slots(tokenPresent: tokenPresent != 0, isQuery: list.isQuery)
        try list.fill(size: slots.count) { slots }
    }
}

@c @implementation
public func C_GetSlotInfo(_ slotID: CK_SLOT_ID, _ pInfo: UnsafeMutablePointer<CK_SLOT_INFO>?) -> CK_RV {
    call { library throws(CKError) in
        let info = try unsafe output(pInfo, "pInfo")
        let slot = try library.slot(slotID)
        unsafe info.pointee = CK_SLOT_INFO()
        unsafe pad(&info.pointee.slotDescription, with: slot.reader.utf8)
        unsafe pad(&info.pointee.manufacturerID, with: "Aktiv Co.".utf8)
        unsafe info.pointee.flags =
            (slot.isFolder ? 0 : CKF_HW_SLOT | CKF_REMOVABLE_DEVICE) | (slot.hasToken ? CKF_TOKEN_PRESENT : 0)
    }
}

@c @implementation
public func C_GetTokenInfo(_ slotID: CK_SLOT_ID, _ pInfo: UnsafeMutablePointer<CK_TOKEN_INFO>?) -> CK_RV {
    call { library throws(CKError) in
        let info = try unsafe output(pInfo, "pInfo")
        unsafe info.pointee = try CK_TOKEN_INFO(
            library.token(in: slotID, evicting: false), asksForPINs: library.asksForPINs)
    }
}

@c @implementation
public func C_WaitForSlotEvent(
    _ flags: CK_FLAGS, _ pSlot: UnsafeMutablePointer<CK_SLOT_ID>?, _ pReserved: UnsafeMutableRawPointer?
) -> CK_RV {
    call(isAlone: false) { library throws(CKError) in
        let slot = try unsafe output(pSlot, "pSlot")
        guard unsafe pReserved == nil else { throw .argumentsBad("pReserved is not NULL") }
        unsafe slot.pointee = try library.waitForSlotEvent(waits: flags & CKF_DONT_BLOCK == 0)
    }
}

@c @implementation
public func C_GetMechanismList(
    _ slotID: CK_SLOT_ID, _ pMechanismList: UnsafeMutablePointer<CK_MECHANISM_TYPE>?,
    _ pulCount: UnsafeMutablePointer<CK_ULONG>?
) -> CK_RV {
    call { library throws(CKError) in
        let list = try unsafe Output(pMechanismList, pulCount, "pulCount")
        let mechanisms = try library.mechanisms(of: slotID)
        try list.fill(size: mechanisms.count) { mechanisms }
    }
}

@c @implementation
public func C_GetMechanismInfo(
    _ slotID: CK_SLOT_ID, _ type: CK_MECHANISM_TYPE, _ pInfo: UnsafeMutablePointer<CK_MECHANISM_INFO>?
) -> CK_RV {
    call { library throws(CKError) in
        let info = try unsafe output(pInfo, "pInfo")
        let (keySizes, flags) = try library.information(on: type, in: slotID)
        unsafe info.pointee = CK_MECHANISM_INFO(
            ulMinKeySize: keySizes.lowerBound, ulMaxKeySize: keySizes.upperBound, flags: flags)
    }
}
