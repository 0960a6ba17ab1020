import type { ConfigDiagnostic } from "@realmwatch/proto/svc/v1/admin_pb";
import { type RefObject, useEffect, useRef } from "react";
import { type EditorOptions, type OpenEditor, openEditor } from "./open-editor.ts";

type CueEditorProps = EditorOptions & {
  problems: readonly ConfigDiagnostic[];
  /** Receives the editor while it is open. */
  editor: RefObject<OpenEditor | undefined>;
};

/** Editor of a CUE document with its problems at their lines. */
export function CueEditor({ label, text, onChange, problems, editor }: CueEditorProps) {
  const element = useRef<HTMLDivElement>(null);
  const current = useRef({ text, onChange });
  useEffect(() => {
    current.current = { text, onChange };
  });
  useEffect(() => {
    if (element.current === null) return;
    const open = openEditor(element.current, {
      text: current.current.text,
      label,
      onChange: (next) => current.current.onChange(next),
    });
    editor.current = open;
    return () => {
      editor.current = undefined;
      open.close();
    };
  }, [label, editor]);
  useEffect(() => editor.current?.setText(text), [text, editor]);
  useEffect(() => editor.current?.setProblems(problems), [problems, editor]);
  return <div ref={element} className="card cue-editor" />;
}
