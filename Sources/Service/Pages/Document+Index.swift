internal import Serialization

extension Document {
    /// Returns the index of the endpoints of a service, which is at `/` for programs. It contains what this service
    /// permits: without fetching, the endpoints that fetch are not in it.
    static func index(_ parts: ServiceParts, on listener: Listener) -> Document {
        var writer = JSONWriter(capacity: 2048)
        writer.beginObject()
        writer.member("service", "decant")
        writer.member("version", decantVersion)
        writer.member("contract", PublicURL.reference("/openapi.json"))
        if has(.pages, parts) { writer.member("reference", PublicURL.reference("/docs")) }
        writer.name("endpoints")
        writer.beginArray()
        for row in Endpoint.allCases.map(\.row) where listener.serves(row.audience) && has(row.part, parts) {
            for path in row.paths {
                writer.beginObject()
                writer.member("path", path)
                writer.name("methods")
                writer.strings(row.methods)
                let permissions = row.permissions.filter(parts.access.isRestricted).map(\.rawValue)
                if !permissions.isEmpty {
                    writer.name("permissions")
                    writer.strings(permissions)
                }
                writer.endObject()
            }
        }
        writer.endArray()
        writer.endObject()
        return Document(json: writer.finish()).changing()
    }

    private static func has(_ part: EndpointRow.Part?, _ parts: ServiceParts) -> Bool {
        switch part {
        case .fetching: parts.fetching.service != nil
        case .pages: parts.options.pages != nil
        case nil: true
        }
    }
}
