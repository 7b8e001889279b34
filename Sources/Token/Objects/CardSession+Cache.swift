// SPDX-License-Identifier: Apache-2.0
import Logging
import SecureChannel
import Storage

/// The public content of a token, cached on the disk for other processes if the user wants that. The change counter
/// says whether it is still true; without it, or with a damaged or foreign file, everything is read from the token.
///
/// Only tokens with a channel are cached, which proves whose files and counter these are. A card without one can show
/// any serial number and counter, and its content would be shown for another token's for as long as that does not
/// change.
extension CardSession {
    /// Recalls the token's files from other connections, of this process or another.
    func recallFiles() {
        guard known.files == nil, !identity.serial.isEmpty else { return }
        if let files = settings.publicFiles.value(serial: identity.serial, isProtected: isProtected) {
            known.files = files
            known.cached = files
        } else {
            known.files = cachedFiles()
        }
    }

    private func cachedFiles() -> KnownFiles? {
        guard known.cached == nil, let cache = cache(create: false) else { return nil }
        let files = cache.content(of: cacheIdentity).flatMap { KnownFiles(parsing: $0) }
        known.cached = files ?? KnownFiles()
        return files
    }

    /// Writes the known files to the disk, if they are new there. No token is held during that.
    func saveFiles() {
        guard settings.policy.cachesObjects, let files = known.files, files != known.cached, !identity.serial.isEmpty,
            let cache = cache(create: true)
        else { return }
        known.cached = files
        do throws(ChannelError) { try cache.keep(files.encoded, as: cacheIdentity) } catch {
            settings.log.notice(
                "what is known of the token cannot be kept: \(error)", metadata: ["reader": "\(identity.reader)"])
        }
    }

    private func cache(create: Bool) -> SealedCache? {
        guard isProtected, settings.policy.cachesObjects, let path = settings.cache else { return nil }
        do throws(StorageError) { return try SealedCache(path: path, create: create, random: settings.random) } catch {
            settings.log.notice("the cache in \(path) cannot be used: \(error)")
            return nil
        }
    }

    /// The serial number, and 01: it was read in a channel.
    private var cacheIdentity: [UInt8] {
        Array((identity.serial + [1] + [UInt8](repeating: 0, count: 16)).prefix(16))
    }
}
