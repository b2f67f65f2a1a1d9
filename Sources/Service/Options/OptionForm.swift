internal import Serialization

/// The purpose of the options of a request.
enum OptionForm: Sendable {
    /// A value with the facts about it, in JSON: all options.
    case normalize
    /// The value alone, in JSON: all options but `view`.
    case value
    /// One thumbnail, as bytes: the options that affect it.
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
        case .value: OptionForm.valueOptions
        case .thumbnail: OptionParser.thumbnailOptions(SerializationOptions(), limits: limits)
        }
    }
}
