public import CCryptoki

extension Session {
    /// Begins a search. An empty template finds everything that the session may see, but for hardware features.
    public func findObjectsInit(_ template: Attributes) throws(CKError) {
        guard search == nil else { throw .operationActive }
        try slot.refreshObjects()
        search = try slot.visibleObjects(matching: template)[...]
    }

    /// The next handles that were found, at most `limit`. What is gone meanwhile is passed over.
    public func findObjects(limit: Int) throws(CKError) -> [CK_OBJECT_HANDLE] {
        guard var found = search else { throw .operationNotInitialised }
        var next: [CK_OBJECT_HANDLE] = []
        while next.count < limit, let handle = found.popFirst() {
            if (try? slot.visibleObject(handle)) != nil { next.append(handle) }
        }
        search = found
        return next
    }

    /// Ends the search.
    public func findObjectsFinal() throws(CKError) {
        guard search != nil else { throw .operationNotInitialised }
        search = nil
    }
}
