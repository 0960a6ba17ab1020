import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, indentOnInput, indentUnit } from "@codemirror/language";
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import type { ConfigDiagnostic } from "@realmwatch/proto/svc/v1/admin_pb";
import { offsetOf } from "./config-problem.ts";
import { cueLanguage } from "./cue-language.ts";

/** Editor of a document in an element. */
export type OpenEditor = {
  /** Replaces the text unless the editor has it already. */
  setText(text: string): void;
  /** Marks problems at their lines. */
  setProblems(problems: readonly ConfigDiagnostic[]): void;
  /** Moves the cursor to a line and column, which start at 1, and focuses the editor. */
  jumpTo(line: number, column: number): void;
  close(): void;
};

export type EditorOptions = {
  readonly text: string;
  readonly label: string;
  readonly onChange: (text: string) => void;
};

const theme = EditorView.theme({
  "&": { height: "100%", color: "var(--ink)", backgroundColor: "var(--surface)", fontSize: "13px" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55" },
  ".cm-content": { caretColor: "var(--ink)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": { backgroundColor: "var(--surface)", color: "var(--muted)", borderRight: "1px solid var(--line)" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "color-mix(in oklab, var(--accent) 7%, transparent)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    background: "color-mix(in oklab, var(--accent) 26%, transparent)",
  },
  ".cm-panels": { backgroundColor: "var(--raised)", color: "var(--ink)", borderColor: "var(--line)" },
  ".cm-tooltip": { backgroundColor: "var(--raised)", color: "var(--ink)", border: "1px solid var(--line)" },
  ".cm-textfield, .cm-button": {
    background: "var(--surface)",
    color: "var(--ink)",
    border: "1px solid var(--line-strong)",
    borderRadius: "4px",
  },
});

/**
 * Opens an editor in a shadow tree of the element. In one, CodeMirror adopts its style sheet; elsewhere it would insert a
 * style element, which the content security policy forbids.
 */
export function openEditor(element: HTMLElement, { text, label, onChange }: EditorOptions): OpenEditor {
  const root = element.shadowRoot ?? element.attachShadow({ mode: "open" });
  // The page takes the element for what has the focus, and would run its shortcuts for typed letters.
  const keepKeys = (event: KeyboardEvent): void => event.stopPropagation();
  element.addEventListener("keydown", keepKeys);
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        ...[lineNumbers(), highlightActiveLineGutter(), history(), drawSelection(), indentOnInput(), bracketMatching()],
        ...[
          highlightActiveLine(),
          highlightSelectionMatches(),
          search({ top: true }),
          lintGutter(),
          cueLanguage,
          theme,
        ],
        indentUnit.of("\t"),
        EditorState.tabSize.of(4),
        keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap, ...lintKeymap, indentWithTab]),
        EditorView.contentAttributes.of({ "aria-label": label }),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (docChanged) onChange(state.doc.toString());
        }),
      ],
    }),
  });
  const documentText = (): string => view.state.doc.toString();
  return {
    setText(next) {
      if (next !== documentText()) view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } });
    },
    setProblems(problems) {
      const current = documentText();
      const marks = problems.map(({ line, column, message }): Diagnostic => {
        const from = offsetOf(current, line, column);
        const word = /^[^\s,:{}[\]]+/.exec(current.slice(from, from + 200))?.[0].length ?? 1;
        return { from, to: Math.min(current.length, from + word), severity: "error", message };
      });
      view.dispatch(setDiagnostics(view.state, marks));
    },
    jumpTo(line, column) {
      const at = offsetOf(documentText(), line, column);
      view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
      view.focus();
    },
    close() {
      element.removeEventListener("keydown", keepKeys);
      view.destroy();
    },
  };
}
