import type { Resolver } from "node:dns/promises";
import type { Clock } from "@realmwatch/shared/model/clock";
import { codeOf } from "../network/describe-error.ts";

/** What came of one question: addresses, or a code of c-ares such as `ENOTFOUND`. */
export type Asked = { readonly addresses: readonly string[]; readonly code: string };

const unanswered: Asked = { addresses: [], code: "ETIMEOUT" };

/**
 * Asks for A and AAAA at a time. Where one found addresses the other gets `patienceMs` more: some servers never answer
 * the question for AAAA. Never rejects; the unanswered question goes on until the resolver gives it up.
 */
export function askBoth(
  dns: Resolver,
  name: string,
  { clock, patienceMs }: { readonly clock: Clock; readonly patienceMs: number },
): Promise<readonly [four: Asked, six: Asked]> {
  const [four, six] = [asked(dns.resolve4(name)), asked(dns.resolve6(name))];
  const inTime = (one: Promise<Asked>, other: Promise<Asked>): Promise<Asked> =>
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

const asked = (question: Promise<string[]>): Promise<Asked> =>
  question.then(
    (addresses) => ({ addresses, code: "" }),
    (error: unknown) => ({ addresses: [], code: codeOf(error) }),
  );
