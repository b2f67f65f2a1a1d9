package import Fetching

/// The key of a stored response.
package struct ResponseKey: CacheEntryKey {
    package let partition: String
    package let index: CacheKey
    package let primary: CacheKey
    /// The values of the fields that `Vary` names.
    package let variant: VaryKey
    /// The names of these fields.
    package let names: VaryNames

    package typealias Options = RenditionOptions

    /// The primary key contains the index key, and the index key contains the partition.
    package static func == (one: ResponseKey, other: ResponseKey) -> Bool {
        one.primary == other.primary && one.variant == other.variant
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(primary)
        hasher.combine(variant)
    }

    /// The memory of the key, in bytes.
    var bytes: Int { partition.utf8.count + index.bytes.count + primary.bytes.count + variant.bytes.count }
}

/// What distinguishes the renditions of one stored response.
package struct RenditionOptions: Equatable, Sendable {
    private let request: any RenditionRequest
    private let isHead: Bool

    init(of callerRequest: CallerRequest) {
        request = callerRequest.rendition
        isHead = callerRequest.request.method == "HEAD"
    }

    /// The memory of the lists and texts in the options, in bytes.
    var heapBytes: Int { request.heapBytes }

    package static func == (one: RenditionOptions, other: RenditionOptions) -> Bool {
        one.isHead == other.isHead && (one.request === other.request || one.request.isEqual(to: other.request))
    }
}
