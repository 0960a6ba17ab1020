export function releaseCommit(
  checkout: string,
  version: string,
): { readonly hash: string; readonly epochSeconds: number; readonly isTagged: boolean };
