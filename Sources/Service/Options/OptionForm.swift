internal import Serialization

/// What the options of a request are for.
enum OptionForm: Sendable {
    /// A value, in JSON: every option there is.
    case normalize
    /// One thumbnail, as bytes: the options that make a difference to it.
    case thumbnail

    /// What holds where a request has no option.
    func byDefault(limits: Limits) -> SerializationOptions {
        switch self {
        case .normalize: SerializationOptions()
        case .thumbnail: OptionParser.thumbnailOptions(SerializationOptions(), limits: limits)
        }
    }
}
