import { keyOf } from "../model/object-key.ts";
import { fail } from "../model/result.ts";
import { hashText } from "../text/hash.ts";
import { type CommandLine, commandLine, lineCommands } from "./command-line.ts";

/**
 * Number by which old tools may name a comment or a downtime, from 1 to 2^53: the first 53 bits of a hash of its id.
 * It needs no storage, because it is the same at any time and on any machine.
 */
const numberOfId = (id: string): number => Number(BigInt(`0x${hashText(id)}`) >> 11n) + 1;

/**
 * Id that a line of the command file names by its text or by its number.
 *
 * @param refs objects by id
 * @returns undefined when no object of that kind has the id, or when two ids share the number
 */
export function findByNumericId(
  refs: ReadonlyMap<string, string>,
  said: string,
  kind: "host" | "service" | undefined,
): { readonly id: string; readonly ref: string } | undefined {
  const fits = (ref: string): boolean => kind === undefined || keyOf(ref).kind === kind;
  const named = refs.get(said);
  if (named !== undefined) return fits(named) ? { id: said, ref: named } : undefined;
  if (!/^\d{1,16}$/.test(said)) return undefined;
  const number = Number(said);
  const found = [...refs].filter(([id, ref]) => fits(ref) && numberOfId(id) === number);
  const [only] = found;
  return only === undefined || found.length > 1 ? undefined : { id: only[0], ref: only[1] };
}

/** Line that deletes a comment or downtime by its id or number. */
export const deletionLine = (
  what: "comment" | "downtime",
  of: "host" | "service",
): CommandLine<{ readonly ref: string; readonly id: string }> =>
  commandLine(
    ["id"],
    ({ id }, { realm }) => {
      const found = findByNumericId(what === "downtime" ? realm.downtimeRefs : realm.commentRefs, id, of);
      return found === undefined ? fail(`no ${of} has a ${what} ${JSON.stringify(id)}`) : lineCommands([found]);
    },
    () => "stored",
  );
