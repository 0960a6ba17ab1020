import { never } from "@realmwatch/shared/model/never";
import { counted } from "@realmwatch/shared/view/plural";
import { useQueryClient } from "@tanstack/react-query";
import { useBlocker } from "@tanstack/react-router";
import { type RefObject, useRef, useState } from "react";
import { ActionButton } from "../../components/controls/action-button.tsx";
import { FailureText } from "../../components/feedback/failure-text.tsx";
import { ConfigReview, type ReviewProps } from "./config-review.tsx";
import { CueEditor } from "./cue-editor.tsx";
import type { OpenEditor } from "./open-editor.ts";
import { useValidation, type Validation } from "./use-validation.ts";
import "./configuration.css";
import "../../components/object/word.css";

type WorkbenchProps = Pick<ReviewProps, "client" | "realm" | "reload"> & {
  /** Running document at the time when it was loaded. */
  document: string;
  changedOnDisk: boolean;
};

/** Editor of the configuration with its problems, and the review before it is applied. */
export function ConfigWorkbench({ client, realm, document, changedOnDisk, reload }: WorkbenchProps) {
  const [text, setText] = useDraft(realm, document);
  const [reviewing, setReviewing] = useState(false);
  const editor = useRef<OpenEditor>(undefined);
  const validation = useValidation(client, realm, text);
  const isChanged = text !== document;
  useBlocker({ shouldBlockFn: () => false, enableBeforeUnload: isChanged });
  if (reviewing)
    return (
      <ConfigReview
        {...{ client, realm, document, text, reload }}
        onBack={() => setReviewing(false)}
        onTakeTheirs={setText}
        onApplied={() => setReviewing(false)}
      />
    );
  const name = realm === "" ? "Configuration" : `Configuration of ${realm}`;
  return (
    <>
      <div className="wrapped config-bar">
        <ValidationText validation={validation} />
        {isChanged && <span className="config-changed">Changed</span>}
        {changedOnDisk && (
          <span className="warning-text">The file on disk is another document than the running one.</span>
        )}
        <span className="wrapped tools">
          <ActionButton disabled={!isChanged} onClick={() => setText(document)}>
            Discard changes
          </ActionButton>
          <ActionButton
            tone="primary"
            disabled={!isChanged || validation.state !== "valid"}
            onClick={() => setReviewing(true)}
          >
            Review changes
          </ActionButton>
        </span>
      </div>
      {validation.state === "failed" && (
        <FailureText error={validation.error} what="The text could not be validated." />
      )}
      <CueEditor
        label={name}
        text={text}
        onChange={setText}
        problems={validation.state === "refused" ? validation.problems : noProblems}
        editor={editor}
      />
      <p className="hint">Ctrl+F finds. Tab indents; Escape, then Tab leaves the editor.</p>
      {validation.state === "refused" && <Problems problems={validation.problems} editor={editor} />}
    </>
  );
}

const noProblems: Extract<Validation, { state: "refused" }>["problems"] = [];

/** Text of the editor. It is kept while other pages are open, until the tab is closed or the user signs out. */
function useDraft(realm: string, document: string): readonly [text: string, set: (text: string) => void] {
  const queryClient = useQueryClient();
  const key = ["configuration draft", realm];
  const [text, setText] = useState(() => queryClient.getQueryData<string>(key) ?? document);
  const set = (next: string): void => {
    setText(next);
    queryClient.setQueryDefaults(key, { gcTime: Number.POSITIVE_INFINITY });
    queryClient.setQueryData(key, next);
  };
  return [text, set];
}

function ValidationText({ validation }: { validation: Validation }) {
  switch (validation.state) {
    case "validating":
      return <span className="word config-state">Validating…</span>;
    case "valid":
      return <span className="word config-state is-good">Valid</span>;
    case "failed":
      return <span className="word config-state is-bad">Not validated</span>;
    case "refused": {
      const { length } = validation.problems;
      return (
        <span className="word config-state is-bad" role="status">
          {counted(length, "problem")}
        </span>
      );
    }
    default:
      return never(validation);
  }
}

type ProblemsProps = {
  problems: Extract<Validation, { state: "refused" }>["problems"];
  editor: RefObject<OpenEditor | undefined>;
};

/** Problems in the order of the server; each leads to its place. */
function Problems({ problems, editor }: ProblemsProps) {
  return (
    <ol className="card config-problems" aria-label="Problems">
      {problems.map(({ line, column, message }) => (
        <li key={`${line}:${column}:${message}`}>
          <button type="button" className="config-problem" onClick={() => editor.current?.jumpTo(line, column)}>
            <code>
              {line}:{column}
            </code>
            <span>{message}</span>
          </button>
        </li>
      ))}
    </ol>
  );
}
