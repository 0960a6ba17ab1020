import { readdir } from "node:fs/promises";
import { compilePlan } from "@realmwatch/shared/config/compile/compile-plan";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { describeFileError } from "@realmwatch/shared/platform/files/describe-file-error";
import { idGenerator } from "@realmwatch/shared/platform/id-generator";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { parseRetention, type RetentionBlock } from "@realmwatch/shared/text/retention-blocks";
import { openJournal } from "../../journal/threads/open-journal.ts";
import { readTextFile } from "../../platform/files/text-file.ts";
import { serializeObject } from "../../realm/durability/stored-object.ts";
import type { ImportItem } from "../import/import-report.ts";
import { groupByObject, type RetainedContext, retainedStateOf } from "./retained-state.ts";

type StateImport = {
  readonly retention: string;
  /** New data directory of the agent: missing or empty. */
  readonly dataDir: string;
  readonly realm: string;
  /** The converted document. */
  readonly document: object;
};

/** Number of states in one batch of the journal. */
const batchLength = 1_000;

/**
 * Makes the journal of a new agent from a retention file. Fails with a sentence; objects that are not in the document are
 * findings.
 */
export async function writeRetainedStates(options: StateImport): Promise<Result<readonly ImportItem[], string>> {
  const { retention, dataDir, realm, document } = options;
  if (!(await isNewFolder(dataDir))) return fail(`-data-dir ${dataDir} must be empty or new`);
  const text = await readTextFile(retention);
  if (!text.ok) return fail(`${retention}: cannot be read: ${describeFileError(text.error)}`);
  const blocks = parseRetention(retention, text.value);
  if (!blocks.ok) return blocks;
  const localZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const plan = compilePlan(document, { realm, localZone });
  // The document is valid, because the conversion has left out what is not.
  if (!plan.ok) return fail(`the converted document is not valid: ${plan.error[0]?.message ?? "no reason"}`);
  const context: RetainedContext = { plan: plan.value, nowMs: systemClock.now(), idOf: newIds() };
  const items: ImportItem[] = [];
  const states: { ref: string; state: string }[] = [];
  for (const [ref, retained] of groupByObject(blocks.value)) {
    const object = plan.value.objects.get(ref);
    const [block] = [retained.status, ...retained.comments, ...retained.downtimes].filter((each) => each !== undefined);
    if (object === undefined) {
      if (block !== undefined) items.push(withoutObject(ref, block));
      continue;
    }
    states.push({
      ref,
      state: serializeObject({ plan: object, state: retainedStateOf(object, retained, context) }, plan.value),
    });
  }
  const stored = await store(states, { dataDir, realm });
  return stored.ok ? ok(items) : stored;
}

const withoutObject = (ref: string, { source, type }: RetentionBlock): ImportItem => ({
  source,
  kind: `retained ${type}`,
  name: ref,
  outcome: "unsupported",
  why: "the document has no such object",
});

async function isNewFolder(path: string): Promise<boolean> {
  const entries = await readdir(path).catch((error: NodeJS.ErrnoException) => (error.code === "ENOENT" ? [] : [""]));
  return entries.length === 0;
}

/** Ids that are new, and the same for the same number of the other system, because downtimes refer to each other. */
function newIds(): RetainedContext["idOf"] {
  const nextId = idGenerator(systemClock);
  const known = new Map<string, string>();
  return (kind, number) => known.getOrInsertComputed(`${kind} ${number}`, nextId);
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
