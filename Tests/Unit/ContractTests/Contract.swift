import Testing

/// How any card of the kind behaves that this project drives, emulated or real. One test after another: a reader has one
/// card, and what one test selects another would find selected.
@Suite("The contract of a card", .serialized)
enum Contract {}
