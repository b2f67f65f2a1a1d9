internal import Serialization

// The options of `POST /v1/thumbnail` and of `POST /v1/normalize/value`.

extension OptionParser {
    /// The options of `POST /v1/normalize/value`: all options except `view`, whose value is fixed.
    static let namesForValue = OptionName.allCases.filter { $0 != .view }

    static func parseForValue(
        _ pairs: [QueryString.Pair],
        limits: Limits,
        profiles: ProfileRegistry = .builtIn
    ) throws(OptionError) -> RequestOptions {
        try check(pairs, namesForValue)
        var options = try parse(pairs, limits: limits, profiles: profiles)
        options.serialization.view = .value
        return options
    }

    /// Rejects unknown options, and known options that are not in `allowed`.
    private static func check(_ pairs: [QueryString.Pair], _ allowed: [OptionName]) throws(OptionError) {
        for (name, _) in pairs {
            guard allowed.contains(where: { $0.rawValue == name }) else { throw .notAvailable(name, allowed: allowed) }
        }
    }

    /// The options of `POST /v1/thumbnail`: those that affect a thumbnail.
    static let namesForThumbnail: [OptionName] = [
        .serializer, .profile, .type, .acceptStatus, .acceptTypes, .thumbnail, .truncated, .maxContentBytes,
        .maxDecodedBytes, .maxContentCodings, .maxOutputBytes, .maxWarnings, .maxImagePixels, .maxImageSide,
        .maxImageFrames, .maxJPEGScans, .maxThumbnailSide,
    ]

    static func parseForThumbnail(
        _ pairs: [QueryString.Pair],
        limits: Limits,
        profiles: ProfileRegistry = .builtIn
    ) throws(OptionError) -> RequestOptions {
        try check(pairs, namesForThumbnail)
        if let (_, value) = pairs.first(where: { $0.name == OptionName.serializer.rawValue }), value != "image" {
            throw .invalidValue(.serializer, got: value, expected: ["image"])
        }
        var options = try parse(pairs, limits: limits, profiles: profiles)
        let isGiven = pairs.contains { $0.name == OptionName.thumbnail.rawValue }
        if !isGiven {
            // A profile may contain several thumbnails or `none`, because other paths use it too. The first
            // thumbnail is used.
            options.serialization.thumbnails = options.serialization.thumbnails?.first.map { [$0] }
        }
        if let thumbnails = options.serialization.thumbnails {
            guard !thumbnails.isEmpty else {
                throw .invalidValue(.thumbnail, got: "none", expected: [OptionTable.thumbnailSyntax])
            }
            guard thumbnails.count == 1 else { throw .repeated(.thumbnail) }
        }
        options.serialization = thumbnailOptions(options.serialization, limits: options.limits)
        return options
    }

    /// Returns `options` for one thumbnail of an image. Nothing else is made from the pixels. The response contains no
    /// metadata, so that none is read.
    static func thumbnailOptions(_ options: SerializationOptions, limits: Limits) -> SerializationOptions {
        var options = options
        options.serializer = .one(.image)
        options.exif = .none
        options.decode = .auto
        options.placeholders = []
        options.fingerprints = []
        if options.thumbnails == nil {
            var thumbnail = ThumbnailRequest.byDefault
            thumbnail.width = min(thumbnail.width, limits.maxThumbnailSide)
            thumbnail.height = min(thumbnail.height, limits.maxThumbnailSide)
            options.thumbnails = [thumbnail]
        }
        return options
    }
}
