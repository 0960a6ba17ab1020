import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useCall } from "../../api/commands/use-call.ts";
import { useAppContext } from "../../api/context/app-context.tsx";
import { addNotice } from "../../api/context/notice.ts";
import type { AdminClient } from "../../api/server/admin-client.ts";
import { ActionButton } from "../../components/controls/action-button.tsx";
import { CheckField } from "../../components/controls/form-fields.tsx";
import { EmptyState } from "../../components/feedback/empty-state.tsx";
import { FailureText } from "../../components/feedback/failure-text.tsx";
import { ChangesSummary } from "./changes-summary.tsx";
import { DocumentDiff } from "./document-diff.tsx";

export type ReviewProps = {
  client: AdminClient;
  realm: string;
  /** Document that the text was made from. */
  document: string;
  text: string;
  /** Loads the running document again and returns it. */
  reload: () => Promise<string | undefined>;
  onBack: () => void;
  /** Replaces the text by the document that runs now. */
  onTakeTheirs: (text: string) => void;
  onApplied: () => void;
};

/** Effects and differences of a changed document, and its application after a check that the running one is the same. */
export function ConfigReview({ client, realm, document, text, reload, onBack, onTakeTheirs, onApplied }: ReviewProps) {
  const [confirmed, setConfirmed] = useState(false);
  const { apply, applying, failure, theirs, setTheirs } = useApply({
    client,
    realm,
    document,
    text,
    reload,
    onApplied,
  });
  const { data: changes, error } = useQuery({
    queryKey: ["configuration changes", realm, document, text],
    queryFn: async () => (await client.changes(realm, text)) ?? null,
    gcTime: 0,
    retry: false,
  });
  const where = placeOf(realm);
  const isRisky = (changes?.removed.length ?? 0) + (changes?.sideEffects.length ?? 0) > 0;
  const takeTheirs = async (): Promise<void> => {
    onTakeTheirs((await reload()) ?? theirs ?? "");
    onBack();
  };
  const keepText = async (): Promise<void> => {
    await reload();
    setTheirs(undefined);
  };
  if (theirs !== undefined) return <Conflict {...{ theirs, document, text }} onTake={takeTheirs} onKeep={keepText} />;
  return (
    <section aria-labelledby="review-title" className="review">
      <h2 id="review-title" className="title">
        Changes to {where}
      </h2>
      {error !== null && <FailureText error={error} what="The effects could not be computed." />}
      {changes === undefined && error === null && <EmptyState title="Computing the effects…" />}
      {changes && <ChangesSummary changes={changes} />}
      <DocumentDiff before={document} after={text} label="Differences from the running document" />
      {failure !== undefined && (
        <FailureText error={failure} what="The document was not applied; the running one stays in force." />
      )}
      {isRisky && <CheckField {...riskTexts} checked={confirmed} onChange={setConfirmed} />}
      <p className="wrapped review-buttons">
        <ActionButton onClick={onBack}>Back to the editor</ActionButton>
        <ActionButton
          tone="primary"
          disabled={applying || changes === undefined || (isRisky && !confirmed)}
          onClick={() => void apply()}
        >
          {applying ? "Applying…" : `Apply to ${where}`}
        </ActionButton>
      </p>
    </section>
  );
}

const riskTexts = {
  label: "Apply although objects or their data are removed",
  hint: "Acknowledgements, downtimes and comments of removed objects are deleted with them.",
};

const placeOf = (realm: string): string => (realm === "" ? "this realm" : `realm ${realm}`);

type ApplyOptions = Pick<ReviewProps, "client" | "realm" | "document" | "text" | "reload" | "onApplied">;

/** Application of the text, unless `theirs`, which another user has applied since the edited document was loaded. */
function useApply({ client, realm, document, text, reload, onApplied }: ApplyOptions) {
  const { queryClient, notices } = useAppContext();
  const { busy: applying, error: failure, run } = useCall();
  const [theirs, setTheirs] = useState<string>();
  const apply = () =>
    run(async () => {
      const { cue } = await client.document(realm);
      if (cue !== document) return setTheirs(cue);
      await client.apply(realm, text);
      await reload();
      void queryClient.invalidateQueries();
      addNotice(notices, "done", `Applied: the new configuration of ${placeOf(realm)} is in force`);
      onApplied();
    });
  return { apply, applying, failure, theirs, setTheirs };
}

type ConflictProps = { theirs: string; document: string; text: string; onTake: () => void; onKeep: () => void };

/** Choice between a text and the document that was applied meanwhile. */
function Conflict({ theirs, document, text, onTake, onKeep }: ConflictProps) {
  return (
    <section className="review" aria-labelledby="conflict-title">
      <h2 id="conflict-title" className="title">
        The configuration has changed since you opened it
      </h2>
      <p role="alert" className="failure">
        Another document was applied meanwhile. Nothing was sent. Your text would undo these changes:
      </p>
      <DocumentDiff before={document} after={theirs} label="Changes by others" />
      <DocumentDiff before={theirs} after={text} label="Your text compared with the running document" />
      <p className="wrapped review-buttons">
        <ActionButton onClick={onTake}>Discard my text</ActionButton>
        <ActionButton tone="primary" onClick={onKeep}>
          Continue with my text
        </ActionButton>
      </p>
    </section>
  );
}
