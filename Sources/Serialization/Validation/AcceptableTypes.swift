extension SerializerKind {
    /// The media types that this serializer accepts where `accept-types` does not say otherwise.
    ///
    /// With ``RuleSet/decant`` a response without a type is acceptable as well.
    public func acceptableMediaTypes(under rules: RuleSet) -> MediaTypeSet {
        switch (self, rules) {
        case (.http, _): .any
        case (.json, .decant): .json
        case (.json, .afnetworking): .afnetworkingJSON
        }
    }
}

extension MediaTypeSet {
    /// What `serializer=auto` accepts: what one of the serializers reads, and the types that say nothing.
    public static var auto: MediaTypeSet { .json }

    fileprivate static let json = MediaTypeSet(
        types: ["application/json", "text/json"] + MediaType.javaScript + MediaType.records + MediaType.undecided,
        suffixes: ["json", "json-seq"]
    )

    /// `AFJSONResponseSerializer.init`, AFURLResponseSerialization.m of 4.0.
    fileprivate static let afnetworkingJSON = MediaTypeSet(types: [
        "application/json", "text/json", "text/javascript",
    ])
}
