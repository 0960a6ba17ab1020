import type { Author } from "./author.ts";

/** Acknowledgement of an object's current problem. */
export type Acknowledgement = Author & {
  readonly comment: string;
  /** True: lasts until recovery. False: lasts until any change of status. */
  readonly sticky: boolean;
  readonly atMs: number;
  readonly expiresAtMs: number | undefined;
};

export type Comment = Author & {
  readonly id: string;
  readonly text: string;
  readonly atMs: number;
};

/** Id of the comment that an object has while it flaps. */
export const flappingCommentId = (ref: string): string => `flapping:${ref}`;
