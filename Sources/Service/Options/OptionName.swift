/// The name of an option. A query parameter, a member of a profile and a flag on the command line have the same name.
enum OptionName: String, CaseIterable, Sendable {
    case serializer
    case profile
    case view
    case type
    case acceptStatus = "accept-status"
    case acceptTypes = "accept-types"
    case nulls
    case select
    case selectMissing = "select-missing"
    case omit
    case upstreamHeaders = "upstream-headers"
    case hints
    case fragments
    case duplicates
    case surrogates
    case lenient
    case records
    case keys
    case canonical
    case prefixes
    case xmlArrays = "xml-arrays"
    case xmlText = "xml-text"
    case xmlNames = "xml-names"
    case xmlTrim = "xml-trim"
    case formArrays = "form-arrays"
    case csvDelimiter = "csv-delimiter"
    case csvQuote = "csv-quote"
    case csvEscape = "csv-escape"
    case csvHeader = "csv-header"
    case csvEmpty = "csv-empty"
    case eventsData = "events-data"
    case archive
    case scale
    case thumbnail
    case decode
    case placeholder
    case fingerprint
    case exif
    case truncated
    case maxContentBytes = "max-content-bytes"
    case maxDecodedBytes = "max-decoded-bytes"
    case maxContentCodings = "max-content-codings"
    case maxOutputBytes = "max-output-bytes"
    case maxNestingDepth = "max-nesting-depth"
    case maxNumberBytes = "max-number-bytes"
    case maxKeyBytes = "max-key-bytes"
    case maxObjectMembers = "max-object-members"
    case maxWarnings = "max-warnings"
    case maxPointerBytes = "max-pointer-bytes"
    case maxXMLEntityExpansionBytes = "max-xml-entity-expansion-bytes"
    case maxXMLAttributes = "max-xml-attributes"
    case maxImagePixels = "max-image-pixels"
    case maxImageSide = "max-image-side"
    case maxImageFrames = "max-image-frames"
    case maxJPEGScans = "max-jpeg-scans"
    case maxThumbnails = "max-thumbnails"
    case maxThumbnailSide = "max-thumbnail-side"
}
