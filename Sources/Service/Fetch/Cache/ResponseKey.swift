internal import Fetching
internal import Serialization

/// The key of a stored response.
struct ResponseKey: CacheEntryKey {
    let partition: String
    let index: CacheKey
    let primary: CacheKey
    /// The values of the fields that `Vary` names.
    let variant: VaryKey

    typealias Options = RenditionOptions

    /// The memory of the key, in bytes.
    var bytes: Int { partition.utf8.count + index.bytes.count + primary.bytes.count + variant.bytes.count }
}

/// What distinguishes the renditions of one stored response.
struct RenditionOptions: Hashable {
    private let order: FetchOrder

    init(of order: FetchOrder) {
        self.order = order
    }

    private var isHead: Bool { order.request.method == "HEAD" }

    static func == (one: RenditionOptions, other: RenditionOptions) -> Bool {
        one.isHead == other.isHead && one.order.isRendered(like: other.order)
    }

    /// An entry has at most 32 renditions, so few properties are sufficient.
    func hash(into hasher: inout Hasher) {
        hasher.combine(isHead)
        hasher.combine(order.serializer.options.view)
    }
}
