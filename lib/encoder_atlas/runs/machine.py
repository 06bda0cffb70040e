"""Which machine this is, for files that several may share."""

import platform
import re

HOST = re.sub(r"[^\w.-]", "-", platform.node()) or "here"
