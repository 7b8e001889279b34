// SPDX-License-Identifier: Apache-2.0

public import CCryptoki
import Cryptoki
import Token
import Tokens

@c @implementation
public func C_EX_SetTokenName(
    _ hSession: CK_SESSION_HANDLE, _ pLabel: UnsafeMutablePointer<CK_CHAR>?, _ ulLabelLen: CK_ULONG
) -> CK_RV {
    call { library throws(CKError) in
        let name = try unsafe bytes(pLabel, ulLabelLen, "pLabel", atMost: TokenSlot.nameLimit)
        try library.withSession(hSession) { session throws(CKError) in try session.setTokenName(name) }
    }
}

@c @implementation
public func C_EX_GetTokenName(
    _ hSession: CK_SESSION_HANDLE, _ pLabel: UnsafeMutablePointer<CK_CHAR>?,
    _ pulLabelLen: UnsafeMutablePointer<CK_ULONG>?
) -> CK_RV {
    call { library throws(CKError) in
        let place = try unsafe Output(pLabel, pulLabelLen, "pulLabelLen")
        let name = try library.withSession(hSession) { session throws(CKError) in
            try session.tokenName() ?? TokenFields.noLabel
        }
        try place.fill(size: name.count) { () throws(CKError) in name }
    }
}

// MARK: Licences and journal

@c @implementation
public func C_EX_SetLicense(
    _ hSession: CK_SESSION_HANDLE, _ ulLicenseNum: CK_ULONG, _ pLicense: UnsafeMutablePointer<CK_BYTE>?,
    _ ulLicenseLen: CK_ULONG
) -> CK_RV {
    call { library throws(CKError) in
        let licence = try unsafe bytes(pLicense, ulLicenseLen, "pLicense", atMost: TokenSlot.licenceSize)
        try library.withSession(hSession) { session throws(CKError) in
            try session.setLicence(ulLicenseNum, to: licence)
        }
    }
}

@c @implementation
public func C_EX_GetLicense(
    _ hSession: CK_SESSION_HANDLE, _ ulLicenseNum: CK_ULONG, _ pLicense: UnsafeMutablePointer<CK_BYTE>?,
    _ pulLicenseLen: UnsafeMutablePointer<CK_ULONG>?
) -> CK_RV {
    call { library throws(CKError) in
        let place = try unsafe Output(pLicense, pulLicenseLen, "pulLicenseLen")
        try Session.checkLicence(ulLicenseNum)
        try library.withSession(hSession) { session throws(CKError) in
            try place.fill(size: TokenSlot.licenceSize) { () throws(CKError) in try session.licence(ulLicenseNum) }
        }
    }
}

@c @implementation
public func C_EX_GetJournal(
    _ slotID: CK_SLOT_ID, _ pJournal: UnsafeMutablePointer<CK_BYTE>?, _ pulJournalSize: UnsafeMutablePointer<CK_ULONG>?
) -> CK_RV {
    call { library throws(CKError) in
        let place = try unsafe Output(pJournal, pulJournalSize, "pulJournalSize")
        let journal = try library.journal(in: slotID)
        try place.fill(size: journal.count) { () throws(CKError) in journal }
    }
}

@c @implementation
public func C_EX_GetVolumesInfo(
    _ slotID: CK_SLOT_ID, _ pInfo: UnsafeMutablePointer<CK_VOLUME_INFO_EXTENDED>?,
    _ pulInfoCount: UnsafeMutablePointer<CK_ULONG>?
) -> CK_RV {
    call { library throws(CKError) in
        let place = try unsafe Output(pInfo, pulInfoCount, "pulInfoCount")
        let volumes = try library.volumes(in: slotID)
        try place.fill(size: volumes.count) { () throws(CKError) in volumes.map { CK_VOLUME_INFO_EXTENDED($0) } }
    }
}

@c @implementation
public func C_EX_GetDriveSize(_ slotID: CK_SLOT_ID, _ pulDriveSize: UnsafeMutablePointer<CK_ULONG>?) -> CK_RV {
    call { library throws(CKError) in
        let size = try unsafe output(pulDriveSize, "pulDriveSize")
        unsafe size.pointee = CK_ULONG(try library.driveSize(in: slotID))
    }
}

extension CK_VOLUME_INFO_EXTENDED {
    fileprivate init(_ volume: TokenVolume) {
        self.init()
        idVolume = CK_VOLUME_ID_EXTENDED(volume.number)
        ulVolumeSize = CK_ULONG(volume.size)
        accessMode = CK_ACCESS_MODE_EXTENDED(volume.accessMode.rawValue)
        volumeOwner =
            switch volume.owner {
            case nil: .unavailable
            case 1: CKU_SO
            case 2: CKU_USER
            case let localPIN?: CK_OWNER_EXTENDED(localPIN)
            }
        flags = 0
    }
}
