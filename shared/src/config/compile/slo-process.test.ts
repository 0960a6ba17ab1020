import assert from "node:assert/strict";
import { test } from "node:test";
import { compilePlan } from "./compile-plan.ts";

const compile = (slos: object, more: object = {}) =>
  compilePlan(
    {
      hosts: { web1: { address: "a", check: { type: "tcp", address: "a:1", flap: {} }, labels: { app: "shop" } } },
      contacts: { ann: { type: "email", address: "ann@example.org" } },
      notifications: { ops: { levels: [{ contacts: ["ann"] }] } },
      ui: { availability: {} },
      slos,
      ...more,
    },
    { realm: "r", localZone: "UTC" },
  );

const messages = (slos: object, more: object = {}): string[] => {
  const plan = compile(slos, more);
  return plan.ok ? [] : plan.error.map(({ path, message }) => `${path.join(".")}: ${message}`);
};

test("[SL12] an objective with notifications is a process that no selector and no rule of the document matches", () => {
  const shop = { selector: "app=shop", target: 99, notification: "ops" };
  const all = { rule: { select: "@kind=process,@name!=all" } };
  const plan = compile(
    { shop, quiet: { selector: "app=shop", target: 99 } },
    { processes: { a: { rule: { ref: "web1" } }, all } },
  );
  assert.ok(plan.ok);
  const processes = [...plan.value.objects.values()].filter(({ key }) => key.kind === "process");
  assert.deepEqual(
    processes.map(({ ref, policy }) => [ref, policy]),
    [
      ["process:a", ""],
      ["process:all", ""],
      ["process:slo:shop", "ops"],
    ],
  );
  assert.deepEqual(
    processes.map((plan) => "inputs" in plan && plan.inputs),
    [["web1"], ["process:a"], []],
  );
});

test("[SL12] the policy of an objective has to exist, and its name has to be free and that of a process", () => {
  const slo = { selector: "app=shop", target: 99, notification: "ops" };
  assert.match(
    messages({ shop: { ...slo, notification: "opps" } })[0] ?? "",
    /^slos\.shop\.notification: .*"opps".*not declared/,
  );
  assert.match(
    messages({ shop: slo }, { processes: { "slo:shop": { rule: { ref: "web1" } } } })[0] ?? "",
    /^slos\.shop\.notification: .*shows the SLO as process "slo:shop", which is declared too/,
  );
  assert.match(
    messages({ "a\nb": slo })[0] ?? "",
    /makes the SLO a process, which has a control character in its name/,
  );
  assert.deepEqual(messages({ "a\nb": { ...slo, notification: "" } }), []);
});
