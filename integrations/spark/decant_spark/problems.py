"""Problems of this package, with the members of the problems of Decant (docs/calling.md)."""

import json

# A response ended the program, or the program ended before the end of a file.
PROCESS_ENDED = "batch.process_ended"
# The columns of a row are not a response. The program uses the same code for items that are not a response.
INVALID_ITEM = "batch.invalid_item"
# A file cannot be read to its end. The program uses the same code.
UNREADABLE_INPUT = "batch.unreadable_input"

# The title, the status, the domain, the number in it, the stage, and the cause.
_DEFINITIONS = {
    PROCESS_ENDED: ("Process ended", 500, "decant.service", 21, "service", "service"),
    INVALID_ITEM: ("Invalid item", 400, "decant.request", 21, "request", "request"),
    UNREADABLE_INPUT: ("Unreadable input", 400, "decant.request", 22, "request", "request"),
}


def problem(code, detail):
    """Returns the JSON text of a problem, as bytes."""
    title, status, domain, number, stage, cause = _DEFINITIONS[code]
    members = {
        "type": f"/problems/{code}",
        "title": title,
        "status": status,
        "detail": detail,
        "code": code,
        "cause": cause,
        "retryable": False,
        "chain": [{"domain": domain, "domainCode": number, "code": code, "stage": stage, "message": detail}],
    }
    return json.dumps(members, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
