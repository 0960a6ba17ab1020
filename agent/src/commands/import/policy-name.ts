import type { CueObject } from "./imported-document.ts";

/** Names of groups of contacts, by the names of their members, sorted and joined by commas. */
export type ContactGroupNames = ReadonlyMap<string, string>;

/** Policies of a document. Equal ones are one. */
export class SharedPolicies {
  readonly policies: CueObject = {};
  readonly #names = new Map<string, string>();

  /** Name of a policy, which is added unless the document has it. */
  nameOf(policy: CueObject, groups: ContactGroupNames): string {
    return this.#names.getOrInsertComputed(JSON.stringify(policy), () => {
      const name = policyName(policy, groups, this.policies);
      this.policies[name] = policy;
      return name;
    });
  }
}

/**
 * Name of a policy, such as `ops_24x7_after_3`: its first recipients, its period, and the number of notifications after
 * which others are notified too. `taken`: policies whose names are in use.
 */
function policyName(policy: CueObject, groups: ContactGroupNames, taken: CueObject): string {
  const [first = {}, ...later] = policy["levels"] as readonly CueObject[];
  const contacts = first["contacts"] as readonly string[];
  const period = policy["period"] ?? first["period"];
  const words = [
    groups.get(contacts.join()) ?? shortList(contacts),
    ...(period === undefined ? [] : [String(period)]),
    ...((first["statuses"] as readonly string[] | undefined)?.includes("WARNING") === false ? ["no_warnings"] : []),
    ...(later.length > 0 ? ["after", String(first["threshold"])] : []),
  ];
  const wish = plainWord(words);
  const candidates = [wish, plainWord([...words, "every", String(first["renotify_interval"])])];
  for (let count = 2; ; count += 1) {
    const name = candidates.shift() ?? `${wish}_${count}`;
    if (!Object.hasOwn(taken, name)) return name;
  }
}

const shortList = (contacts: readonly string[]): string =>
  contacts.length <= 2 ? contacts.join("_") : `${contacts[0]}_and_${contacts.length - 1}_more`;

const plainWord = (words: readonly string[]): string =>
  words
    .join("_")
    .replaceAll(/[^\p{L}\p{N}]+/gu, "_")
    .replaceAll(/^_+|_+$/g, "");
