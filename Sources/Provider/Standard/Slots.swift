// SPDX-License-Identifier: Apache-2.0
public import CCryptoki
import Cryptoki

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
            CKF_HW_SLOT | CKF_REMOVABLE_DEVICE | (slot.hasToken ? CKF_TOKEN_PRESENT : 0)
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
