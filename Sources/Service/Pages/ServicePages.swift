/// The pages for people. They use the endpoints of the service as any other client does.
struct ServicePages: Sendable {
    /// The page at `/`, on which people try the service.
    let start: WebPage

    /// The page at `/docs`, which shows the contract and the options.
    let reference: WebPage

    /// The pages, which are the same in every service of this version.
    static let embedded = ServicePages()

    private init() {
        let style = unsafe Array(EmbeddedFile.siteStyle)
        start = unsafe WebPage(
            Array(EmbeddedFile.page),
            style: style,
            script: Array(EmbeddedFile.pageScript),
            parts: [("[/* examples */]", Array(EmbeddedFile.pageExamples))]
        )
        reference = unsafe WebPage(
            Array(EmbeddedFile.reference),
            style: style + Array(EmbeddedFile.referenceStyle),
            script: Array(EmbeddedFile.referenceScript)
        )
    }
}

/// The values of the setting `page`.
enum PageMode: String, CaseIterable {
    case on
    case off
}
