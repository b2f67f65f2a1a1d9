internal import Fetching
internal import Serialization

// The documents that list the choices of a request: `GET /v1/serializers` and `GET /v1/profiles`.

extension Document {
    static func serializers(limits: Limits) -> Document {
        var writer = JSONWriter(capacity: 4096)
        writer.beginObject()
        writer.name("serializers")
        writer.beginArray()
        writer.beginObject()
        writer.member("name", "auto")
        writer.member(
            "summary",
            "Selects the serializer by the media type, then by the structured suffix, then by the signature of "
                + "the content."
        )
        writer.name("mediaTypes")
        writer.beginObject()
        writer.name(BuiltInProfile.default.rawValue)
        writer.strings(MediaTypeSet.auto.descriptions)
        writer.endObject()
        writer.endObject()
        for kind in SerializerKind.allCases {
            writer.beginObject()
            writer.member("name", kind.rawValue)
            writer.member("summary", kind.summary)
            writer.name("mediaTypes")
            writer.beginObject()
            for profile in BuiltInProfile.allCases {
                writer.name(profile.rawValue)
                writer.strings(kind.acceptableMediaTypes(under: profile.serialization.rules).descriptions)
            }
            writer.endObject()
            writer.endObject()
        }
        writer.endArray()
        writer.name("options")
        writer.beginArray()
        for definition in OptionTable.all { writer.option(definition, limits) }
        writer.endArray()
        writer.endObject()
        return Document(json: writer.finish())
    }

    /// Returns the list of profiles. Each profile is complete, so that it can be loaded again without the profile that
    /// it extends.
    static func profiles(_ profiles: [Profile], limits: Limits) -> Document {
        var writer = JSONWriter(capacity: 2048)
        writer.beginObject()
        writer.name("profiles")
        writer.beginArray()
        for profile in profiles {
            writer.beginObject()
            writer.member("name", profile.name)
            writer.member("summary", profile.summary)
            writer.member("rules", profile.serialization.rules.rawValue)
            writer.profile(profile.options(limits: limits))
            if !profile.fetch.isEmpty {
                writer.name("fetch")
                writer.fetch(profile.fetch)
            }
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return Document(json: writer.finish()).changing()
    }
}

extension JSONWriter {
    fileprivate mutating func option(_ definition: OptionDefinition, _ limits: Limits) {
        beginObject()
        member("name", definition.name.rawValue)
        member("type", definition.type)
        switch definition.values {
        case .boolean: break
        case .oneOf(let values), .known(let values):
            name("values")
            strings(values)
        case .list(let values, let alternative):
            name("values")
            strings((alternative.map { [$0] } ?? []) + values)
            member("list", true)
        case .text(let form, _): member("form", form)
        case .number(let max):
            member("form", "a decimal number above 0")
            member("maximum", max)
        case .limit:
            member("minimum", 1)
            if case .limit(let path, let hard, _) = definition.target {
                member("maximum", RequestOptions(limits: limits)[keyPath: path])
                member("hardMaximum", hard.upperBound)
            }
        }
        member("default", definition.defaultValue(limits: limits))
        member("derivedDefault", definition.derivedDefault)
        member("summary", definition.summary)
        endObject()
    }

    /// Writes the members that the profile sets, as they are written in `POST /v1/fetch`.
    fileprivate mutating func fetch(_ fetch: FetchPreferences) {
        beginObject()
        for (parameter, preference) in FetchParameter.preferences {
            switch preference {
            case .fields:
                guard !fetch.fields.isEmpty else { break }
                name(parameter.rawValue)
                beginArray()
                for field in fetch.fields { strings([field.name, field.value]) }
                endArray()
            case .choice(let choice):
                guard let value = choice.get(fetch) else { break }
                name(parameter.rawValue)
                string(value)
            case .boolean(let path):
                guard let value = fetch[keyPath: path] else { break }
                name(parameter.rawValue)
                boolean(value)
            case .integer(let path, _, _):
                guard let value = fetch[keyPath: path] else { break }
                name(parameter.rawValue)
                integer(value)
            }
        }
        endObject()
    }

    /// Writes the fixed values of options in `options`, and descriptions of the derived values in `derived`.
    fileprivate mutating func profile(_ profile: RequestOptions) {
        let options = OptionTable.all.filter { $0.name != .profile }
        name("options")
        beginObject()
        for definition in options {
            guard let value = definition.value(in: profile) else { continue }
            name(definition.name.rawValue)
            string(value)
        }
        endObject()
        name("derived")
        beginObject()
        for definition in options where definition.value(in: profile) == nil {
            name(definition.name.rawValue)
            string(definition.defaultDescription())
        }
        endObject()
    }
}

extension OptionDefinition {
    /// The JSON type of the value.
    fileprivate var type: String {
        switch values {
        case .boolean: "boolean"
        case .limit: "integer"
        case .number: "number"
        case .oneOf, .known, .list, .text: "string"
        }
    }
}
