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
        if parts.options.pages != nil { writer.member("reference", PublicURL.reference("/docs")) }
        writer.name("endpoints")
        writer.beginArray()
        for endpoint in Endpoint.allCases where isAvailable(endpoint, parts, listener) {
            let route = endpoint.route
            for path in route.paths {
                writer.beginObject()
                writer.member("path", path)
                writer.name("methods")
                writer.strings(route.methods)
                let permissions = route.permissions.filter(parts.access.isRestricted).map(\.rawValue)
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

    private static func isAvailable(_ endpoint: Endpoint, _ parts: ServiceParts, _ listener: Listener) -> Bool {
        guard listener.serves(endpoint.route.audience) else { return false }
        switch endpoint {
        case .fetch, .image, .fetches, .slots, .cache: return parts.fetching.service != nil
        case .reference: return parts.options.pages != nil
        case .none, .normalize, .value, .message, .envelope, .thumbnail, .serializers, .profiles, .openAPI, .problems,
            .live, .ready, .metrics, .start:
            return true
        }
    }
}
