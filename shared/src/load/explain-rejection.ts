import type { CueCommand } from "../tools/cue/command.ts";
import { explain } from "../tools/cue/explain.ts";
import type { Sheet } from "../tools/cue/sheet.ts";
import type { PlacedProblem } from "./thread-messages.ts";

/** CUE's complaints about a document, without the secrets that it likes to quote. */
export async function explainRejection(
  command: CueCommand,
  sheet: Sheet,
  complaint: string,
): Promise<readonly PlacedProblem[]> {
  const problems = await explain(command, sheet, complaint);
  return problems.map(({ message, path, place }) => ({ message: discreet(message, path?.map(String) ?? []), place }));
}

const secretFields = new Set([
  "community",
  "auth_pass",
  "priv_pass",
  "url",
  "webhook_url",
  "routing_key",
  "alert_source_config_id",
  "password_hash",
  "token_hash",
]);

/** Hides quoted texts where the field is, or a struct that is spelled out may hold, a secret. */
function discreet(message: string, path: readonly string[]): string {
  const field = path.at(-1) ?? "";
  const isSecret = secretFields.has(field) || path.includes("headers") || path.includes("resources");
  if (!isSecret && !message.includes("{")) return message;
  const start = message.indexOf(": ") + 1;
  return message.slice(0, start) + message.slice(start).replace(/"(?:[^"\\]|\\.)*"/g, '"…"');
}
