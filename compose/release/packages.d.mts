export function writePackages(options: {
  readonly built: string;
  readonly modules: Readonly<Record<string, string>>;
  readonly work: string;
  readonly target: string;
  readonly version: string;
  readonly commit: { readonly hash: string; readonly epochSeconds: number };
  readonly compression?: number;
}): Promise<readonly string[]>;
