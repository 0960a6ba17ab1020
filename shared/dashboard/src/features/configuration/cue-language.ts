import { HighlightStyle, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { tags } from "@lezer/highlight";
import { type CueTokenKind, cueToken, startCueState } from "./cue-tokens.ts";

const tagNames: Readonly<Record<CueTokenKind, string>> = {
  comment: "comment",
  string: "string",
  number: "number",
  keyword: "keyword",
  atom: "atom",
  type: "typeName",
  field: "propertyName",
  attribute: "meta",
};

const language = StreamLanguage.define({
  name: "cue",
  startState: startCueState,
  copyState: (state) => ({ ...state }),
  token(stream, state) {
    const { end, kind } = cueToken(stream.string, stream.pos, state);
    stream.pos = Math.max(end, stream.pos + 1);
    return kind === undefined ? null : tagNames[kind];
  },
  languageData: { commentTokens: { line: "//" }, closeBrackets: { brackets: ["{", "[", "(", '"'] } },
});

// The colours are custom properties of the page, which reach into the editor's shadow tree.
const colours = HighlightStyle.define([
  { tag: tags.comment, color: "var(--muted)", fontStyle: "italic" },
  { tag: tags.string, color: "var(--cue-string)" },
  { tag: [tags.number, tags.atom], color: "var(--cue-number)" },
  { tag: tags.keyword, color: "var(--cue-keyword)", fontWeight: "600" },
  { tag: tags.typeName, color: "var(--cue-type)" },
  { tag: tags.propertyName, color: "var(--ink)", fontWeight: "560" },
  { tag: tags.meta, color: "var(--cue-type)" },
]);

/** CUE with colours for an editor. */
export const cueLanguage = [language, syntaxHighlighting(colours)];
