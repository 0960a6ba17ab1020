/** Limits of one request: size in bytes, compressed or not, and deadline in ms. */
export type RpcLimit = {
  readonly maxBytes: number;
  readonly deadlineMs: number;
  /** Maximum number of entries of a field of the request. Default: that of all values. */
  readonly entries?: { readonly field: string; readonly max: number };
};
