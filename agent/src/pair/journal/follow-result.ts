import type { JournalPosition } from "../../journal/shipping/journal-position.ts";

/** Outcome of applying groups or installing a snapshot. `end`: what is durable afterwards. */
export type FollowResult =
  | {
      readonly kind: "applied";
      readonly end: JournalPosition;
      /** The running document, when it changed. */
      readonly document?: string | undefined;
    }
  /** The disk failed, or a group is missing: the groups after `end` can be applied later. */
  | { readonly kind: "failed"; readonly end: JournalPosition; readonly why: string }
  /** The groups do not continue this journal: it needs a snapshot. */
  | { readonly kind: "diverged"; readonly end: JournalPosition; readonly why: string };

/** Piece of a snapshot. */
export type SnapshotPiece = {
  readonly id: string;
  readonly totalBytes: number;
  readonly offset: number;
  readonly bytes: Uint8Array;
};

/** Outcome of a piece. `waiting`: the piece that begins at `offset` is needed next. */
export type PieceResult = { readonly kind: "waiting"; readonly offset: number } | FollowResult;
