import { createHmac, randomBytes } from "node:crypto";
import type { Clock } from "../model/clock.ts";
import type { Identity } from "../model/role.ts";
import { peerNetwork } from "../platform/http/peer-network.ts";
import { truncateText } from "../text/truncate-text.ts";
import type { AuthPlan } from "./auth-document.ts";
import { LoginFailures } from "./login-failures.ts";
import { unmatchableHash, verifyPassword } from "./password-hash.ts";

/** Credentials of a login, and the network address from which they came. */
export type LoginAttempt = { readonly user: string; readonly password: string; readonly peer: string };

type LoginOutcome =
  | { readonly kind: "accepted"; readonly identity: Identity }
  /** Unknown name, wrong password, or an identity without a password. */
  | { readonly kind: "refused" }
  /** The password was not verified: too many failures of the name or the peer, or too many logins at a time. */
  | { readonly kind: "limited"; readonly retryAfterMs: number };

/** Failed logins of one name, and of one peer, within a minute after which further ones are not verified. */
const maxFailures = 10;
/** Number of passwords verified at a time. Each occupies a thread of the pool that files and names also need. */
const maxRunning = 2;
/** Number of logins that wait for their turn. */
const maxWaiting = 256;
const busyRetryMs = 1_000;
const maxNameLength = 256;

type Waiting = LoginAttempt & {
  /** The name and the peer, under which failures are counted. */
  readonly keys: readonly string[];
  settle(outcome: LoginOutcome | Promise<never>): void;
};

/**
 * Verifies passwords against the auth document, a few at a time. An unknown name takes as long as a known one, since
 * its password is verified against a hash that no password matches.
 */
export class PasswordLogins {
  readonly #hashes: ReadonlyMap<string, { readonly identity: Identity; readonly hash: string }>;
  readonly #decoys: readonly string[];
  readonly #decoyKey = randomBytes(16);
  readonly #failures: LoginFailures;
  readonly #running = new Set<Waiting>();
  #waiting: Waiting[] = [];

  constructor({ identities }: AuthPlan, clock: Pick<Clock, "monotonic">) {
    this.#failures = new LoginFailures(clock);
    this.#hashes = new Map(
      identities.flatMap(({ name, role, credential }) =>
        credential.kind === "password"
          ? [[name, { identity: Object.freeze({ name, role }), hash: credential.hash }] as const]
          : [],
      ),
    );
    this.#decoys = [...this.#hashes.values()].map(({ hash }) => unmatchableHash(hash));
  }

  /** Verifies one login. Rejects when the hash could not be computed, for example for want of memory. */
  attempt({ user, password, peer }: LoginAttempt): Promise<LoginOutcome> {
    return new Promise((settle) => {
      const keys = [`name ${truncateText(user, maxNameLength)}`, `peer ${peerNetwork(peer)}`];
      if (this.#waiting.length >= maxWaiting) return settle({ kind: "limited", retryAfterMs: busyRetryMs });
      this.#waiting.push({ user, password, peer, keys, settle });
      this.#startNext();
    });
  }

  #startNext(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const login of waiting) {
      const full = login.keys.filter((key) => this.#failures.count(key) >= maxFailures);
      if (full.length > 0) {
        const retryAfterMs = Math.max(...full.map((key) => this.#failures.remainingMs(key)));
        login.settle({ kind: "limited", retryAfterMs });
      } else if (this.#mayRun(login)) void this.#run(login);
      else this.#waiting.push(login);
    }
  }

  /** A login counts as failed while it runs, so that parallel logins have no more attempts than successive ones. */
  #mayRun({ keys }: Waiting): boolean {
    if (this.#running.size >= maxRunning) return false;
    return keys.every((key) => {
      const running = [...this.#running].filter((other) => other.keys.includes(key)).length;
      return this.#failures.count(key) + running < maxFailures;
    });
  }

  async #run(login: Waiting): Promise<void> {
    this.#running.add(login);
    const known = this.#hashes.get(login.user);
    try {
      const matches = await verifyPassword(login.password, known?.hash ?? this.#decoyOf(login.user));
      if (known !== undefined && matches) login.settle({ kind: "accepted", identity: known.identity });
      else {
        for (const key of login.keys) this.#failures.add(key);
        login.settle({ kind: "refused" });
      }
    } catch (error) {
      login.settle(Promise.reject(error));
    }
    this.#running.delete(login);
    this.#startNext();
  }

  /** Hash with the cost of one of the document's hashes, always the same one for a name. */
  #decoyOf(user: string): string {
    const chosen = createHmac("sha256", this.#decoyKey).update(user).digest().readUInt32BE() % this.#decoys.length;
    return this.#decoys[chosen] ?? unmatchableHash(undefined);
  }
}
