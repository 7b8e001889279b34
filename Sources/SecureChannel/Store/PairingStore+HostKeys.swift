// SPDX-License-Identifier: Apache-2.0
import GOST
import Secrets
import Storage

extension Directory {
    /// The host's long-term key of the profile; nil if it is missing or unusable.
    func hostKey(_ profile: Profile) throws(ChannelError) -> PrivateKey? {
        let content = try storing { () throws(StorageError) in
            try readSecret(Directory.hostKeyName(profile), limit: PairingStore.limit)
        }
        guard let content else { return nil }
        return try? PrivateKey(curve: profile.suite.curve, scalar: content)
    }

    /// The host's long-term key of the profile, made if it is missing or unusable. Called under the lock.
    func hostKey(_ profile: Profile, random: any RandomSource) throws(ChannelError) -> PrivateKey {
        if let key = try hostKey(profile) { return key }
        let key = try computing { () throws(GOSTError) in
            try PrivateKey.generate(on: profile.suite.curve, random: random)
        }
        try replaceUnusable(Directory.hostKeyName(profile), with: key.scalar)
        return key
    }

    /// Writes a secret to a file that holds none. The former content is kept beside it.
    func replaceUnusable(_ name: String, with secret: borrowing Secret) throws(ChannelError) {
        do throws(StorageError) {
            if let unusable = try readSecret(name, limit: PairingStore.limit) {
                try write(name + ".unusable", unusable.bytes)
            }
            try write(name, secret.bytes)
        } catch {
            throw .storage(error)
        }
    }

    private static func hostKeyName(_ profile: Profile) -> String { "host." + hexadecimal([profile.rawValue]) }
}
