export type Selector = { readonly requirements: readonly unknown[] };
