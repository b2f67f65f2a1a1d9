"""Normalizes tables of upstream responses, and web archives, with `decant batch` in the tasks of Apache Spark."""

from .archives import read_warc
from .program import ProgramError
from .tables import normalize

__all__ = ["ProgramError", "normalize", "read_warc"]
