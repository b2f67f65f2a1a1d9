internal import Serialization

/// What the options of a request are for.
enum OptionForm: Sendable {
    /// A value with the facts about it, in JSON: every option there is.
    case normalize
    /// The value alone, in JSON: every option but `view`.
    case value
    /// One thumbnail, as bytes: the options that make a difference to it.
    case thumbnail

    private static let valueOptions = {
        var options = SerializationOptions()
        options.view = .value
        return options
    }()

    /// What holds where a request has no option.
    func byDefault(limits: Limits) -> SerializationOptions {
        switch self {
        case .normalize: SerializationOptions()
        case .value: OptionForm.valueOptions
        case .thumbnail: OptionParser.thumbnailOptions(SerializationOptions(), limits: limits)
        }
    }
}
