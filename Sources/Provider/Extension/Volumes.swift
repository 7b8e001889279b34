// SPDX-License-Identifier: Apache-2.0
public import CCryptoki
import Cryptoki
import Token

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
