export function stageImage(options: {
  readonly program: "agent" | "aggregator";
  readonly folder: string;
  readonly version: string;
  readonly commit: string;
  readonly arch?: string;
}): Promise<void>;
