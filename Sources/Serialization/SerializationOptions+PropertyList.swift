extension SerializationOptions {
    /// Returns the options for the property list reader.
    func propertyListOptions(
        for type: DeclaredType,
        limits: Limits,
        memory: any MemoryGrant
    ) -> PropertyListReader.Options {
        var options = PropertyListReader.Options(memory: memory)
        options.nulls = nullPolicy(for: type)
        options.duplicates = duplicates
        options.surrogates = surrogates
        options.archive = archive
        options.hints = hints
        options.limits = limits
        options.leniencies = leniencies
        return options
    }
}
