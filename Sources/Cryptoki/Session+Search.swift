public import CCryptoki

extension Session {
    /// Begins a search. An empty template finds everything that the session may see, but for hardware features.
    public func findObjectsInit(_ template: Attributes) throws(CKError) {
        guard search == nil else { throw .operationActive }
        try slot.refreshObjects()
        search = try slot.visibleObjects(matching: template)[...]
    }

    /// The next handles that were found, at most `limit`.
    public func findObjects(limit: Int) throws(CKError) -> [CK_OBJECT_HANDLE] {
        guard let found = search else { throw .operationNotInitialised }
        search = found.dropFirst(limit)
        return Array(found.prefix(limit))
    }

    /// Ends the search.
    public func findObjectsFinal() throws(CKError) {
        guard search != nil else { throw .operationNotInitialised }
        search = nil
    }
}
