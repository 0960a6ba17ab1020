import assert from "node:assert/strict";
import { after, test } from "node:test";
import { openLoader } from "@realmwatch/shared/load/load-document";
import { formatDiagnostic } from "@realmwatch/shared/model/diagnostic";
import { ok } from "@realmwatch/shared/model/result";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import fc from "fast-check";
import { sourceNotes } from "./source-notes.ts";
import { documentFiles, documentText } from "./write-document.ts";

const loader = openLoader(systemClock);
after(() => loader.close());

/** JSON of a text of CUE. */
async function evaluated(text: string): Promise<unknown> {
  const loaded = await loader.document({
    source: { kind: "text", text, name: "out.cue" },
    compile: (json) => ok(json as object),
  });
  if (!loaded.ok) assert.fail(`${loaded.error.map(formatDiagnostic).join("\n")}\n${text}`);
  return loaded.value.value;
}

const texts = ["a", "80%", '"', "\\(target)", "$ARG1$", "two\nlines", "#x", "target", "10"];
const addresses = fc.constantFrom("192.0.2.1", "192.0.2.10", "::1", "web", "a.b");
const interval = fc.constantFrom("1m", "5m");

/** Checks whose texts have the address of the host, or something like it. */
const check = (address: string) =>
  fc.oneof(
    fc.record({
      ...{ type: fc.constant("command"), command: fc.constantFrom("disk", "for"), check_interval: interval },
      args: fc.array(fc.constantFrom(...texts, address, `${address}0`, `x${address}`, `//${address}/a`), {
        maxLength: 3,
      }),
      flap: fc.constant({ enabled: false }),
    }),
    fc.record({
      ...{ type: fc.constant("tcp"), address: fc.constantFrom(`${address}:80`, "b:80"), check_interval: interval },
      flap: fc.constant({}),
    }),
  );
const labels = fc.dictionary(fc.constantFrom("hostgroup.web", "hostgroup.db", "site"), fc.constant("yes"), {
  minKeys: 1,
});
const vars = fc.dictionary(fc.constantFrom("RACK", "X"), fc.constantFrom(...texts), { minKeys: 1 });
const policy = fc.constantFrom("ops", "night");

const host = addresses.chain((address) => {
  const service = fc.record(
    { labels, vars, notification: policy, check: check(address) },
    { requiredKeys: ["check", "notification"] },
  );
  const services = fc.dictionary(fc.constantFrom("Disk", "HTTP 80", "#x", "for"), service, { minKeys: 1 });
  return fc.record(
    {
      ...{ address: fc.constant(address), parents: fc.constant(["gw"]), labels, vars, notification: policy },
      ...{ check: check(address), services, handler: fc.constantFrom("restart") },
    },
    { requiredKeys: ["address", "check"] },
  );
});
const hosts = fc.dictionary(fc.constantFrom("h1", "h 2", "#h3", "4", "let", "h6", "_7"), host, {
  noNullPrototype: true,
});

/** Dependencies, some of which are the same on several hosts. */
const dependencies = fc
  .uniqueArray(fc.tuple(fc.constantFrom("h1", "h 2", "\\(x)"), fc.constantFrom("Disk", "a!b"), fc.boolean()), {
    ...{ selector: ([host, service]) => `${host}!${service}`, minLength: 1 },
  })
  .map((drawn) =>
    Object.fromEntries(
      drawn.map(([host, service, isFar]) => {
        const on = isFar ? "gw" : `${host}!SSH`;
        const dependents = [{ ref: `${host}!${service}` }];
        return [`${host}!${service} on ${on}`, { dependents, on: { ref: on }, fails_on: ["critical"] }];
      }),
    ),
  );

test("[IM31] definitions of what hosts and services have in common stand for the same document", async () => {
  const names = fc.dictionary(
    fc.constantFrom("hosts h1", "hosts h6!Disk"),
    fc.constantFrom("generic-host", "24x7", "a!"),
  );
  await fc.assert(
    fc.asyncProperty(hosts, names, dependencies, async (document, templates, dependent) => {
      const origins = Object.entries(templates).map(([part, template]) => ({
        ...{ part, template, comment: `of ${part}`, kind: "host", name: part, source: { file: "a", line: 1 } },
      }));
      const written = JSON.parse(
        JSON.stringify({ contacts: { ann: { type: "email" } }, dependencies: dependent, hosts: document }),
      );
      assert.deepEqual(await evaluated(documentText(written, sourceNotes(origins))), written);
    }),
    { numRuns: 40 },
  );
});

const serviceCheck = (command: string, args: readonly string[]) => ({
  ...{ type: "command", command, args, check_interval: "5m", max_attempts: 3, flap: { enabled: false } },
});
const hostAt = (address: string, more: object = {}) => ({
  ...{ address, labels: { "hostgroup.web": "yes" }, notification: "ops", ...more },
  check: { type: "icmp", host: address, flap: {} },
  services: {
    Disk: { check: serviceCheck("disk", ["5%"]), notification: "ops" },
    HTTP: { check: serviceCheck("http", [`http://${address}/`]), notification: "ops" },
  },
});

test("[IM31] a document is written as a person would: a definition for each group, comments, and a line for each host", () => {
  const document = {
    commands: { disk: { line: "check_disk" }, http: { line: "check_http" } },
    hosts: { web1: hostAt("192.0.2.1", { parents: ["gw"] }), web2: hostAt("192.0.2.2") },
  };
  const origin = { source: { file: "a", line: 1 }, kind: "", name: "" };
  const notes = sourceNotes([
    { part: "hosts web1", comment: "The first one.", template: "generic-host", ...origin },
    { part: "hosts web1!Disk", comment: "All disks.", template: "generic-service", ...origin },
    { part: "hosts web2!Disk", comment: "All disks.", template: "generic-service", ...origin },
    { part: "templates generic-service", comment: "For all services.", template: undefined, ...origin },
    { part: "commands http", comment: "Asks for a page.", template: undefined, ...origin },
  ]);
  const files = documentFiles(document, notes);
  assert.deepEqual([...files.keys()], ["commands.cue", "services.cue", "hosts.cue"]);
  assert.equal(
    files.get("services.cue"),
    `// For all services.
#generic_service: {check: {type: "command", check_interval: "5m", max_attempts: 3, flap: enabled: false, ...}, notification: "ops", ...}
#web: {
	address: string
	let target = address
	notification: "ops"
	check: {type: "icmp", host: target, flap: {}}
	labels: "hostgroup.web": "yes"
	services: {
		// All disks.
		Disk: {#generic_service, check: {command: "disk", args: ["5%"]}}
		HTTP: {#generic_service, check: {command: "http", args: ["http://\\(target)/"]}}
	}
}
`,
  );
  assert.equal(
    files.get("hosts.cue"),
    `hosts: {
	// The first one.
	web1: {#web, address: "192.0.2.1", parents: ["gw"]}
	web2: {#web, address: "192.0.2.2"}
}
`,
  );
  assert.equal(
    files.get("commands.cue"),
    `commands: {
	disk: line: "check_disk"
	// Asks for a page.
	http: line: "check_http"
}
`,
  );
});
