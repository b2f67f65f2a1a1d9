/// The names of all answers that no worker of the service would send, and that `FaultyWorker` sends.
public let invalidAnswers = [
    "short", "trailing", "empty", "less", "more", "no json", "two values", "an array", "duplicate members", "too deep",
    "space", "not UTF-8", "no insertion", "an insertion at the start", "an insertion outside", "a negative insertion",
    "many thumbnails", "a large thumbnail", "a wrong signature", "a wrong format", "a warning outside",
    "an unknown warning", "many warnings", "an error outside", "an error of the service",
]
