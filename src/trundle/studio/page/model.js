// The text of a model with its lines, and the faults at them.

class Sheet {
  constructor(build) {
    this.marked = new Set();
    $("text").addEventListener("input", () => { $("edited").textContent = "changed: build it to use it"; this.number(); });
    $("text").addEventListener("scroll", () => { $("lines").scrollTop = $("text").scrollTop; });
    $("build").addEventListener("click", () => build($("text").value));
  }

  show(text, editable) {
    $("text").value = text;
    $("text").readOnly = !editable;
    $("build").disabled = !editable;
    $("edited").textContent = editable ? "" : "This example is made in Python; here is its source.";
    this.faults([]);
  }

  number() {
    const count = $("text").value.split("\n").length;
    $("lines").replaceChildren(...Array.from({ length: count }, (_, i) => part("span", this.marked.has(i + 1) ? "bad" : "", String(i + 1))));
  }

  faults(found) {
    this.marked = new Set(found.map(([line]) => line).filter((line) => line > 0));
    $("faults").hidden = !found.length;
    $("faults").replaceChildren(...found.map(([line, text]) => {
      const entry = document.createElement("li"), go = document.createElement("button");
      if (line) go.append(part("b", "", `line ${line}: `));
      go.append(text);
      go.addEventListener("click", () => this.go(line));
      entry.append(go);
      return entry;
    }));
    this.number();
    if (this.marked.size) this.go(Math.min(...this.marked), false);
  }

  go(line, focus = true) {
    if (!line) return;
    const box = $("text"), before = box.value.split("\n").slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
    const end = box.value.indexOf("\n", before);
    if (focus) { box.focus(); box.setSelectionRange(before, end < 0 ? box.value.length : end); }
    box.scrollTop = Math.max(0, (line - 5) * 18);
    $("lines").scrollTop = box.scrollTop;
  }
}

// Description, seals and bond graph.
function showStructure(found) {
  $("describe").textContent = found.describe;
  $("causality").textContent = found.causality;
  const line = (tag, cells) => { const row = document.createElement("tr"); row.append(...cells.map((c) => part(tag, "", c))); return row; };
  $("seals").replaceChildren(line("th", found.header), ...found.rows.map((cells) => line("td", cells)));
  if ($("graph").src) URL.revokeObjectURL($("graph").src);
  $("graph").src = URL.createObjectURL(new Blob([found.svg], { type: "image/svg+xml" }));
}
