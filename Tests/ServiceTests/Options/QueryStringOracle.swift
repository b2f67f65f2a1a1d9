// Tests/Fuzz/build compiles this file, the oracles and the reader as one module.
#if canImport(Service)
    import FuzzOracles

    @testable import Service
#endif

/// Compares the service's reader of queries with ``ModelQueryString``.
enum QueryStringOracle {
    /// Returns the difference between the reader and the model, if there is one.
    static func violation(for input: [UInt8]) -> String? {
        // The reader receives a query as text.
        let query = String(decoding: input, as: UTF8.self)
        let model = Result { () throws(ModelQueryString.Fault) in try ModelQueryString.pairs(of: Array(query.utf8)) }
        let reader = Result { () throws(OptionError) in
            try QueryString.pairs(parsing: query).map {
                ModelQueryString.Pair(name: Array($0.name.utf8), value: Array($0.value.utf8))
            }
        }.mapError { ModelQueryString.Fault($0) }
        return model == reader ? nil : "\(query.debugDescription): the model has \(model), the reader \(reader)"
    }
}

extension ModelQueryString.Fault {
    /// - Parameter error: an error of the reader, which throws only these.
    fileprivate init(_ error: OptionError) {
        switch error {
        case .malformedQuery(.invalidEscape, let offset): self = .invalidEscape(at: offset)
        case .malformedQuery(.nul, let offset): self = .nul(at: offset)
        case .malformedQuery(.notUTF8, let offset): self = .notUTF8(at: offset)
        default: self = .invalidEscape(at: -1)
        }
    }
}
