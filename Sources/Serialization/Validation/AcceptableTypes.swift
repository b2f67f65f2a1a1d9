extension SerializerKind {
    /// Returns the media types that this serializer accepts unless `accept-types` overrides them.
    ///
    /// With ``RuleSet/decant`` a response without a type is acceptable as well.
    public func acceptableMediaTypes(under rules: RuleSet) -> MediaTypeSet {
        switch (self, rules) {
        case (.http, _): .any
        case (.json, .decant): .json
        case (.json, .afnetworking): .afnetworkingJSON
        case (.xml, .decant), (.xmlDocument, .decant): .xml
        case (.xml, .afnetworking), (.xmlDocument, .afnetworking): .afnetworkingXML
        case (.plist, .decant): .propertyList
        case (.plist, .afnetworking): .afnetworkingPropertyList
        case (.image, .decant): .image
        case (.image, .afnetworking): .afnetworkingImage
        }
    }
}

extension MediaTypeSet {
    /// The media types that `serializer=auto` accepts: those that a serializer reads, and those that are not specific.
    public static let auto = MediaTypeSet(
        types: jsonTypes + MediaType.xml + MediaType.propertyLists + MediaType.undecided,
        suffixes: ["json", "json-seq", "xml"],
        ranges: ["image"]
    )

    private static let jsonTypes =
        ["application/json", "text/json", "application/json-rpc", "application/jsonrequest"] + MediaType.javaScript
        + MediaType.records

    fileprivate static let json = MediaTypeSet(
        types: jsonTypes + MediaType.undecided,
        suffixes: ["json", "json-seq"]
    )

    /// RFC 7303 §3.
    fileprivate static let xml = MediaTypeSet(types: MediaType.xml + MediaType.undecided, suffixes: ["xml"])

    /// XML property lists are often labelled as XML.
    fileprivate static let propertyList = MediaTypeSet(
        types: MediaType.propertyLists + MediaType.xml + MediaType.undecided,
        suffixes: ["xml"]
    )

    fileprivate static let image = MediaTypeSet(types: MediaType.undecided, ranges: ["image"])

    /// `AFJSONResponseSerializer.init`, AFURLResponseSerialization.m of 4.0.
    fileprivate static let afnetworkingJSON = MediaTypeSet(types: [
        "application/json", "text/json", "text/javascript",
    ])

    /// `AFXMLParserResponseSerializer.init` and `AFXMLDocumentResponseSerializer.init`, AFURLResponseSerialization.m of
    /// 4.0.
    fileprivate static let afnetworkingXML = MediaTypeSet(types: ["application/xml", "text/xml"])

    /// `AFPropertyListResponseSerializer.init`, AFURLResponseSerialization.m of 4.0.
    fileprivate static let afnetworkingPropertyList = MediaTypeSet(types: ["application/x-plist"])

    /// `AFImageResponseSerializer.init`, AFURLResponseSerialization.m of 4.0.
    fileprivate static let afnetworkingImage = MediaTypeSet(types: [
        "image/tiff", "image/jpeg", "image/gif", "image/png", "image/ico", "image/x-icon", "image/bmp", "image/x-bmp",
        "image/x-xbitmap", "image/x-win-bitmap",
    ])
}
