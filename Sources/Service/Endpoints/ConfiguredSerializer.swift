internal import Serialization

/// Creates the serializer for the options of a request. Requests without a query share a serializer that is created at
/// startup.
final class ConfiguredSerializer: Sendable {
    /// The limits of the service.
    let limits: Limits
    private let byDefault: ResponseSerializer

    private let purpose: OptionPurpose

    private let profiles: ProfileRegistry

    init(
        limits: Limits,
        purpose: OptionPurpose = .normalize,
        profiles: ProfileRegistry = .builtIn
    ) {
        self.profiles = profiles
        self.limits = limits
        self.purpose = purpose
        let options = purpose.byDefault(limits: limits)
        byDefault = ResponseSerializer(options: options, limits: limits)
    }

    func serializer(query: String?) throws(RequestError) -> ResponseSerializer {
        guard let query, !query.isEmpty else { return byDefault }
        do {
            let options = try OptionParser.parse(query: query, limits: limits, for: purpose, profiles: profiles)
            return ResponseSerializer(options: options.serialization, limits: options.limits)
        } catch { throw .option(error) }
    }

    /// Returns the serializer for decoded options, which is the same object for all requests without options, and the
    /// options of a fetch in their profile.
    func fetching(
        pairs: [QueryString.Pair]
    ) throws(FetchCallError) -> (serializer: ResponseSerializer, fetch: FetchPreferences) {
        guard !pairs.isEmpty else { return (byDefault, FetchPreferences()) }
        do throws(OptionError) {
            let options = try OptionParser.parse(pairs, limits: limits, for: purpose, profiles: profiles)
            let serializer = ResponseSerializer(options: options.serialization, limits: options.limits)
            return (serializer, options.fetch)
        } catch { throw .option(error) }
    }

    /// Returns the serializer with another format for its thumbnails.
    func serializer(_ serializer: ResponseSerializer, thumbnailsAs format: ThumbnailFormat) -> ResponseSerializer {
        var options = serializer.options
        options.thumbnails = options.thumbnails?.map { thumbnail in
            var thumbnail = thumbnail
            thumbnail.format = format
            return thumbnail
        }
        return ResponseSerializer(options: options, limits: serializer.limits)
    }
}
