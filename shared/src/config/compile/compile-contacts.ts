import { never } from "../../model/never.ts";
import type { ContactPlan, PolicyPlan } from "../plan.ts";
import type { ContactDocument } from "../schema/contact.ts";
import { validateArguments } from "./compile-commands.ts";
import { type CompileContext, requireDeclared } from "./compile-context.ts";

export function compileContacts(c: CompileContext): ReadonlyMap<string, ContactPlan> {
  const plans = new Map<string, ContactPlan>();
  for (const [name, contact] of c.document.contacts) {
    if (contact === undefined) continue;
    requireDeclared(c, "timeperiods", contact.notification_period, ["contacts", name, "notification_period"]);
    if (contact.type === "command") {
      requireDeclared(c, "commands", contact.command, ["contacts", name, "command"]);
      validateArguments(contact.args, ["contacts", name, "args"], c);
    }
    plans.set(name, contactPlan(name, contact));
  }
  return plans;
}

function contactPlan(name: string, contact: ContactDocument): ContactPlan {
  const { labels, notification_period: notificationPeriod } = contact;
  const common = { name, labels, notificationPeriod };
  switch (contact.type) {
    case "email":
      return { ...common, type: "email", address: contact.address, groupWaitMs: contact.group_wait };
    case "webhook":
      return { ...common, type: "webhook", url: contact.url, groupWaitMs: contact.group_wait };
    case "messenger":
      return { ...common, type: "messenger", chatId: contact.chat_id, groupWaitMs: contact.group_wait };
    case "chat_webhook":
      return { ...common, type: "chat_webhook", webhookUrl: contact.webhook_url, groupWaitMs: contact.group_wait };
    case "command": {
      const { command, args, address } = contact;
      return { ...common, type: "command", command, args, address };
    }
    case "pager":
      return { ...common, type: "pager", routingKey: contact.routing_key };
    case "incident":
      return { ...common, type: "incident", alertSourceConfigId: contact.alert_source_config_id };
    default:
      return never(contact);
  }
}

export function compilePolicies(c: CompileContext): ReadonlyMap<string, PolicyPlan> {
  const plans = new Map<string, PolicyPlan>();
  for (const [name, { period, levels }] of c.document.notifications) {
    const path = ["notifications", name];
    requireDeclared(c, "timeperiods", period, [...path, "period"]);
    const compiled = levels.map((level, i) => {
      const at = [...path, "levels", i];
      requireDeclared(c, "timeperiods", level.period, [...at, "period"]);
      for (const [k, contact] of level.contacts.entries())
        requireDeclared(c, "contacts", contact, [...at, "contacts", k]);
      return {
        contacts: [...new Set(level.contacts)],
        threshold: level.threshold,
        renotifyIntervalMs: level.renotify_interval,
        disabledKinds: [...new Set(level.disabled_kinds)],
        period: level.period,
      };
    });
    plans.set(name, { period, levels: compiled });
  }
  return plans;
}
