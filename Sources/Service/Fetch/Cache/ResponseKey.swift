internal import Fetching
internal import Serialization

/// The key of a stored response.
struct ResponseKey: CacheEntryKey {
    let partition: String
    let index: CacheKey
    let primary: CacheKey
    /// The values of the fields that `Vary` names.
    let variant: VaryKey
    /// The names of these fields.
    let names: VaryNames

    typealias Options = RenditionOptions

    /// The primary key contains the index key, and the index key contains the partition.
    static func == (one: ResponseKey, other: ResponseKey) -> Bool {
        one.primary == other.primary && one.variant == other.variant
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(primary)
        hasher.combine(variant)
    }

    /// The memory of the key, in bytes.
    var bytes: Int { partition.utf8.count + index.bytes.count + primary.bytes.count + variant.bytes.count }
}

/// What distinguishes the renditions of one stored response.
struct RenditionOptions: Hashable {
    private let serializer: ResponseSerializer
    /// Whether the format of an image was negotiated; `nil` for everything else.
    private let isNegotiatedImage: Bool?
    private let isHead: Bool

    init(of order: FetchOrder) {
        serializer = order.serializer
        isNegotiatedImage = order.image?.isNegotiated
        isHead = order.request.method == "HEAD"
    }

    static func == (one: RenditionOptions, other: RenditionOptions) -> Bool {
        guard one.isHead == other.isHead, one.isNegotiatedImage == other.isNegotiatedImage else { return false }
        return one.serializer === other.serializer
            || one.serializer.options == other.serializer.options && one.serializer.limits == other.serializer.limits
    }

    /// An entry has at most 32 renditions, which are compared quickly. So one property is sufficient.
    var hashValue: Int { isHead ? 1 : 0 }

    func hash(into hasher: inout Hasher) {
        hasher.combine(isHead)
    }
}
