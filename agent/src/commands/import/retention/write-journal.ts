import { readdir } from "node:fs/promises";
import { compilePlan } from "@realmwatch/shared/config/compile/compile-plan";
import type { RealmPlan } from "@realmwatch/shared/config/plan";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { idGenerator } from "@realmwatch/shared/platform/id-generator";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { openJournal } from "../../../journal/threads/open-journal.ts";
import { serializeObject } from "../../../realm/durability/stored-object.ts";
import type { ImportItem } from "../import-report.ts";
import type { RetainedPart, RetainedStates } from "./retained-object.ts";
import { retainedStateOf } from "./retained-state.ts";

/** What the reader of a retention file needs besides the file. */
export type RetentionContext = {
  readonly plan: RealmPlan;
  /** Unix ms. */
  readonly nowMs: number;
  /** Id of a downtime or a comment. The same kind and name in the other system give the same id. */
  idOf(kind: "downtime" | "comment", name: string): string;
};

type StateImport = {
  /** Retention file of the other system. */
  readonly retention: string;
  /** New data directory of the agent: missing or empty. */
  readonly dataDir: string;
  readonly realm: string;
  /** The converted document. */
  readonly document: object;
  /** Reads the retention file. Fails with a sentence that names the file and the place. */
  read(file: string, context: RetentionContext): Promise<Result<RetainedStates, string>>;
};

/** Number of states in one batch of the journal. */
const batchLength = 1_000;

/**
 * Makes the journal of a new agent from the states of another system. Fails with a sentence; objects that are not in the
 * document are findings.
 */
export async function writeRetainedStates(options: StateImport): Promise<Result<readonly ImportItem[], string>> {
  const { retention, dataDir, realm, document, read } = options;
  if (!(await isNewFolder(dataDir))) return fail(`-data-dir ${dataDir} must be empty or new`);
  const localZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const plan = compilePlan(document, { realm, localZone });
  // The document is valid, because the conversion has left out what is not.
  if (!plan.ok) return fail(`the converted document is not valid: ${plan.error[0]?.message ?? "no reason"}`);
  const context: RetentionContext = { plan: plan.value, nowMs: systemClock.now(), idOf: newIds() };
  const retained = await read(retention, context);
  if (!retained.ok) return retained;
  const items = [...retained.value.items];
  const states: { ref: string; state: string }[] = [];
  for (const [ref, object] of retained.value.objects) {
    const known = plan.value.objects.get(ref);
    if (known === undefined) for (const part of object.parts) items.push(withoutObject(ref, part));
    else {
      const state = retainedStateOf(known, object, context);
      states.push({ ref, state: serializeObject({ plan: known, state }, plan.value) });
    }
  }
  const stored = await store(states, { dataDir, realm });
  return stored.ok ? ok(items) : stored;
}

const withoutObject = (ref: string, { source, kind }: RetainedPart): ImportItem => ({
  source,
  kind: `retained ${kind}`,
  name: ref,
  outcome: "unsupported",
  why: "the document has no such object",
});
async function isNewFolder(path: string): Promise<boolean> {
  const entries = await readdir(path).catch((error: NodeJS.ErrnoException) => (error.code === "ENOENT" ? [] : [""]));
  return entries.length === 0;
}

/** Ids that are new, and the same for the same name in the other system, because downtimes refer to each other. */
function newIds(): RetentionContext["idOf"] {
  const nextId = idGenerator(systemClock);
  const known = new Map<string, string>();
  return (kind, name) => known.getOrInsertComputed(`${kind} ${name}`, nextId);
}

async function store(
  states: readonly { readonly ref: string; readonly state: string }[],
  { dataDir, realm }: Pick<StateImport, "dataDir" | "realm">,
): Promise<Result<undefined, string>> {
  const opened = await openJournal({ dataDir, realm, historyRetentionMs: Number.MAX_SAFE_INTEGER, clock: systemClock });
  if (!opened.ok) return opened;
  const journal = opened.value;
  try {
    await journal.recover(() => {});
    for (let at = 0; at < states.length; at += batchLength) {
      const batch = {
        states: states.slice(at, at + batchLength),
        program: undefined,
        history: [],
        appliedCommandSeq: 0,
      };
      const appended = await journal.append(batch);
      if (!appended.ok) return fail(`${dataDir}: the states cannot be stored: ${journal.health().error}`);
    }
    return ok(undefined);
  } finally {
    await journal.close();
  }
}
