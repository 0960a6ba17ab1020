import assert from "node:assert/strict";
import { after, test } from "node:test";
import { openLoader } from "@realmwatch/shared/load/load-document";
import { systemClock } from "@realmwatch/shared/tools/system-clock";
import { showChanges } from "./blast-radius.ts";
import { comparePlans } from "./plan-changes.ts";

const loader = openLoader(systemClock);
after(() => loader.close());

async function planOf(text: string) {
  const source = { kind: "text", text, name: "document.cue" } as const;
  const loaded = await loader.plan({ source, options: { realm: "test", localZone: "UTC", profile: undefined } });
  assert.ok(loaded.ok, loaded.ok ? "" : JSON.stringify(loaded.error));
  return loaded.value.value;
}

const check = '{type: "tcp", address: "127.0.0.1:1", flap: {}}';
const document = (host: string, more = ""): string => `
hosts: web1: {address: "a", check: ${check}, services: ssh: check: ${check}}
hosts: ${host}: {address: "b", check: ${check}}
${more}
`;
const contact = (url: string) => `contacts: chat: {type: "chat_webhook", webhook_url: "${url}"}\n`;
const view = (selector: string) => `views: All: selector: "${selector}"\n`;

test("objects, and what else a document declares, are compared by meaning", async () => {
  const before = await planOf(document("db1", contact("https://chat.example.org/secret") + view("env=prod")));
  const after = await planOf(
    `// A remark changes nothing.${document("db2", contact("https://chat.example.org/other") + view("env=prod"))}`.replace(
      'services: ssh: check: {type: "tcp"',
      'services: ssh: check: {type: "tcp", max_attempts: 7',
    ),
  );
  const changes = comparePlans(before, after);
  assert.deepEqual(changes, {
    objects: { added: ["db2"], removed: ["db1"], changed: ["web1!ssh"], kept: 1 },
    contacts: { added: [], removed: [], changed: ["chat"], kept: 0 },
  });
  assert.equal(
    showChanges(changes),
    [
      "objects: 1 added, 1 removed, 1 changed, 1 as before",
      "  + db2",
      "  - db1",
      "  ~ web1!ssh",
      "contacts: 1 changed",
      "  ~ chat",
    ].join("\n"),
  );
});

test("selectors are compared by what they say", async () => {
  const [before, after] = [
    await planOf(document("db1", view("env=prod"))),
    await planOf(document("db1", view("env=test"))),
  ];
  assert.deepEqual(comparePlans(before, after)["views"], { added: [], removed: [], changed: ["All"], kept: 0 });
  assert.deepEqual(comparePlans(before, before), { objects: { added: [], removed: [], changed: [], kept: 3 } });
});

test("long lists are cut, with how many are left", () => {
  const added = Array.from({ length: 25 }, (_, at) => `h${at}`);
  const lines = showChanges({ objects: { added, removed: [], changed: [], kept: 0 } }).split("\n");
  assert.deepEqual([lines.length, lines.at(-1)], [22, "  + and 5 more"]);
});
