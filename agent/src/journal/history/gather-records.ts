import type { Interval } from "@realmwatch/shared/availability/interval";
import type { ObjectRecords } from "@realmwatch/shared/availability/object-records";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import { ok, type Result } from "@realmwatch/shared/model/result";
import type { AvailabilityReader } from "./availability-reader.ts";
import type { RecordPosition } from "./history-reader.ts";

type ReadObjectRecords = (
  request: Parameters<AvailabilityReader["objectRecords"]>[0],
) => Promise<Result<ReturnType<AvailabilityReader["objectRecords"]>, Refusal>>;

/** Objects of one request: the list is sent to the reader thread. */
const refsPerRequest = 200;
/** Records of one request, which occupies the reader thread for about 20 ms. */
const recordsPerRequest = 1_500;

/**
 * Reads state changes and downtimes of objects in slices, between which the reader thread serves other requests.
 *
 * @returns records by reference, for each of `refs`
 */
export async function gatherObjectRecords(
  { refs, range }: { readonly refs: readonly string[]; readonly range: Interval },
  read: ReadObjectRecords,
): Promise<Result<ReadonlyMap<string, ObjectRecords>, Refusal>> {
  const records = new Map<string, ObjectRecords>();
  let from: RecordPosition | undefined;
  for (let at = 0; at < refs.length; ) {
    const part = refs.slice(at, at + refsPerRequest);
    const answer = await read({ refs: part, range, from, limit: recordsPerRequest });
    if (!answer.ok) return answer;
    for (const { ref, ...found } of answer.value.parts) records.set(ref, joined(records.get(ref), found));
    at += answer.value.next?.index ?? part.length;
    from = answer.value.next?.from;
  }
  return ok(records);
}

/** Adds a further part of an object's records. */
const joined = (known: ObjectRecords | undefined, next: ObjectRecords): ObjectRecords =>
  known === undefined
    ? next
    : { ...known, states: [...known.states, ...next.states], edges: [...known.edges, ...next.edges] };
