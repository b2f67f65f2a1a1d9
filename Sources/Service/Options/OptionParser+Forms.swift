internal import Serialization

// The options of `POST /v1/thumbnail`.

extension OptionParser {
    /// Those that make a difference to a thumbnail.
    static let namesForThumbnail: [OptionName] = [
        .serializer, .profile, .type, .acceptStatus, .acceptTypes, .thumbnail, .truncated, .maxContentBytes,
        .maxOutputBytes, .maxWarnings, .maxImagePixels, .maxImageSide, .maxImageFrames, .maxJPEGScans,
        .maxThumbnailSide,
    ]

    static func parseForThumbnail(
        _ pairs: [QueryString.Pair],
        limits: Limits
    ) throws(OptionError) -> RequestOptions {
        for (name, _) in pairs where PlannedOption(rawValue: name) == nil {
            guard namesForThumbnail.contains(where: { $0.rawValue == name }) else {
                throw .notTaken(name, allowed: namesForThumbnail)
            }
        }
        if let (_, value) = pairs.first(where: { $0.name == OptionName.serializer.rawValue }), value != "image" {
            throw .invalidValue(.serializer, got: value, expected: ["image"])
        }
        var options = try parse(pairs, limits: limits)
        if let thumbnails = options.serialization.thumbnails {
            guard !thumbnails.isEmpty else {
                let form = "WxH[,fit=…][,enlarge=true][,format=…][,quality=…][,background=…]"
                throw .invalidValue(.thumbnail, got: "none", expected: [form])
            }
            guard thumbnails.count == 1 else { throw .repeated(.thumbnail) }
        }
        options.serialization = thumbnailOptions(options.serialization, limits: options.limits)
        return options
    }

    /// `options` with what is always so: one thumbnail, of an image. Nothing else is said of it, so no metadata is read.
    static func thumbnailOptions(_ options: SerializationOptions, limits: Limits) -> SerializationOptions {
        var options = options
        options.serializer = .one(.image)
        options.exif = .none
        if options.thumbnails == nil {
            var thumbnail = ThumbnailRequest.byDefault
            thumbnail.width = min(thumbnail.width, limits.maxThumbnailSide)
            thumbnail.height = min(thumbnail.height, limits.maxThumbnailSide)
            options.thumbnails = [thumbnail]
        }
        return options
    }
}
