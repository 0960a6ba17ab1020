import type { TestProgram } from "../run/processes.ts";
import type { WebhookReceiver } from "./webhook-receiver.ts";

/** Span of time, s from the beginning of the scenario. */
type ScenarioSpan = { readonly fromS: number; readonly toS: number };
export const between = (fromS: number, toS: number): ScenarioSpan => ({ fromS, toS });

/** Agent and receiver that a scenario shares with others. Its names have a prefix there, written `$` in its document. */
export type ScenarioContext = {
  readonly agent: TestProgram;
  readonly receiver: WebhookReceiver;
  /** Name with the scenario's prefix, as the agent has it. */
  fullName(name: string): string;
  /** Sends a command and resolves to the response; rejects when it is refused. */
  send(rpc: string, request: object): Promise<Readonly<Record<string, unknown>>>;
  /** Ids that an action saves for later actions, by names that the scenario chooses. */
  readonly savedIds: Map<string, string>;
};

export type ScenarioAction = (context: ScenarioContext) => Promise<void> | void;

type ScenarioStep =
  | { readonly kind: "at"; readonly atS: number; readonly action: ScenarioAction }
  | { readonly kind: "expect"; readonly span: ScenarioSpan; readonly message: string }
  | { readonly kind: "none"; readonly span: ScenarioSpan };

export type Scenario = { readonly name: string; readonly config: string; readonly steps: readonly ScenarioStep[] };

type ScenarioTimeline = {
  /** Runs actions `atS` seconds after the beginning; later when messages expected before are late. */
  at(atS: number, ...actions: readonly ScenarioAction[]): void;
  /**
   * Expects messages within the span, each as a beginning of the text that `formatDelivered` makes: at least
   * `CONTACT KIND STATUS OBJECT`. A message that is not expected fails the scenario at any time.
   */
  expect(span: ScenarioSpan, ...messages: readonly string[]): void;
  /** Lets the scenario run to the end of the span. Messages within it have to be expected. */
  expectNone(span: ScenarioSpan): void;
};

/** Declares a scenario. `config` is its part of the document; `scenarioDocument` adds defaults. */
export function scenario(name: string, config: string, declare: (timeline: ScenarioTimeline) => void): Scenario {
  const steps: ScenarioStep[] = [];
  declare({
    at(atS, ...actions) {
      for (const action of actions) steps.push({ kind: "at", atS, action });
    },
    expect(span, ...messages) {
      for (const message of messages) steps.push({ kind: "expect", span, message });
    },
    expectNone: (span) => void steps.push({ kind: "none", span }),
  });
  return { name, config, steps };
}
