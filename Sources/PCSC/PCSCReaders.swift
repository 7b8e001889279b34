public import APDU
import Locking

/// The readers that pcscd knows.
///
/// Each connected card has a context of its own, so that a slow card holds up nobody else.
public final class PCSCReaders: ReaderService {
    private let context = Lock<PCSCContext?>(nil)

    public init() {}

    /// All readers. Without a smart card service there are none.
    public func readers() throws(LinkError) -> [ReaderState] {
        try context.withLock { (context: inout PCSCContext?) throws(LinkError) -> [ReaderState] in
            // A restarted service knows nothing of the old context: ask it once more with a new one.
            for _ in 0..<2 {
                do throws(LinkError) {
                    let current = if let context { context } else { try PCSCContext() }
                    context = current
                    return try current.states(of: current.readerNames())
                } catch {
                    context = nil
                    guard error == .noService else { throw error }
                }
            }
            return []
        }
    }

    public func connect(to reader: String) throws(LinkError) -> any CardLink {
        try PCSCCard(reader: reader)
    }

    /// A watch with a context of its own, so that others can look at the readers meanwhile.
    public func watch() -> (any ReaderWatch)? {
        do { return try PCSCWatch() } catch { return nil }
    }
}
