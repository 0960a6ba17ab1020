import { env } from "node:process";
import type { SeededRandom } from "@realmwatch/shared/platform/testing/seeded-random.fixture";
import type { SentResult } from "./running-nagios.fixture.ts";

/** Size of the compared site. */
export const hosts = 40;
export const servicesOfHost = 3;
/** Number of results, which RESULTS changes. */
export const results: number = Number(env["RESULTS"] ?? 10_000);

/** Parents of a host: four routers, eight hosts behind one each, the others behind one or two of these. */
export function parentsOf(at: number): readonly string[] {
  if (at < 4) return [];
  if (at < 12) return [`h${at % 4}`];
  return at % 3 === 0 ? [`h${4 + (at % 8)}`, `h${4 + ((at + 3) % 8)}`] : [`h${4 + (at % 8)}`];
}

/** Names of all hosts and services. */
export const refs = Array.from({ length: hosts }, (_, at) => [
  `h${at}`,
  ...Array.from({ length: servicesOfHost }, (__, service) => `h${at}!s${service}`),
]).flat();

/** Results of all objects in any order: hosts are down in a third of them, services have a problem in half of them. */
export function randomRound({ oneOf, upTo }: SeededRandom): SentResult[] {
  const order = refs.map((ref) => ({ ref, key: upTo(1) })).sort((a, b) => a.key - b.key);
  return order.map(({ ref }) => {
    if (!ref.includes("!")) return { ref, code: upTo(1) < 0.35 ? 1 : 0 };
    return { ref, code: upTo(1) < 0.5 ? 0 : oneOf([1, 2, 3]) };
  });
}
