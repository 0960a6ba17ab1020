export function buildCommitIn(options: {
  readonly root: string;
  readonly commit: { readonly hash: string };
  readonly folder: string;
  readonly built?: readonly string[];
}): Promise<void>;
