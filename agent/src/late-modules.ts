import type { RealmPlan } from "@realmwatch/shared/config/plan";
import type { Log } from "@realmwatch/shared/platform/log/log";
import { loadSnmpReader } from "./checks/open-check-dependencies.ts";
import { loadMailComposer } from "./contacts/mail/outgoing-mail.ts";
import { loadSmtpConnection } from "./contacts/mail/smtp-session.ts";
import { loadHttpAgent } from "./platform/outbound/outbound-http.ts";

/**
 * Loads the modules that checks and deliveries of a plan load at their first use, so that an upgrade may replace the
 * program's files: the old program judges and notifies until it is restarted. Each is loaded by the function that loads
 * it later, because Node.js looks for the file again when another module imports it.
 */
export function loadLateModules({ contacts, objects }: RealmPlan, log: Pick<Log, "error">): void {
  const loaders: (() => Promise<unknown>)[] = [];
  if (contacts.size > 0) loaders.push(loadHttpAgent, loadMailComposer, loadSmtpConnection);
  if (hasSnmpCheck(objects)) loaders.push(loadSnmpReader);
  Promise.all(loaders.map((load) => load())).catch((err: unknown) =>
    log.error({ err }, "a module that checks or deliveries need cannot be loaded"),
  );
}

function hasSnmpCheck(objects: RealmPlan["objects"]): boolean {
  for (const object of objects.values()) if ("check" in object && object.check.type === "snmp") return true;
  return false;
}
