// SPDX-License-Identifier: Apache-2.0
package import CCryptoki

/// The results of a search that are not yet given out.
struct Search {
    var handles: ArraySlice<CK_OBJECT_HANDLE>
    /// The table's count of removals when all handles were valid.
    var removals: Int
}

extension Session {
    /// Begins a search. An empty template finds everything that the session may see, but for hardware features.
    package func findObjectsInit(_ template: Attributes) throws(CKError) {
        guard search == nil else { throw .operationActive }
        try slot.refreshObjects()
        search = Search(handles: try slot.visibleObjects(matching: template)[...], removals: slot.objects.removals)
    }

    /// The next handles that were found, at most `limit`. Objects that are gone by now are skipped.
    package func findObjects(limit: Int) throws(CKError) -> [CK_OBJECT_HANDLE] {
        guard var found = search else { throw .operationNotInitialised }
        if found.removals != slot.objects.removals {
            found = Search(
                handles: found.handles.filter { slot.objects.contains($0) }[...], removals: slot.objects.removals)
        }
        search = Search(handles: found.handles.dropFirst(limit), removals: found.removals)
        return Array(found.handles.prefix(limit))
    }

    /// Ends the search.
    package func findObjectsFinal() throws(CKError) {
        guard search != nil else { throw .operationNotInitialised }
        search = nil
    }
}
