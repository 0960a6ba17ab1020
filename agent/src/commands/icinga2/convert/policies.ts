import { type LevelRecipients, levelRecipients } from "../../import/contact-statuses.ts";
import { durationText, filledFields } from "../../import/imported-document.ts";
import { SharedPolicies } from "../../import/policy-name.ts";
import {
  attributeNumber,
  attributeText,
  type IcingaConfiguration,
  type IcingaObject,
  targetRefOf,
} from "../icinga-object.ts";
import { type IcingaContacts, timesOf } from "./contacts.ts";
import { missingKinds, notifiedStatuses } from "./notification-filters.ts";

/** Notification with the contacts that it reaches. Times are seconds since the problem began. */
type Reach = {
  readonly notification: IcingaObject;
  /** Statuses of which each contact is notified. */
  readonly contacts: ReadonlyMap<string, readonly string[]>;
  readonly beginSeconds: number;
  readonly endSeconds: number;
};

/** Settings that the notifications of a level have in common. */
type LevelSettings = {
  readonly active: readonly Reach[];
  readonly interval: number;
  readonly disabled: readonly string[];
};

type LevelSpan = { readonly active: readonly Reach[]; readonly lengthSeconds: number };

/** Notification policies. Objects with the same notifications share one. */
export class IcingaPolicies {
  readonly shared = new SharedPolicies();
  readonly #configuration: IcingaConfiguration;
  readonly #contacts: IcingaContacts;
  readonly #byObject: ReadonlyMap<string, readonly IcingaObject[]>;

  constructor(configuration: IcingaConfiguration, contacts: IcingaContacts) {
    this.#configuration = configuration;
    this.#contacts = contacts;
    this.#byObject = Map.groupBy(configuration.ofType("Notification"), (each) => targetRefOf(each));
    for (const [ref, notifications] of this.#byObject)
      for (const each of notifications)
        if (configuration.find(attributeText(each, "service_name") ? "Service" : "Host", ref) === undefined)
          configuration.unsupported(each, `its object ${ref} is not declared`);
        else configuration.converted(each);
  }

  /** Name of the policy of an object; undefined when it notifies no contact. */
  policyOf(object: IcingaObject): string | undefined {
    const reaches = (this.#byObject.get(object.name) ?? []).flatMap((each) => this.#reachOf(each, object) ?? []);
    const levels = this.#levels(reaches);
    if (levels.length === 0) return undefined;
    return this.shared.nameOf({ levels }, this.#contacts.groupNames);
  }

  #reachOf(notification: IcingaObject, object: IcingaObject): Reach | undefined {
    const kind = object.type === "Host" ? "Host" : "Service";
    const sent = notifiedStatuses(notification, kind);
    const contacts = new Map(
      this.#contacts.reachedBy(notification).map((name) => {
        const user = this.#contacts.origins.get(name);
        const taken = user && notifiedStatuses(user, kind);
        return [name, sent.filter((status) => taken?.includes(status) ?? true)] as const;
      }),
    );
    if (contacts.size === 0) {
      this.#configuration.unsupported(notification, "it reaches no user");
      return undefined;
    }
    const [beginSeconds = 0, endSeconds = Infinity] = [timesOf(notification, "begin"), timesOf(notification, "end")];
    return { notification, contacts, beginSeconds, endSeconds };
  }

  /** One level for each span of time in which the same notifications are sent. */
  #levels(reaches: readonly Reach[]): readonly LevelRecipients[] {
    const limits = reaches.flatMap(({ beginSeconds, endSeconds }) => [beginSeconds, endSeconds]);
    const starts = [...new Set(limits)].filter(Number.isFinite).sort((a, b) => a - b);
    const spans: LevelSpan[] = starts
      .map((start, at) => ({
        active: reaches.filter(({ beginSeconds, endSeconds }) => beginSeconds <= start && endSeconds > start),
        lengthSeconds: (starts[at + 1] ?? Number.POSITIVE_INFINITY) - start,
      }))
      .filter(({ active }) => active.length > 0);
    this.#remarkTimes(reaches, starts);
    return spans.map((span, at) => this.#level(span, at === spans.length - 1));
  }

  #remarkTimes(reaches: readonly Reach[], starts: readonly number[]): void {
    for (const { notification, beginSeconds, endSeconds } of reaches) {
      if (beginSeconds > 0 && beginSeconds === starts[0])
        this.#remark(notification, "the first notification is not delayed: raise max_check_attempts instead");
      if (endSeconds !== Number.POSITIVE_INFINITY && reaches.every((each) => each.endSeconds <= endSeconds))
        this.#remark(notification, "the last level goes on: notifications do not end while the problem lasts");
    }
  }

  #remark(notification: IcingaObject, why: string): void {
    this.#configuration.approximated(notification, why, "times");
  }

  #level({ active, lengthSeconds }: LevelSpan, isLast: boolean): LevelRecipients {
    const wanted = new Map<string, readonly string[]>();
    for (const [name, statuses] of active.flatMap((each) => [...each.contacts]))
      wanted.set(name, [...(wanted.get(name) ?? []), ...statuses]);
    const { contacts, ...statuses } = levelRecipients(wanted, this.#contacts.contacts);
    const intervals = active.map(({ notification }) => attributeNumber(notification, "interval", 1800));
    const repeated = intervals.filter((each) => each > 0);
    const interval = repeated.length > 0 ? Math.min(...repeated) : 0;
    const disabled = active
      .map(({ notification }) => missingKinds(notification))
      .reduce((a, b) => a.filter((each) => b.includes(each)));
    for (const { notification } of active) this.#remarkDifferences(notification, { active, interval, disabled });
    const common = { ...filledFields({ disabled_kinds: disabled, period: periodOf(active) }), ...statuses };
    if (isLast) return { contacts, renotify_interval: durationText(interval), ...common };
    // A level ends by the number of its notifications, so one that does not repeat lasts as long as its interval.
    const step = interval > 0 && interval <= lengthSeconds ? interval : lengthSeconds;
    const threshold = Math.max(1, Math.ceil(lengthSeconds / step));
    if (lengthSeconds % step !== 0)
      for (const { notification } of active)
        this.#remark(notification, `the next level begins with notification ${threshold + 1}, not at the time itself`);
    return { contacts, threshold, renotify_interval: durationText(step), ...common };
  }

  /** Reports settings of a notification that the others of its level do not share. */
  #remarkDifferences(notification: IcingaObject, { active, interval, disabled }: LevelSettings): void {
    const remark = (why: string, attribute: string): void =>
      this.#configuration.approximated(notification, `it shares a level with others: ${why}`, attribute);
    if (attributeNumber(notification, "interval", 1800) !== interval)
      remark(interval === 0 ? "it is not repeated" : `it is repeated every ${durationText(interval)}`, "interval");
    const more = missingKinds(notification).filter((kind) => !disabled.includes(kind));
    if (more.length > 0) remark(`${more.join(", ")} are sent too`, "types");
    const period = attributeText(notification, "period");
    if (period !== undefined && periodOf(active) === undefined) remark("it is sent at all times", "period");
  }
}

/** Period that all notifications of a level have. */
function periodOf(active: readonly Reach[]): string | undefined {
  const periods = new Set(active.map(({ notification }) => attributeText(notification, "period")));
  return periods.size === 1 ? [...periods][0] : undefined;
}
