import type { RemainingRecipients } from "../model/catalog.ts";
import { counted, plural } from "./plural.ts";

/** Sentences, without a full stop, on who is left while a contact is muted: the loss first. */
export function remainingSentences(contact: string, remaining: RemainingRecipients): readonly string[] {
  const { uncovered, uncoveredPolicies, uncoveredObjects, others } = remaining;
  const sentences: string[] = [];
  if (uncoveredPolicies > 0) {
    const policies = counted(uncoveredPolicies, "policy");
    const names = uncovered.map(
      ({ policy, level, objects }) =>
        `${policy}${level === 1 ? "" : ` from level ${level} on`} (${counted(objects, "object")})`,
    );
    const more = uncoveredPolicies > uncovered.length ? ", …" : "";
    sentences.push(
      `${contact} is the only contact left of ${policies} (${counted(uncoveredObjects, "object")}): nobody will be notified`,
      `${plural(uncoveredPolicies, "Policy")}: ${names.join(", ")}${more}`,
    );
  }
  if (others.length > 0) sentences.push(`Still notified: ${others.join(", ")}`);
  if (sentences.length === 0) sentences.push(`No object has a policy with ${contact}`);
  return sentences;
}
