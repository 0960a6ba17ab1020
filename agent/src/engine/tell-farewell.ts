import type { HistoryEntry } from "@realmwatch/shared/words/history";
import type { Sending } from "./sending.ts";
import type { ObjectState } from "./state.ts";
import type { StepContext } from "./step-context.ts";
import { nobody, TellDraft } from "./tell-draft.ts";
import type { TellingState } from "./telling-state.ts";

/** The last that is said of an object, and the state that it speaks of. */
export type Farewell = {
  readonly state: ObjectState;
  readonly sendings: readonly Sending[];
  readonly history: readonly HistoryEntry[];
};

/**
 * [RL7] What is said when an object is taken out of the configuration: whoever knows of its problem hears that nobody
 * looks at it any more, or their alerts would stay open for ever. There is no later, so that only what is switched off
 * or not wanted holds it back. Undefined where nobody has to hear anything.
 */
export function tellFarewell({ plan, around, nowMs }: StepContext, state: ObjectState): Farewell | undefined {
  const { telling, last } = state;
  const { programOn, policy, contact } = around.telling;
  if (telling === undefined || last === undefined || !programOn || !state.toggles.notifications) return undefined;
  const isWanted = (level: number): boolean => !(policy?.levels[level]?.disabledKinds.includes("RECOVERY") ?? false);
  const contacts = whoKnows(telling).filter(({ name, level }) => isWanted(level) && (contact(name)?.on ?? false));
  if (contacts.length === 0) return undefined;
  const gone: ObjectState = {
    ...state,
    phase: { kind: "ok" },
    lastChangeAtMs: nowMs,
    last: {
      ...last,
      output: "no longer monitored: taken out of the configuration",
      longOutput: last.output,
      perfdata: [],
    },
  };
  const draft = new TellDraft({ plan, around, nowMs }, gone);
  const names = contacts.map(({ name }) => name);
  const previousStatus = telling.announced ?? contacts[0]?.status ?? "unknown";
  draft.send(draft.owed("RECOVERY"), names, { by: nobody, comment: "", previousStatus });
  return { state: gone, sendings: draft.sendings, history: draft.history };
}

/** Those who were told of the open problem, and those who were told of the one before and still wait for its end. */
const whoKnows = ({ told, deferred }: TellingState) => [
  ...Object.entries(told).map(([name, { level, status }]) => ({ name, level, status })),
  ...deferred
    .filter(({ kind, contact }) => kind === "RECOVERY" && told[contact] === undefined)
    .map(({ contact, level, status }) => ({ name: contact, level, status })),
];
