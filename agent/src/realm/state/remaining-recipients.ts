import type { PolicyPlan, RealmPlan } from "@realmwatch/shared/config/plan";
import type { ContactMute, RemainingRecipients, UncoveredPolicy } from "@realmwatch/shared/model/catalog";

/** Maximum number of policies and of contacts that are named. */
const maxNamed = 20;

type Plan = Pick<RealmPlan, "contacts" | "policies" | "objects">;
type Found = { readonly uncovered: UncoveredPolicy[]; readonly others: Set<string> };

/**
 * [TG6] Recipients that are left without each contact, by contact. A level that names no other enabled contact is not
 * notified, and the escalation does not advance beyond it ([NO9]). Policies without objects are left out.
 */
export function remainingRecipients(
  plan: Plan,
  mutes: readonly ContactMute[],
): ReadonlyMap<string, RemainingRecipients> {
  const muted = new Set(mutes.map(({ contact }) => contact));
  const found = new Map<string, Found>();
  for (const name of plan.contacts.keys()) found.set(name, { uncovered: [], others: new Set() });
  for (const [policy, objects] of countByPolicy(plan))
    addPolicy(found, muted, { policy, objects, levels: plan.policies.get(policy)?.levels ?? [] });
  return new Map([...found].map(([contact, one]) => [contact, summarize(one)]));
}

function countByPolicy({ objects }: Plan): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { policy } of objects.values()) counts.set(policy, (counts.get(policy) ?? 0) + 1);
  return counts;
}

function addPolicy(
  found: ReadonlyMap<string, Found>,
  muted: ReadonlySet<string>,
  { policy, objects, levels }: Omit<UncoveredPolicy, "level"> & Pick<PolicyPlan, "levels">,
): void {
  const seen = new Set<string>();
  for (const [index, { contacts }] of levels.entries()) {
    const enabled = new Set(contacts.filter((name) => !muted.has(name)));
    for (const contact of new Set(contacts)) {
      const one = found.get(contact);
      const isCovered = enabled.size > (enabled.has(contact) ? 1 : 0);
      if (!isCovered && !seen.has(contact)) {
        one?.uncovered.push({ policy, level: index + 1, objects });
        seen.add(contact);
      }
      // One more than is named, since the contact itself may be among them.
      if (one !== undefined) for (const name of [...enabled].slice(0, maxNamed + 1)) one.others.add(name);
      one?.others.delete(contact);
    }
  }
}

const summarize = ({ uncovered, others }: Found): RemainingRecipients => ({
  uncovered: uncovered.sort((a, b) => b.objects - a.objects).slice(0, maxNamed),
  uncoveredPolicies: uncovered.length,
  uncoveredObjects: uncovered.reduce((sum, { objects }) => sum + objects, 0),
  others: [...others].sort().slice(0, maxNamed),
});
