import Platform
import Serialization

@testable import Service

// Values for tests. The service takes them from its settings.

extension FetchPreferences.Bounds {
    init() { self.init(Configuration(resources: .init(cores: 1, memoryBytes: 4 << 30))) }
}

extension ImageSettings {
    init(sizes: ImageSizes = ImageSizes()) { self.init(sizes: sizes, corsOrigins: CORSOrigins()) }
}

extension ProfilesReader {
    static func read(
        _ text: Span<UInt8>,
        path: String,
        limits: Limits
    ) throws(ConfigurationFileError) -> ProfileSet {
        try read(text, path: path, limits: limits, fetch: FetchPreferences.Bounds())
    }
}

extension ProfileRegistry {
    convenience init(path: String, limits: Limits) throws(ConfigurationFileError) {
        try self.init(path: path, limits: limits, fetch: FetchPreferences.Bounds())
    }
}
