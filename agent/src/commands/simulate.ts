import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import type { FlagTable } from "@realmwatch/shared/platform/flags/flags";
import { subCommand } from "@realmwatch/shared/platform/process/run-program";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { parseDuration } from "@realmwatch/shared/text/duration";
import { parseInstant } from "@realmwatch/shared/text/instant";
import { agentFlags } from "../flags.ts";
import { formatSimulation, simulationJson } from "../simulate/format-simulation.ts";
import { journalRealm, readRecording, withJournal } from "../simulate/read-recording.ts";
import { simulate } from "../simulate/simulate.ts";
import { documentFlags, outputFlag, readDocument } from "./read-document.ts";

const dayMs = 86_400_000;

/** Parses `7d`, `36h` or an RFC 3339 instant into a function that returns the beginning of a time span that ends now. */
function parseSince(text: string): Result<(nowMs: number) => number, string> {
  const days = /^(\d{1,4})d$/.exec(text);
  const span = days === null ? parseDuration(text) : ok(Number(days[1]) * dayMs);
  if (span.ok) return ok((nowMs) => nowMs - span.value);
  const instant = parseInstant(text);
  return instant.ok ? ok(() => instant.value) : fail("is neither a span such as 7d or 36h nor an RFC 3339 instant");
}

const flags = {
  since: {
    kind: "value",
    help: "Beginning of the time span: 7d (ago), 36h or RFC 3339.",
    placeholder: "TIME",
    fallback: "7d",
    parse: parseSince,
  },
  tolerance: {
    kind: "value",
    help: "Longest time between two notifications that count as the same.",
    placeholder: "DURATION",
    fallback: "5m",
    parse: parseDuration,
  },
  output: outputFlag,
  config: { ...agentFlags.config, help: "Document that was active in the time span." },
  "data-dir": agentFlags["data-dir"],
  ...documentFlags,
} as const satisfies FlagTable;

/** `simulate FILE -since 7d`: compares the recorded notifications with those that FILE would have sent. */
export const simulateSubCommand = subCommand({
  words: ["FILE"],
  flags,
  async run({ words: [file = ""], values, progress }) {
    const { dataDir, config, tolerance: toleranceMs } = values;
    // Names in a document may depend on the realm, which is the one of the journal.
    const realm = await journalRealm(dataDir);
    if (!realm.ok) return realm;
    const load = (path: string) => readDocument({ ...values, config: path, realm: realm.value });
    const candidate = await load(file);
    if (!candidate.ok) return candidate;
    const active = config === undefined ? ok(undefined) : await load(config);
    if (!active.ok) return active;
    const nowMs = systemClock.now();
    const plans = active.value === undefined ? [candidate.value] : [active.value, candidate.value];
    const order = { sinceMs: values.since(nowMs), nowMs, plans };
    progress?.("step 1 of 2, reads the history");
    const recording = await withJournal(dataDir, (view) => readRecording(view, order));
    if (!recording.ok) return recording;
    progress?.(
      `step 2 of 2, replays ${recording.value.sent.length} notifications of ${recording.value.states.size} objects`,
    );
    const parts = { recording: recording.value, candidate: candidate.value, ran: active.value };
    const simulation = simulate({ ...parts, toleranceMs });
    if (values.output === "json") return ok(JSON.stringify(simulationJson(simulation), undefined, 2));
    return ok(formatSimulation(simulation));
  },
});
