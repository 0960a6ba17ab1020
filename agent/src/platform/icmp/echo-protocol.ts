/** Request to send echoes to an address and to count the replies. */
export type EchoRoundRequest = {
  readonly id: number;
  /** IPv4 or IPv6 address, with its zone if it has one. */
  readonly address: string;
  /** Number of echoes, 1 to 8. */
  readonly count: number;
  /** Interval between echoes, ms. */
  readonly spacingMs: number;
  /** Time limit of the round, ms. */
  readonly timeoutMs: number;
};

/** Result of a round. */
export type EchoRoundResult =
  | {
      readonly kind: "answered";
      readonly sent: number;
      readonly received: number;
      /** Average round-trip time until the kernel received the reply; undefined without replies. */
      readonly averageMs: number | undefined;
      /** Last error: the system's code of a failed send, or a router's ICMP error. Empty without errors. */
      readonly refusal: string;
    }
  /** Echoes of this IP version cannot be sent from this process, or the worker thread died. */
  | { readonly kind: "unavailable" };

/** Message to the worker thread. */
export type ToEchoWorker = { readonly rounds: readonly EchoRoundRequest[] } | "end";
/**
 * Message of the worker thread: first `ready` with its descriptors, then results by the rounds' ids. The parent closes
 * `fds` (which include `wakeFd`) after the thread has ended: if the thread closed them, the parent could write its
 * wake-up to an unrelated file that had received the same number.
 */
export type FromEchoWorker =
  | { readonly kind: "ready"; readonly wakeFd: number; readonly fds: readonly number[] }
  | { readonly kind: "results"; readonly results: readonly (readonly [id: number, result: EchoRoundResult])[] };
