/** An request to send echoes to an address and to count what comes back. */
export type EchoRoundRequest = {
  readonly id: number;
  /** IPv4 or IPv6, with its zone where it has one. */
  readonly address: string;
  /** 1 to 8. */
  readonly count: number;
  /** From one echo to the next, ms. */
  readonly spacingMs: number;
  /** From now to the result at the latest, ms. */
  readonly timeoutMs: number;
};

/** What came of a round. */
export type EchoRoundResult =
  | {
      readonly kind: "answered";
      readonly sent: number;
      readonly received: number;
      /** From sending to the kernel's having the answer, over all that came back; undefined where none did. */
      readonly averageMs: number | undefined;
      /** Why an echo was refused: the system's code, or a router's words. Empty where none was. */
      readonly refusal: string;
    }
  /** No echoes of this family can be sent from here, or the sender died. */
  | { readonly kind: "unavailable" };

/** To the worker. */
export type ToEchoWorker = { readonly rounds: readonly EchoRoundRequest[] } | "end";
/**
 * From the worker: once what it opened, then results by the rounds' ids. The descriptors (`fds`, `wakeFd` among them)
 * are closed by who started it, after its end: else a wake-up could go into a file that was opened in between.
 */
export type FromEchoWorker =
  | { readonly kind: "ready"; readonly wakeFd: number; readonly fds: readonly number[] }
  | { readonly kind: "results"; readonly results: readonly (readonly [id: number, result: EchoRoundResult])[] };
