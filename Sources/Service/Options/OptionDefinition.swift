internal import Serialization

/// One option of the HTTP contract: a row of ``OptionTable``.
///
/// A row contains everything that the parser, the help, `GET /v1/serializers`, `GET /v1/profiles`, problems, the
/// contract and `docs/options.md` need to know about an option. Nothing else names the values of an option.
struct OptionDefinition: Sendable {
    let name: OptionName

    /// The allowed values of the option.
    let values: Values

    /// The meaning of the option in one or two sentences. It appears in the help, the lists and the contract.
    let summary: String

    /// Further sentences for the contract; empty if the summary is complete.
    let details: String

    /// A description of the default that depends on the response; `nil` if the default is one of the option's values.
    let derivedDefault: String?

    /// The property that the option sets.
    let target: Target

    init(
        _ name: OptionName,
        _ values: Values,
        _ target: Target,
        derivedDefault: String? = nil,
        _ summary: String,
        _ details: String = ""
    ) {
        self.name = name
        self.values = values
        self.target = target
        self.derivedDefault = derivedDefault
        self.summary = summary
        self.details = details
    }

    typealias Path<Value> = any WritableKeyPath<RequestOptions, Value> & Sendable

    /// The property that an option sets.
    enum Target: Sendable {
        /// A property of ``RequestOptions``: `read` returns its value as it is written in a query, or `nil` if it
        /// depends on the response; `write` sets a value, unless it is not allowed.
        case property(
            read: @Sendable (RequestOptions) -> String?,
            write: @Sendable (String, inout RequestOptions) throws(ValueFault) -> Void
        )

        /// A limit, which a request may lower. The bounds of the service's setting are inclusive; the upper one is the
        /// hard maximum. `note` is an additional sentence for the help of the setting.
        case limit(Path<Int>, hard: ClosedRange<Int>, note: String)

        /// The profile, which is applied before all other options.
        case profile

        /// The list of thumbnails, to which each occurrence of the option adds one.
        case thumbnails
    }

    /// The reason why a value is not allowed.
    enum ValueFault: Error {
        /// It is none of the allowed values, or does not have their form.
        case unknown
        /// A fault in its syntax, as a part of a sentence, and the value that was probably intended.
        case syntax(String, intended: String?)
    }

    /// The values of an option.
    enum Values: Equatable, Sendable {
        case boolean

        /// One of the listed values.
        case oneOf([String])

        /// One of the listed values. Another version or another configuration may have more.
        case known([String])

        /// One or more of the listed values, comma-separated, each at most once; or the alternative alone, if there is
        /// one.
        case list([String], or: String?)

        /// Text of a syntax, which is described for people and, if possible, also by a regular expression (ECMA-262).
        case text(String, pattern: String?)

        /// A decimal number above 0, at most `max`.
        case number(max: Int)

        /// A whole number from 1 to the service's own limit. The service's limit is at most the hard maximum.
        case limit
    }
}

extension OptionDefinition {
    /// The value in `options` as it is written in a query; `nil` if it depends on the response.
    func value(in options: RequestOptions) -> String? {
        switch target {
        case .property(let read, _): read(options)
        case .limit(let path, _, _): String(options[keyPath: path])
        case .profile: nil
        case .thumbnails:
            options.serialization.thumbnails.map { $0.isEmpty ? "none" : $0.map(\.text).joined(separator: "&") }
        }
    }

    /// The default under the limits of a service; `nil` if it depends on the response.
    func defaultValue(limits: Limits = Limits()) -> String? {
        if case .profile = target { return BuiltInProfile.default.rawValue }
        return derivedDefault == nil ? value(in: RequestOptions(limits: limits)) : nil
    }

    /// The default as text for people.
    func defaultDescription(limits: Limits = Limits()) -> String {
        derivedDefault ?? defaultValue(limits: limits) ?? ""
    }

    /// The allowed values as a problem lists them. A Boolean option lists its default first.
    func allowed(limits: Limits = Limits()) -> [String] {
        switch values {
        case .boolean: defaultValue() == "true" ? ["true", "false"] : ["false", "true"]
        case .oneOf(let values), .known(let values): values
        case .list(let values, let alternative): (alternative.map { [$0] } ?? []) + values
        case .text(let syntax, _): [syntax]
        case .number(let max): ["a number above 0, at most \(max)"]
        case .limit:
            switch target {
            case .limit(let path, _, _): ["1 to \(RequestOptions(limits: limits)[keyPath: path])"]
            case .property, .profile, .thumbnails: []
            }
        }
    }
}

extension OptionDefinition.Target {
    /// The property at `path`. `parse` returns the value of a text, or `nil` if the text is not allowed.
    static func property<Value>(
        _ path: OptionDefinition.Path<Value>,
        read: @escaping @Sendable (RequestOptions) -> String?,
        parse: @escaping @Sendable (String) -> Value?
    ) -> Self {
        .property(
            read: read,
            write: { text, options throws(OptionDefinition.ValueFault) in
                guard let value = parse(text) else { throw .unknown }
                options[keyPath: path] = value
            }
        )
    }

    /// The property at `path`, whose values are pointers to parts of the value.
    /// - Parameter isList: whether a comma separates pointers.
    static func parts<Value>(
        _ path: OptionDefinition.Path<Value>,
        isList: Bool,
        read: @escaping @Sendable (RequestOptions) -> String?,
        parse: @escaping @Sendable (String) throws(PartPointerError) -> Value
    ) -> Self {
        .property(
            read: read,
            write: { text, options throws(OptionDefinition.ValueFault) in
                do throws(PartPointerError) {
                    options[keyPath: path] = try parse(text)
                } catch {
                    let pointers = isList ? text.parts(separatedBy: ",", omittingEmpty: false) : [text[...]]
                    let intended = pointers.map { PartPointer.withSlash(String($0)) }.joined(separator: ",")
                    throw .syntax(error.sentence, intended: (try? parse(intended)).map { _ in intended })
                }
            }
        )
    }
}

// MARK: Rows by the type of their property

extension OptionDefinition {
    static func boolean(
        _ name: OptionName,
        _ path: Path<Bool>,
        _ summary: String,
        _ details: String = ""
    ) -> OptionDefinition {
        OptionDefinition(
            name,
            .boolean,
            .property(path, read: { String($0[keyPath: path]) }, parse: { Bool($0) }),
            summary,
            details
        )
    }

    static func choice<Value: RawRepresentable<String> & CaseIterable & Sendable>(
        _ name: OptionName,
        _ path: Path<Value>,
        _ summary: String,
        _ details: String = ""
    ) -> OptionDefinition {
        OptionDefinition(
            name,
            .oneOf(Value.allCases.map(\.rawValue)),
            .property(path, read: { $0[keyPath: path].rawValue }, parse: { Value(rawValue: $0) }),
            summary,
            details
        )
    }

    /// - Parameter byDefault: the value that `nil` represents, which may depend on the other options; `nil` if it
    ///   depends on the response.
    static func optionalChoice<Value: RawRepresentable<String> & CaseIterable & Sendable>(
        _ name: OptionName,
        _ path: Path<Value?>,
        byDefault: @escaping @Sendable (RequestOptions) -> Value?,
        derivedDefault: String? = nil,
        _ summary: String,
        _ details: String = ""
    ) -> OptionDefinition {
        OptionDefinition(
            name,
            .oneOf(Value.allCases.map(\.rawValue)),
            .property(
                path,
                read: { ($0[keyPath: path] ?? byDefault($0))?.rawValue },
                parse: { text in Value(rawValue: text).map { .some($0) } }
            ),
            derivedDefault: derivedDefault,
            summary,
            details
        )
    }

    /// An option whose value is a set; `none` is the empty set.
    static func list<Value: NamedOptionSet & Sendable>(
        _ name: OptionName,
        _ path: Path<Value>,
        _ summary: String,
        _ details: String = ""
    ) -> OptionDefinition {
        OptionDefinition(
            name,
            .list(Value.named.map(\.name), or: "none"),
            .property(
                path,
                read: { $0[keyPath: path].isEmpty ? "none" : $0[keyPath: path].names },
                parse: { text in
                    guard text != "none" else { return [] }
                    var value: Value = []
                    for part in text.parts(separatedBy: ",", omittingEmpty: false) {
                        guard let (_, element) = Value.named.first(where: { $0.name == part }),
                            value.insert(element).inserted
                        else { return nil }
                    }
                    return value
                }
            ),
            summary,
            details
        )
    }

    /// - Parameters:
    ///   - minimum: the least value of the service's setting. The largest is that of ``Limits/hardMaxima``.
    ///   - note: an additional sentence for the help of the setting.
    static func limit(
        _ name: OptionName,
        _ path: Path<Int>,
        minimum: Int = 1,
        note: String = "",
        _ summary: String,
        _ details: String = ""
    ) -> OptionDefinition {
        let maximum = RequestOptions(limits: Limits.hardMaxima)[keyPath: path]
        return OptionDefinition(name, .limit, .limit(path, hard: minimum...maximum, note: note), summary, details)
    }
}
