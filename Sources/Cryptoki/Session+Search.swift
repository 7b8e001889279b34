public import CCryptoki

extension Session {
    /// Begins a search. An empty template finds everything that the session may see, but for hardware features, which
    /// only a template with their class finds (PKCS #11 v2.40, 4.3.1).
    public func findObjectsInit(_ template: Attributes) throws(CKError) {
        guard search == nil else { throw .operationActive }
        let wantsFeatures = try template.number(CKA_CLASS) == CKO_HW_FEATURE
        try slot.refreshObjects()
        search = slot.visibleObjects.filter { found in
            (wantsFeatures || !found.object.isFeatures) && found.object.attributes.matches(template)
        }.map(\.handle)
    }

    /// The next handles that were found, at most `limit`.
    public func findObjects(limit: Int) throws(CKError) -> [CK_OBJECT_HANDLE] {
        guard let found = search else { throw .operationNotInitialised }
        search = Array(found.dropFirst(limit))
        return Array(found.prefix(limit))
    }

    /// Ends the search.
    public func findObjectsFinal() throws(CKError) {
        guard search != nil else { throw .operationNotInitialised }
        search = nil
    }
}
