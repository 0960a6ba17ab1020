/** Somebody looks after the current problem. */
export type Acknowledgement = {
  readonly author: string;
  readonly onBehalfOf: string;
  readonly comment: string;
  /** true: until recovery. false: until any change of status. */
  readonly sticky: boolean;
  readonly atMs: number;
  readonly expiresAtMs: number | undefined;
};

export type Comment = {
  readonly id: string;
  readonly author: string;
  readonly onBehalfOf: string;
  readonly text: string;
  readonly atMs: number;
};

/** The id of the comment that says of an object that it flaps; it has one at most. */
export const flappingCommentId = (ref: string): string => `flapping:${ref}`;
