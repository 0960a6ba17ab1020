export function changesOf(
  changelog: string,
  release: { readonly version: string; readonly epochSeconds: number },
): string;
