"""The search of the docs where pages are opened from a disk: browsers refuse workers there.

A hook of mkdocs. The theme would fetch a replacement for workers from the network; this one is written into the pages.
"""

from typing import Any

FETCHED = '<script src="https://unpkg.com/iframe-worker/shim"></script>'
WORKER = """<script>
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      this.waiting = []
      const frame = document.createElement("iframe")
      frame.hidden = true
      document.body.append(frame)
      const inner = this.inner = frame.contentWindow
      inner.postMessage = data => this.dispatchEvent(new MessageEvent("message", { data }))
      inner.importScripts = (...scripts) => scripts.forEach(script => this.load(script))
      this.load(url).onload = () => {
        const waiting = this.waiting
        this.waiting = null
        waiting.forEach(data => this.postMessage(data))
      }
    }
    load(url) {
      const script = this.inner.document.createElement("script")
      script.src = new URL(url, location.href).href
      this.inner.document.body.append(script)
      return script
    }
    postMessage(data) {
      if (this.waiting) this.waiting.push(data)
      else this.inner.dispatchEvent(new this.inner.MessageEvent("message", { data }))
    }
    terminate() {}
  }
}
</script>"""


def on_post_page(output: str, **_: Any) -> str:
    """Called by mkdocs with each finished page."""
    return output.replace(FETCHED, WORKER)


def on_post_template(output_content: str, **_: Any) -> str:
    """Called by mkdocs with each page of the theme itself."""
    return output_content.replace(FETCHED, WORKER)
