"""What the book's pages need beyond Jupyter Book: no thebe, and each chapter's notebook without outputs."""

import re
from pathlib import Path
from typing import Any

import myst_nb.core.render
from sphinx.application import Sphinx

THEBE = "sphinx_thebe"
CLEAN_NOTEBOOKS = "notebooks"


def turn_off_thebe(app: Sphinx, _config: object) -> None:
    """Undo what sphinx-thebe, which Jupyter Book always loads, has set up.

    It names an outside host on every page and declares one constant twice, an error in every console.
    """
    for listeners in list(app.events.listeners.values()):
        for listener in list(listeners):
            if listener.handler.__module__.startswith(THEBE):
                app.disconnect(listener.id)
    styles = app.registry.css_files
    styles[:] = [(name, attributes) for name, attributes in styles if "thebe" not in name]


def offer_clean_notebook(
    app: Sphinx, pagename: str, _template: str, context: dict[str, Any], _doctree: object
) -> None:
    """Add the notebook as it is before running to the download menu of the page that shows it run."""
    name = f"{Path(pagename).name}.ipynb"
    for folder in app.config.html_static_path:
        if (Path(app.confdir) / folder / CLEAN_NOTEBOOKS / name).is_file():
            break
    else:
        return
    button = {
        "type": "link",
        "url": context["pathto"](f"_static/{CLEAN_NOTEBOOKS}/{name}", resource=True),
        "text": ".ipynb, not run",
        "icon": "fas fa-broom",
        "tooltip": "Download the notebook without outputs",
        "label": "download-clean-notebook-button",
    }
    for group in context.get("header_buttons", []):
        if group.get("label") == "download-buttons":
            group["buttons"].insert(0, button)


def safe_in_script(content: str) -> str:
    """Widget state as it may stand in a script tag, whatever sentences it holds.

    myst-nb escapes ``</script>`` alone; ``<!--`` with ``<script`` after it would swallow the rest of a page.
    """
    return re.sub(r"<(?=!--|/?script)", r"\\u003c", content, flags=re.IGNORECASE)


def setup(app: Sphinx) -> dict[str, bool]:
    myst_nb.core.render.sanitize_script_content = safe_in_script
    # Early, so that thebe is gone before anything is initialised; late, so that the theme's menu is there.
    app.connect("config-inited", turn_off_thebe, priority=0)
    app.connect("html-page-context", offer_clean_notebook, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
