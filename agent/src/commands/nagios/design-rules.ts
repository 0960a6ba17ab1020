import { type DesignRule, designItem } from "../import/design-notes.ts";
import type { NagiosConfiguration } from "./nagios-configuration.ts";

/** Differences from Nagios by design that objects can meet. @param policies those of the document */
export function nagiosDesignRules(configuration: NagiosConfiguration, policies: unknown): readonly DesignRule[] {
  const notifies = policiesOf(policies);
  const translates = configuration.option("translate_passive_host_checks", 0) !== 0;
  const countsAttempts = configuration.option("passive_host_checks_are_soft", 0) !== 0;
  return [
    {
      reason: "soft_again",
      objects: "services with several attempts",
      why: "a problem that turned hard because the host was down stays hard when its status changes, Nagios counts its attempts again",
      applies: ({ isHost, hasAttempts }) => !isHost && hasAttempts,
    },
    {
      reason: "unreachable_host",
      objects: "hosts with parents and the option u",
      why: "only parents that are down are notified, by Nagios also hosts that are unreachable",
      applies: ({ parents, policy = "" }) =>
        parents.length > 0 &&
        (notifies[policy]?.levels ?? []).some(({ statuses }) => statuses?.includes("UNREACHABLE") ?? true),
    },
    {
      reason: "passive_host",
      objects: "passive hosts with parents",
      why: "the parents decide whether a host is down or unreachable, Nagios takes what was submitted",
      applies: ({ isPassive, parents }) => !translates && isPassive && parents.length > 0,
    },
    {
      reason: "passive_attempts",
      objects: "passive hosts with several attempts",
      why: "a submitted problem of a host goes through its attempts, Nagios makes it hard at once",
      applies: ({ isHost, isPassive, hasAttempts }) => !countsAttempts && isHost && isPassive && hasAttempts,
    },
  ];
}

/** Adds the difference of repetitions with the number of policies that repeat. @param policies those of the document */
export function remarkRepetitions({ report, objects }: NagiosConfiguration, policies: unknown): void {
  const source = objects[0]?.source;
  const repeating = Object.values(policiesOf(policies)).filter(({ levels = [] }) =>
    levels.some(({ renotify_interval: interval }) => interval !== "0s"),
  );
  if (source === undefined || repeating.length === 0) return;
  const why = `notifications are repeated when the interval is over, by Nagios with the first result after that; policies: ${repeating.length}`;
  report.add(designItem("repetition", { source, why }));
}

type LevelDocument = { readonly renotify_interval?: string; readonly statuses?: readonly string[] };
type PolicyDocument = { readonly levels?: readonly LevelDocument[] };

const policiesOf = (policies: unknown) => (policies ?? {}) as Readonly<Record<string, PolicyDocument>>;
