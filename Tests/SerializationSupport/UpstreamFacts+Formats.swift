package import Serialization

/// The facts about content of one format; `nil` for other content.
extension UpstreamFacts {
    package var xml: XMLFacts? { if case .xml(let facts)? = content { facts } else { nil } }

    package var form: FormFacts? { if case .form(let facts)? = content { facts } else { nil } }

    package var events: EventStreamFacts? { if case .events(let facts)? = content { facts } else { nil } }

    package var csv: CSVFacts? { if case .csv(let facts)? = content { facts } else { nil } }

    package var feed: FeedFacts? { if case .feed(let facts)? = content { facts } else { nil } }
}
