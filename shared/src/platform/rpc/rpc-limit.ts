/** Limits of one request: size in bytes, compressed or not, and deadline in ms. */
export type RpcLimit = { readonly maxBytes: number; readonly deadlineMs: number };
