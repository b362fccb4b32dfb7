"""Reads an animated SVG as a viewer does: which texts are visible at a moment."""

import re
from xml.etree import ElementTree

SVG = "{http://www.w3.org/2000/svg}"


class Film:
    """The recording, or what `animate` made of a test's frames."""

    def __init__(self, svg: str):
        self.root = ElementTree.fromstring(svg)
        css = self.root.findtext(f"{SVG}style") or ""
        self.seconds = float(re.findall(r"animation:([\d.]+)s step-end infinite", css)[0])
        self._keyframes = {
            name: [
                (float(at), shown == "visible") for at, shown in re.findall(r"([\d.]+)%\{visibility:(\w+)\}", body)
            ]
            for name, body in re.findall(r"@keyframes (\w+)\{(.*?\})\}", css)
        }
        self._poster = set(re.findall(r"#(\w+)\{animation-name:\w+;visibility:visible\}", css))

    def text_at(self, seconds: float) -> str:
        """Return what is visible then, a line for each height."""
        percent = 100 * seconds / self.seconds
        shown = {
            name
            for name, moments in self._keyframes.items()
            if [is_shown for at, is_shown in moments if at <= percent][-1]
        }
        return self._text(shown)

    def poster_text(self) -> str:
        """Return what a viewer shows that doesn't animate."""
        return self._text(self._poster)

    def _text(self, shown: set[str]) -> str:
        lines: dict[float, list[tuple[float, str]]] = {}
        for group in self.root.findall(f"{SVG}g"):
            if group.get("id") is not None and group.get("id") not in shown:
                continue
            for text in group.iter(f"{SVG}text"):
                line = lines.setdefault(float(text.get("y", "0")), [])
                line.append((float(text.get("x", "0")), text.text or ""))
        return "\n".join(" ".join(words for _, words in sorted(line)) for _, line in sorted(lines.items()))
