extension SerializationOptions {
    /// What the JSON reader has to know of these options.
    func jsonOptions(for type: DeclaredType, limits: Limits) -> JSONReader.Options {
        var options = JSONReader.Options()
        options.nulls = nullPolicy(for: type)
        options.duplicates = duplicates
        options.fragments = fragments
        options.limits = limits
        return options
    }

    private func nullPolicy(for type: DeclaredType) -> NullPolicy {
        switch rules {
        case .decant:
            nulls ?? (type.mediaType?.nullsCarryMeaning == true ? .keep : .drop)
        case .afnetworking:
            switch nulls {
            case .keep, nil: .keep
            // AFJSONObjectByRemovingKeysWithNullValues empties arrays of nulls too (4.0).
            case .drop, .dropAll: .dropAll
            }
        }
    }
}
