extension ResponseSerializer {
    /// Whether nothing but the header of an image is read of `content`, until pixels are made.
    ///
    /// Told by the serializer that will decode it, and from its first bytes: as much as that would be too much for whoever
    /// asks. Never said of a compound, whose next component may read everything.
    package func readsHeaderOnly(of content: Span<UInt8>, _ response: UpstreamResponse) -> Bool {
        let named: SerializerKind?
        switch options.serializer {
        case .auto: named = nil
        case .one(let kind): named = kind
        case .compound: return false
        }
        // A digest reads all of it.
        guard named == nil || named == .image, !options.fingerprints.contains(.sha256) else { return false }
        let head = content.extracting(..<min(content.count, Self.maxSignatureBytes))
        // What is no image is looked at once more, to say what it is.
        guard ContentSignature(of: head)?.isImage == true else { return false }
        return validator.decision(for: named, received(response, content).type, head) == .decode(.image)
    }

    /// An image is known by less.
    private static let maxSignatureBytes = 4 << 10
}
