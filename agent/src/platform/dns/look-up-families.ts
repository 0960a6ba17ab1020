import type { Resolver } from "node:dns/promises";
import type { Clock } from "@realmwatch/shared/model/clock";
import { errorCodeOf } from "../network/describe-error.ts";

/** Result of one DNS query: addresses, or a c-ares error code such as `ENOTFOUND` (empty on success). */
export type FamilyLookup = { readonly addresses: readonly string[]; readonly code: string };

const unanswered: FamilyLookup = { addresses: [], code: "ETIMEOUT" };

/**
 * Queries A and AAAA in parallel. After one has found addresses, the other one gets `patienceMs` more: some servers never
 * answer AAAA queries. Never rejects; an unanswered query continues until the resolver times out.
 */
export function lookUpBothFamilies(
  dns: Resolver,
  name: string,
  { clock, patienceMs }: { readonly clock: Clock; readonly patienceMs: number },
): Promise<readonly [four: FamilyLookup, six: FamilyLookup]> {
  const [four, six] = [toFamilyLookup(dns.resolve4(name)), toFamilyLookup(dns.resolve6(name))];
  const inTime = (one: Promise<FamilyLookup>, other: Promise<FamilyLookup>): Promise<FamilyLookup> =>
    new Promise((resolve) => {
      let answered = false;
      let cancel = (): void => {};
      void one.then((answer) => {
        answered = true;
        cancel();
        resolve(answer);
      });
      void other.then(({ addresses }) => {
        if (!answered && addresses.length > 0) cancel = clock.after(patienceMs, () => resolve(unanswered));
      });
    });
  return Promise.all([inTime(four, six), inTime(six, four)]);
}

const toFamilyLookup = (query: Promise<string[]>): Promise<FamilyLookup> =>
  query.then(
    (addresses) => ({ addresses, code: "" }),
    (error: unknown) => ({ addresses: [], code: errorCodeOf(error) }),
  );
