import type { ObjectPlan, RealmPlan } from "@realmwatch/shared/config/plan";
import { notificationKinds } from "@realmwatch/shared/model/notification";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { oneOf } from "@realmwatch/shared/platform/flags/flag-parsers";
import type { FlagTable, FlagValues } from "@realmwatch/shared/platform/flags/flags";
import { textFlag } from "@realmwatch/shared/platform/flags/optional-flags";
import { type ProgramExit, subCommand } from "@realmwatch/shared/platform/process/run-program";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { parseDuration } from "@realmwatch/shared/text/duration";
import { newState, type ObjectState } from "../../engine/state/object-state.ts";
import { agentFlags } from "../../flags.ts";
import { formatRoute, routeJson } from "../../simulate/format-route.ts";
import { withJournal } from "../../simulate/read-recording.ts";
import { type CurrentRealm, type Route, routeOf } from "../../simulate/route.ts";
import type { RouteScenario } from "../../simulate/route-scenario.ts";
import {
  configIsNeeded,
  documentFlags,
  findDeclared,
  instantFlag,
  outputFlag,
  readDocument,
} from "../read-document.ts";

const flags = {
  kind: {
    kind: "value",
    help: `Kind of the notification: one of ${notificationKinds.join(", ")}.`,
    placeholder: "KIND",
    fallback: "PROBLEM",
    parse: (text: string) => oneOf(notificationKinds)(text.toUpperCase()),
  },
  status: {
    kind: "value",
    help: "Status of the problem: warning, critical or unknown.",
    placeholder: "STATUS",
    fallback: "critical",
    parse: oneOf(["warning", "critical", "unknown"]),
  },
  at: instantFlag("Time of the event, RFC 3339; now by default."),
  lasted: {
    kind: "value",
    help: "Duration of the problem, flapping or downtime that ends, or is acknowledged, at that time.",
    placeholder: "DURATION",
    fallback: "1h",
    parse: parseDuration,
  },
  verify: textFlag(
    "Contacts that the first notification has to reach and no others, joined by commas; exit code 1 otherwise.",
    "LIST",
  ),
  served: { kind: "switch", help: "Read the document from standard input." },
  output: outputFlag,
  config: agentFlags.config,
  "data-dir": textFlag(
    "An agent's data directory, from which toggles, acknowledgements and downtimes are read.",
    "DIR",
  ),
  ...documentFlags,
  realm: agentFlags.realm,
} as const satisfies FlagTable;

type Values = FlagValues<typeof flags>;

/** `notify-route OBJECT -config FILE -kind PROBLEM -at TIME`: recipients, times, and reasons for suppression. */
export const notifyRouteSubCommand = subCommand({
  words: ["OBJECT"],
  flags,
  async run({ words: [ref = ""], values, readStdin }) {
    const { kind, status, lasted: lastedMs, dataDir } = values;
    const plan = await load(values, readStdin);
    if (!plan.ok) return plan;
    const object = findDeclared(["object", ref], plan.value.objects);
    if (!object.ok) return object;
    const nowMs = systemClock.now();
    const scenario: RouteScenario = { ref, kind, status, atMs: values.at ?? nowMs, lastedMs };
    const now = dataDir === undefined ? ok(undefined) : await readCurrentRealm(dataDir, plan.value, scenario);
    if (!now.ok) return now;
    const route = routeOf({ realm: values.realm, plan: plan.value, object: object.value, scenario, now: now.value });
    const mismatch = values.verify === undefined ? undefined : mismatchOf(route, values.verify);
    const verified = values.verify === undefined ? {} : { verified: mismatch === undefined };
    const text =
      values.output === "json"
        ? JSON.stringify({ ...routeJson(route, scenario), ...verified }, undefined, 2)
        : [formatRoute(route, scenario), ...(mismatch === undefined ? [] : [mismatch])].join("\n");
    return mismatch === undefined ? ok(text) : fail({ code: 1, lines: [text], requested: true });
  },
});

/** [RO4] Says which contacts the first notification reaches instead of the expected ones; undefined for the same ones. */
function mismatchOf({ notifications: [first] }: Route, expected: string): string | undefined {
  const sorted = (names: readonly string[]): string => [...new Set(names)].sort().join(", ");
  const wanted = sorted(expected.split(",").map((name) => name.trim()));
  const reached = sorted(first?.contacts ?? []);
  return wanted === reached
    ? undefined
    : `not as verified: the first notification reaches ${reached || "no contact"}, expected ${wanted}`;
}

async function load(values: Values, readStdin: () => Promise<string>): Promise<Result<RealmPlan, ProgramExit>> {
  if (values.served) return readDocument({ ...values, config: "served.cue" }, await readStdin());
  return values.config === undefined ? fail(configIsNeeded("the object")) : readDocument(values);
}

/** Reads the current state of the realm, in which the scenario begins. */
async function readCurrentRealm(
  dataDir: string,
  { objects }: RealmPlan,
  { atMs }: RouteScenario,
): Promise<Result<CurrentRealm, string>> {
  return withJournal(dataDir, ({ states: stored, program }) => {
    const nowMs = Math.max(program.aliveAtMs, 0);
    if (atMs < nowMs)
      return fail("-at is before the last state in the data directory: omit -data-dir, or give a later time");
    const states = new Map<string, ObjectState>();
    const unknownState = (plan: ObjectPlan): ObjectState => newState(plan.key.kind === "process" ? nowMs : atMs);
    for (const [ref, plan] of objects) states.set(ref, stored.get(ref) ?? unknownState(plan));
    return ok({ atMs: nowMs, states, program });
  });
}
