import type { LookupFunction } from "node:net";
import { isIP } from "node:net";
import type { Result } from "@realmwatch/shared/model/result";
import type { NameResolver, ResolveFailure } from "../../platform/dns/name-resolver.ts";

/** A name has no address: not the connection's fault. */
export class NameNotResolved extends Error {
  readonly failure: ResolveFailure;
  constructor(failure: ResolveFailure) {
    super(failure);
    this.failure = failure;
  }
}

/** The look-up of Node.js' sockets, asked of our resolver: a few dead names do not occupy every thread. */
export function socketLookup(resolver: NameResolver): LookupFunction {
  // The resolver has deadlines of its own, and the request that waits has one too.
  const { signal } = new AbortController();
  return (host, options, done) => {
    void resolver.resolve(host, signal).then(answer);
    function answer(found: Result<readonly string[], ResolveFailure>): void {
      if (!found.ok) return done(new NameNotResolved(found.error), "", 0);
      const addresses = found.value.map((address) => ({ address, family: isIP(address) }));
      const [first] = addresses;
      if (options.all) done(null, addresses);
      else done(null, first?.address ?? "", first?.family ?? 0);
    }
  };
}
