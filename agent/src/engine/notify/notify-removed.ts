import type { HistoryEntry } from "@realmwatch/shared/model/history";
import type { NotificationDecision } from "@realmwatch/shared/model/notification";
import { noAuthor } from "../author.ts";
import type { PlannedNotification } from "./planned-notification.ts";
import type { ObjectState } from "../state/object-state.ts";
import type { StepContext } from "../step-context.ts";
import { NotificationPlanner } from "./notification-planner.ts";
import { notificationDecision } from "./notification-decision.ts";
import type { NotificationState, LastNotification } from "./notification-state.ts";

/** The last that is said of an object, and the state that it speaks of. */
export type RemovalNotification = {
  readonly state: ObjectState;
  readonly notifications: readonly PlannedNotification[];
  readonly history: readonly HistoryEntry[];
};

/**
 * [RL7] What is said when an object is taken out of the configuration: whoever knows of its problem hears that nobody
 * looks at it any more, or their alerts would stay open for ever. There is no later, so that only what is switched off,
 * not wanted or gone itself holds it back; history says of whom.
 */
export function notifyRemoved(context: StepContext, state: ObjectState): RemovalNotification {
  const { telling, last } = state;
  const contacts = telling === undefined ? [] : whoKnows(telling);
  if (telling === undefined || last === undefined || contacts.length === 0) return { state, notifications: [], history: [] };
  const gone: ObjectState = {
    ...state,
    phase: { kind: "ok" },
    lastChangeAtMs: context.nowMs,
    last: {
      ...last,
      output: "no longer monitored: taken out of the configuration",
      longOutput: last.output,
      perfdata: [],
    },
  };
  const draft = new NotificationPlanner(context, gone);
  const words = { by: noAuthor, comment: "", previousStatus: telling.announced ?? contacts[0]?.status ?? "unknown" };
  const reached: string[] = [];
  const missed = new Map<string, NotificationDecision>();
  for (const known of contacts) {
    const why = inTheWay(context, state, known);
    if (why === undefined) reached.push(known.name);
    else missed.set(`${why.reason} ${why.name}`, why);
  }
  if (reached.length > 0) draft.send(draft.due("RECOVERY"), reached, words);
  for (const why of missed.values()) draft.drop("RECOVERY", why, words);
  return { state: gone, notifications: draft.notifications, history: draft.history };
}

type Knowing = LastNotification & { readonly name: string };

function inTheWay({ objectContext }: StepContext, { toggles }: ObjectState, { name, level }: Knowing): NotificationDecision | undefined {
  const { programOn, policy, contact } = objectContext.routing;
  if (!programOn) return notificationDecision("program_off");
  if (!toggles.notifications) return notificationDecision("object_off");
  if (policy?.levels[level]?.disabledKinds.includes("RECOVERY")) return notificationDecision("kind_disabled");
  return contact(name)?.on ? undefined : notificationDecision("contact_off", name);
}

/** Those who were told of the open problem, and those who were told of the one before and still wait for its end. */
const whoKnows = ({ told, deferred }: NotificationState): readonly Knowing[] => [
  ...Object.entries(told).map(([name, known]) => ({ name, ...known })),
  ...deferred
    .filter(({ kind, contact }) => kind === "RECOVERY" && told[contact] === undefined)
    .map(({ contact, level, status }) => ({ name: contact, level, status })),
];
