import CCryptoki

/// Whether the user has presented the PIN for one use of a key that wants it for each (`CKA_ALWAYS_AUTHENTICATE`).
final class Authentication {
    var isGiven = false
}
