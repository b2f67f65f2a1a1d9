extension SerializationOptions {
    /// What the property list reader has to know of these options.
    func propertyListOptions(
        for type: DeclaredType,
        limits: Limits,
        memory: (any MemoryGrant)?
    ) -> PropertyListReader.Options {
        var options = PropertyListReader.Options()
        options.nulls = nullPolicy(for: type)
        options.duplicates = duplicates
        options.surrogates = surrogates
        options.archive = archive
        options.hints = hints
        options.limits = limits
        options.memory = memory
        return options
    }
}
