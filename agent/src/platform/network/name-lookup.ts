import type { LookupFunction } from "node:net";
import { isIP } from "node:net";
import type { Result } from "@realmwatch/shared/model/result";
import type { NameResolver, ResolveFailure } from "../dns/name-resolver.ts";

/** Name resolution failed, so that no connection was attempted. */
export class NameNotResolved extends Error {
  readonly failure: ResolveFailure;
  constructor(failure: ResolveFailure) {
    super(failure);
    this.failure = failure;
  }
}

/**
 * Lookup function for Node.js sockets that uses `resolver`, so that unresolvable names do not occupy the thread pool.
 */
export function socketLookup(resolver: NameResolver): LookupFunction {
  // No abort is needed: the resolver has deadlines of its own, and so has the waiting request.
  const { signal } = new AbortController();
  return (host, options, done) => {
    void resolver.resolve(host, signal).then(respond);
    function respond(found: Result<readonly string[], ResolveFailure>): void {
      if (!found.ok) return done(new NameNotResolved(found.error), "", 0);
      const addresses = found.value.map((address) => ({ address, family: isIP(address) }));
      const [first] = addresses;
      if (options.all) done(null, addresses);
      else done(null, first?.address ?? "", first?.family ?? 0);
    }
  };
}
