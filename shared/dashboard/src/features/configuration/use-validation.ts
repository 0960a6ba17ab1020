import type { ConfigDiagnostic } from "@realmwatch/proto/svc/v1/admin_pb";
import { useEffect, useState } from "react";
import { useAppContext } from "../../api/context/app-context.tsx";
import type { AdminClient } from "../../api/server/admin-client.ts";
import { diagnosticsOf } from "./config-problem.ts";

/** Pause in typing after which the text is validated, ms. */
const pauseMs = 700;

export type Validation =
  | { readonly state: "validating" }
  | { readonly state: "valid" }
  | { readonly state: "refused"; readonly problems: readonly ConfigDiagnostic[] }
  /** No answer about the text, because the call failed. */
  | { readonly state: "failed"; readonly error: unknown };

/** Validates a text on the server after each pause in typing. An outdated answer is dropped. */
export function useValidation(client: AdminClient, realm: string, text: string): Validation {
  const { clock } = useAppContext();
  const [done, setDone] = useState<{ readonly text: string; readonly validation: Validation }>();
  useEffect(() => {
    const controller = new AbortController();
    const finish = (validation: Validation): void => {
      if (!controller.signal.aborted) setDone({ text, validation });
    };
    const stop = clock.every(pauseMs, () => {
      stop();
      client.validate(realm, text, controller.signal).then(
        () => finish({ state: "valid" }),
        (error: unknown) => {
          const problems = diagnosticsOf(error);
          finish(problems === undefined ? { state: "failed", error } : { state: "refused", problems });
        },
      );
    });
    return () => {
      stop();
      controller.abort();
    };
  }, [client, realm, text, clock]);
  return done?.text === text ? done.validation : { state: "validating" };
}
