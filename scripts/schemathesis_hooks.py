"""Lets schemathesis send messages: it knows no serializer for their media types."""

import schemathesis

schemathesis.serializer.alias(["application/http", "message/http"], "application/octet-stream")
