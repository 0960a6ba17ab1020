import type { RunningProgram } from "../run/processes.ts";
import type { WebhookReceiver } from "./webhook-receiver.ts";

/** Seconds from the beginning of the scenario. */
export type ScenarioSpan = { readonly fromS: number; readonly toS: number };
export const between = (fromS: number, toS: number): ScenarioSpan => ({ fromS, toS });

/** Where a scenario plays: beside others in one agent, so its names have a prefix there, written `$` in its document. */
export type ScenarioContext = {
  readonly agent: RunningProgram;
  readonly receiver: WebhookReceiver;
  /** The name that `name` has in the agent. */
  fullName(name: string): string;
  /** A command that has to succeed. Answers its body. */
  send(rpc: string, request: object): Promise<Readonly<Record<string, unknown>>>;
  /** What one act leaves for a later one: ids by names that the scenario chose. */
  readonly savedIds: Map<string, string>;
};

export type ScenarioAction = (stage: ScenarioContext) => Promise<void> | void;

export type ScenarioStep =
  | { readonly kind: "at"; readonly atS: number; readonly act: ScenarioAction }
  | { readonly kind: "want"; readonly span: ScenarioSpan; readonly message: string }
  | { readonly kind: "none"; readonly span: ScenarioSpan };

export type Scenario = { readonly name: string; readonly config: string; readonly steps: readonly ScenarioStep[] };

export type ScenarioTimeline = {
  /** Does something so many seconds after the beginning; later, where what was wanted by then is late. */
  at(atS: number, ...acts: readonly ScenarioAction[]): void;
  /**
   * A message has to come within the span: `CONTACT KIND STATUS OBJECT`, as exactly as the scenario wants it to be; see
   * `showArrival`. What is not wanted must not come, at any time.
   */
  want(span: ScenarioSpan, ...messages: readonly string[]): void;
  /** Goes on watching: nothing comes within the span but what is wanted in it. */
  wantNone(span: ScenarioSpan): void;
};

/** A story of who is told what when. `config` is a piece of a document; see `documentOf` for what it need not say. */
export function scenario(name: string, config: string, plot: (line: ScenarioTimeline) => void): Scenario {
  const steps: ScenarioStep[] = [];
  plot({
    at(atS, ...acts) {
      for (const act of acts) steps.push({ kind: "at", atS, act });
    },
    want(span, ...messages) {
      for (const message of messages) steps.push({ kind: "want", span, message });
    },
    wantNone: (span) => void steps.push({ kind: "none", span }),
  });
  return { name, config, steps };
}
