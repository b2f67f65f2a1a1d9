extension SerializationOptions {
    /// What the property list reader has to know of these options.
    func propertyListOptions(for type: DeclaredType, limits: Limits) -> PropertyListReader.Options {
        var options = PropertyListReader.Options()
        options.nulls = nullPolicy(for: type)
        options.duplicates = duplicates
        options.surrogates = surrogates
        options.archive = archive
        options.hints = hints
        options.limits = limits
        return options
    }
}
