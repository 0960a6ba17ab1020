import { keyOf } from "@realmwatch/shared/model/object-key";
import { hashText } from "@realmwatch/shared/text/hash";

/**
 * The number by which old tools may name a comment or a downtime: the first 53 bits of a hash of its id, so that it is
 * the same at any time and on any machine and nothing has to be kept. From 1 to 2^53.
 */
const numberOfId = (id: string): number => Number(BigInt(`0x${hashText(id)}`) >> 11n) + 1;

/**
 * The id that a line of the command file means: our own text, or its number.
 *
 * @param refs what the ids are of, by id
 * @returns undefined where there is none on an object of that kind, or where two have the number
 */
export function findId(
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
