"""All tests share one kernel cache of their own, so that they neither read nor fill the user's."""

import os
import tempfile
from pathlib import Path

os.environ.setdefault("TRUNDLE_CACHE_DIR", str(Path(tempfile.gettempdir()) / f"trundle-tests-{os.getuid()}"))
