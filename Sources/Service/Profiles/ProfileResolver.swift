internal import Fetching
internal import Serialization

/// Completes the profiles of a file: each begins with the options of the profile that it extends.
///
/// Profiles may be in any order. A profile with the name of a built-in profile must be equal to it. Therefore the
/// response of `GET /v1/profiles` can be loaded without changes.
struct ProfileResolver {
    private enum State {
        case unresolved
        /// The profile, or a profile that it extends, is being resolved.
        case resolving
        /// `depth` is the number of profiles of the file that it extends, including itself. The profile is `nil` if one
        /// of them has an error.
        case resolved(Profile?, depth: Int)
    }

    private let drafts: [ProfilesReader.Draft]
    private let limits: Limits
    private var states: [State]
    private var indices: [String: Int] = [:]
    private(set) var faults: ConfigurationFileFaults

    /// The maximum number of profiles of the file in one chain of `extends`.
    static let maxDepth = 16

    /// The options that a profile has.
    static let names = OptionName.allCases.filter { $0 != .profile }

    init(_ drafts: [ProfilesReader.Draft], limits: Limits, faults: ConfigurationFileFaults) {
        self.drafts = drafts
        self.limits = limits
        self.faults = faults
        states = drafts.map { _ in .unresolved }
        for (index, draft) in drafts.enumerated() where !draft.name.isEmpty {
            if let first = indices[draft.name] {
                self.faults.report(
                    "the profile '\(draft.name)' is repeated",
                    draft.location,
                    first: drafts[first].location.byte
                )
            } else {
                indices[draft.name] = index
            }
        }
    }

    /// Returns the profiles that are not built in, in the order of the file.
    mutating func resolve() -> [Profile] {
        drafts.indices.compactMap { index in
            let profile = resolve(index, depth: 1).profile
            guard let profile, BuiltInProfile(rawValue: profile.name) == nil else { return nil }
            return profile
        }
    }

    private mutating func resolve(_ index: Int, depth: Int) -> (profile: Profile?, depth: Int) {
        switch states[index] {
        case .resolved(let profile, let depth): return (profile, depth)
        case .resolving, .unresolved: break
        }
        states[index] = .resolving
        let draft = drafts[index]
        var result: (profile: Profile?, depth: Int) = (nil, 1)
        if let (base, baseDepth) = base(of: draft, depth: depth) {
            result = (draft.isInvalid ? nil : complete(draft, from: base), baseDepth + 1)
        }
        states[index] = .resolved(result.profile, depth: result.depth)
        return result
    }

    /// Returns the profile that a draft extends; `nil` if it cannot be resolved.
    private mutating func base(of draft: ProfilesReader.Draft, depth: Int) -> (profile: Profile, depth: Int)? {
        if let builtIn = BuiltInProfile(rawValue: draft.name) { return (Profile(builtIn), 0) }
        guard let (name, location) = draft.extends else { return (Profile(.default), 0) }
        guard let index = indices[name] else {
            if let builtIn = BuiltInProfile(rawValue: name) { return (Profile(builtIn), 0) }
            let known = BuiltInProfile.allCases.map(\.rawValue) + drafts.map(\.name)
            let nearest = NearestName.nearest(to: name, in: known)
            let listed = ProfileSet.listed(known.filter { !$0.isEmpty }, for: name).joined(separator: ", ")
            let remedy = nearest.map { "Did you mean '\($0)'?" } ?? "Allowed: \(listed)"
            faults.report("there is no profile '\(name)' to extend. \(remedy)", location)
            return nil
        }
        if case .resolving = states[index] {
            faults.report("the profile '\(draft.name)' extends itself through '\(name)'", location)
            return nil
        }
        guard depth < Self.maxDepth else {
            reportDepth(location)
            return nil
        }
        let (profile, baseDepth) = resolve(index, depth: depth + 1)
        guard let profile else { return nil }
        guard baseDepth < Self.maxDepth else {
            reportDepth(location)
            return nil
        }
        return (profile, baseDepth)
    }

    private mutating func reportDepth(_ location: JSONDocumentLocation) {
        faults.report("more than \(Self.maxDepth) profiles extend each other", location)
    }

    // MARK: One profile

    /// Applies the options of a draft to those of `base`. Returns `nil` after an error.
    private mutating func complete(_ draft: ProfilesReader.Draft, from base: Profile) -> Profile? {
        var options = base.options(limits: limits)
        var lowered = base.limits
        if let rules = draft.rules { options.serialization.rules = rules }
        let found = faults.count
        for (name, value, location) in draft.options {
            if name == .thumbnail { options.serialization.thumbnails = nil }
            do throws(OptionError) {
                for text in value.texts { try OptionParser.apply(name, text, to: &options, within: limits) }
            } catch {
                if !reportElements(of: name, value, base) { faults.report(error.messageInProfile, location) }
                continue
            }
            if case .limit(let path, _, _) = OptionTable[name].target {
                let value = options[keyPath: path]
                lowered[name] = value < RequestOptions(limits: limits)[keyPath: path] ? value : nil
            }
        }
        applyFetch(of: draft, to: &options.fetch)
        check(options, draft)
        if let builtIn = BuiltInProfile(rawValue: draft.name) {
            checkUnchanged(draft, options, builtIn)
        }
        guard faults.count == found else { return nil }
        return Profile(
            name: draft.name,
            summary: draft.summary,
            serialization: options.serialization,
            limits: lowered,
            fetch: options.fetch
        )
    }

    /// Applies the options of a fetch to the inherited ones, whose fields are limited together.
    private mutating func applyFetch(of draft: ProfilesReader.Draft, to fetch: inout FetchPreferences) {
        for member in draft.fetch {
            member.set(&fetch)
            guard member.parameter == .headers else { continue }
            do throws(FieldRejection) {
                fetch.fields = try FieldRules.check(fetch.fields)
            } catch { faults.report(error.messageInProfile, member.location) }
        }
    }

    /// Reports the elements of a list that are invalid regardless of the others.
    /// - Returns: whether there are any.
    private mutating func reportElements(of name: OptionName, _ value: ProfilesReader.Value, _ base: Profile) -> Bool {
        let found = faults.count
        for (text, location) in value.elements {
            var options = base.options(limits: limits)
            options.serialization.thumbnails = nil
            do throws(OptionError) {
                try OptionParser.apply(name, text, to: &options, within: limits)
            } catch { faults.report(error.messageInProfile, location) }
        }
        return faults.count > found
    }

    /// Checks the rules that concern several options.
    private mutating func check(_ options: RequestOptions, _ draft: ProfilesReader.Draft) {
        do {
            try OptionParser.checkImageOptions(options, [])
        } catch { faults.report(error.messageInProfile, draft.location) }
        for (name, location) in draft.derived {
            if let value = OptionTable[name].value(in: options) {
                faults.report(
                    "the option '\(name.rawValue)' is listed in 'derived', and the profile sets it to "
                        + "'\(value.excerpt)'",
                    location
                )
            }
        }
    }

    /// Rejects a profile with the name of a built-in one that differs from it.
    private mutating func checkUnchanged(
        _ draft: ProfilesReader.Draft,
        _ options: RequestOptions,
        _ builtIn: BuiltInProfile
    ) {
        let own = Profile(builtIn).options(limits: limits)
        let advice = "it is built in and cannot be changed; give the profile another name, and extend '\(draft.name)'"
        if let (name, location) = draft.extends {
            faults.report("the profile '\(draft.name)' extends '\(name)': \(advice)", location)
        }
        if options.serialization.rules != own.serialization.rules {
            faults.report("the profile '\(draft.name)' has other rules: \(advice)", draft.location)
        }
        for (name, _, location) in draft.options
        where OptionTable[name].value(in: options) != OptionTable[name].value(in: own) {
            let value = OptionTable[name].value(in: own) ?? OptionTable[name].defaultDescription(limits: limits)
            faults.report(
                "the option '\(name.rawValue)' of the profile '\(draft.name)' is '\(value.excerpt)': \(advice)",
                location
            )
        }
        for member in draft.fetch {
            var changed = own.fetch
            member.set(&changed)
            guard changed != own.fetch else { continue }
            faults.report(
                "the member '\(member.parameter.rawValue)' of the profile '\(draft.name)' has another value: \(advice)",
                member.location
            )
        }
    }
}

extension OptionError {
    /// The error as a sentence for the author of a profile.
    fileprivate var messageInProfile: String {
        switch self {
        case .limitRaised(let option, let got, let max):
            "the option '\(option.rawValue)' cannot be '\(got.excerpt)': "
                + "a profile may lower this limit of the service, but not raise it; allowed: 1 to \(max)"
        case .malformedQuery, .unknownName, .notAvailable, .repeated, .invalidValue, .invalidSyntax, .invalidPart:
            message
        }
    }
}
