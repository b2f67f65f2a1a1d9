extension SerializationOptions {
    /// Returns the options for the JSON reader.
    func jsonOptions(for type: DeclaredType, limits: Limits) -> JSONReader.Options {
        var options = JSONReader.Options()
        options.nulls = nullPolicy(for: type)
        options.duplicates = duplicates
        options.fragments = fragments
        options.surrogates = surrogates
        options.leniencies = leniencies
        options.records = recordFormat(for: type)
        options.keys = keys
        options.isCanonical = canonical
        options.prefixes = prefixes ?? (rules == .afnetworking ? .reject : .strip)
        options.acceptsJSONP = type.acceptsJSONP
        // NSJSONSerialization reads numbers as doubles.
        options.rejectsNumbersBeyondDouble = rules == .afnetworking
        options.limits = limits
        return options
    }

    /// Returns whether the content may consist of several values.
    func readsRecords(of type: DeclaredType) -> Bool { recordFormat(for: type) != nil }

    /// Returns the way in which the content separates several values, or `nil` if it is a single value.
    private func recordFormat(for type: DeclaredType) -> JSONReader.RecordFormat? {
        switch records {
        case .one: nil
        case .auto: type.recordFormat
        case .many: type.recordFormat ?? .concatenated
        }
    }

    func nullPolicy(for type: DeclaredType) -> NullPolicy {
        switch rules {
        case .decant: nulls ?? (type.nullsCarryMeaning ? .keep : .drop)
        case .afnetworking:
            switch nulls {
            case .keep, nil: .keep
            // AFJSONObjectByRemovingKeysWithNullValues also removes nulls from arrays (4.0).
            case .drop, .dropAll: .dropAll
            }
        }
    }
}
