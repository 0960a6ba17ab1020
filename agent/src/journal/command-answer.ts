import type { DocumentChange } from "@realmwatch/shared/config/diff/document-change";
import type { Refusal } from "@realmwatch/shared/model/refusal";

/** Final answer to a command. A refusal that may change when the call is repeated is not final. */
export type CommandAnswer =
  | {
      readonly kind: "accepted";
      /** Ids of the downtimes or of the comment that the command creates. */
      readonly ids: readonly string[];
      /** Number of objects that the target matched. */
      readonly matched: number;
      /** Effect of ApplyConfig; undefined for other calls. */
      readonly change?: DocumentChange | undefined;
    }
  | { readonly kind: "refused"; readonly refusal: Refusal };

/** Identity of a call that may be repeated. */
export type KeyedCall = {
  /** Name of the authenticated caller; empty without authentication. */
  readonly identity: string;
  readonly key: string;
  /** Hash of the method and the request: a repeat has the same one. */
  readonly requestHash: string;
};

/**
 * Answer as stored in the journal, in the same transaction as the command. Check results and other commands have a
 * quota each, because results come at a much higher rate.
 */
export type KeptAnswer = KeyedCall & {
  readonly atMs: number;
  readonly quota: "results" | "commands";
  readonly answer: CommandAnswer;
};

/** Time for which an answer is kept at least, ms. */
export const answerRetentionMs = 86_400_000;
/** Most answers that are kept for each quota; the oldest are deleted first. */
export const maxKeptAnswers = 100_000;
