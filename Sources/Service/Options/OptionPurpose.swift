internal import Serialization

/// The purpose of the options of a request.
enum OptionPurpose: Sendable {
    /// A value and the facts about it, in JSON. All options are allowed.
    case normalize
    /// The value alone, in JSON. All options except `view` are allowed.
    case value
    /// One thumbnail, as bytes. The options that affect it are allowed.
    case thumbnail

    private static let valueOptions = {
        var options = SerializationOptions()
        options.view = .value
        return options
    }()

    /// The options of a request without a query.
    func byDefault(limits: Limits) -> SerializationOptions {
        switch self {
        case .normalize: SerializationOptions()
        case .value: OptionPurpose.valueOptions
        case .thumbnail: OptionParser.thumbnailOptions(SerializationOptions(), limits: limits)
        }
    }
}
