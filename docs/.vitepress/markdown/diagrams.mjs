import { renderMermaidSVG } from "beautiful-mermaid";

/** Colours of the site, which follow its light or dark theme. */
const colors = {
  bg: "var(--vp-c-bg)",
  fg: "var(--vp-c-text-1)",
  line: "var(--vp-c-text-2)",
  accent: "var(--vp-c-brand-1)",
  muted: "var(--vp-c-text-2)",
  surface: "var(--vp-c-bg-soft)",
  border: "var(--vp-c-text-3)",
};

/** Draws the diagrams in Mermaid's language while the site is built, so that a page needs no script for them. */
export function drawDiagrams(markdown) {
  const render = markdown.renderer.rules.fence;
  markdown.renderer.rules.fence = (tokens, at, ...rest) => {
    const { info, content } = tokens[at];
    if (info.trim() !== "mermaid") return render(tokens, at, ...rest);
    const svg = renderMermaidSVG(content, { ...colors, transparent: true }).replace(/@import url\([^)]*\);?/g, "");
    // As a value: the compiler of pages would take the drawing's styles out of it.
    const value = markdown.utils.escapeHtml(JSON.stringify(svg));
    return `<div class="diagram" role="img" aria-label="Diagram" v-html="${value}"></div>\n`;
  };
}
