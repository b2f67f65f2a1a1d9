"""The public suites that `make suites` fetches."""
import os

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def suite(path):
    """Returns the location of a file or folder: in SUITES_FOLDER; by default in .suites, or in the folder of corpora
    next to the checkout."""
    chosen = os.environ.get("SUITES_FOLDER")
    folders = [chosen] if chosen else [os.path.join(ROOT, ".suites"), os.path.join(ROOT, "../shared/corpora")]
    candidates = [os.path.join(folder, path) for folder in folders]
    return next(filter(os.path.exists, candidates), candidates[0])
