import type { Resolver } from "node:dns/promises";
import type { Clock } from "@realmwatch/shared/model/clock";
import { errorCodeOf } from "../network/describe-error.ts";

/** What came of one question: addresses, or a code of c-ares such as `ENOTFOUND`. */
export type FamilyLookup = { readonly addresses: readonly string[]; readonly code: string };

const unanswered: FamilyLookup = { addresses: [], code: "ETIMEOUT" };

/**
 * Asks for A and AAAA at a time. Where one found addresses the other gets `patienceMs` more: some servers never answer
 * the question for AAAA. Never rejects; the unanswered question goes on until the resolver gives it up.
 */
export function lookUpBothFamilies(
  dns: Resolver,
  name: string,
  { clock, patienceMs }: { readonly clock: Clock; readonly patienceMs: number },
): Promise<readonly [four: FamilyLookup, six: FamilyLookup]> {
  const [four, six] = [asked(dns.resolve4(name)), asked(dns.resolve6(name))];
  const inTime = (one: Promise<FamilyLookup>, other: Promise<FamilyLookup>): Promise<FamilyLookup> =>
    new Promise((resolve) => {
      let come = false;
      let cancel = (): void => {};
      void one.then((answer) => {
        come = true;
        cancel();
        resolve(answer);
      });
      void other.then(({ addresses }) => {
        if (!come && addresses.length > 0) cancel = clock.after(patienceMs, () => resolve(unanswered));
      });
    });
  return Promise.all([inTime(four, six), inTime(six, four)]);
}

const asked = (question: Promise<string[]>): Promise<FamilyLookup> =>
  question.then(
    (addresses) => ({ addresses, code: "" }),
    (error: unknown) => ({ addresses: [], code: errorCodeOf(error) }),
  );
