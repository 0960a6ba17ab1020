import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { create, type DescField, type DescMessage, type DescService, type Message } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, type ConnectRouter } from "@connectrpc/connect";
import { AdminService } from "@realmwatch/proto/svc/v1/admin_pb";
import { AuthService } from "@realmwatch/proto/svc/v1/auth_pb";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import { QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { cliCommands } from "./commands/cli-commands.ts";
import { outputFormats } from "./output/cli-output.ts";
import { openCliServers, runTestCli } from "./run-cli.fixture.ts";

const { listen, serve } = openCliServers(after);

/** Colour, title of the window, C1, NUL, bell, overwriting, bidirectional, hidden and separating characters. */
const hostile =
  "x\u001b[31m\u001b]0;title\u0007\u009b2J\u0000\r\u007f\u202eevil\u2066\u200b\u2028\ufeff\u{e0041}\nnext=SUM(A1)";
/** Unprintable characters, save tabs and the ends of lines. */
const forbidden =
  /(?!\t|\n|\r\n)[\p{Cc}\p{Zl}\p{Zp}\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/u;

/** Message in which every text is hostile, and every list has one entry. */
function hostileMessage(schema: DescMessage, depth = 0): Message {
  if (schema.typeName === "google.protobuf.Timestamp") return timestampFromMs(Date.parse("2026-03-28T16:00:00Z"));
  if (schema.typeName === "google.protobuf.Duration") return create(schema, { seconds: 60n });
  const fields = schema.fields.filter((field) => field.oneof === undefined || field.oneof.fields[0] === field);
  const values = fields.map((field): [string, unknown] => {
    const value = hostileField(field, depth);
    return field.oneof === undefined
      ? [field.localName, value]
      : [field.oneof.localName, { case: field.localName, value }];
  });
  return create(schema, Object.fromEntries(values.filter(([, value]) => value !== undefined)));
}

function hostileField(field: DescField, depth: number): unknown {
  if (field.fieldKind === "map") return field.scalar === undefined ? undefined : { [hostile]: hostile };
  const { message, scalar, enum: type } = field;
  if (message !== undefined && depth > 5) return undefined;
  const value =
    message === undefined ? (type?.values[1]?.number ?? scalarOf(scalar)) : hostileMessage(message, depth + 1);
  return field.fieldKind === "list" ? [value] : value;
}

/** Numbers of the types: 9 text, 8 boolean, 12 bytes; 3, 4, 6, 16 and 18 have 64 bits. */
function scalarOf(scalar: number | undefined): unknown {
  if (scalar === 9) return hostile;
  if (scalar === 8) return true;
  if (scalar === 12) return new Uint8Array();
  return [3, 4, 6, 16, 18].includes(scalar ?? 0) ? 1n : 1;
}

/** Servers that answer with hostile texts, and that refuse with one. */
const answering = await serve((router) => {
  for (const service of [QueryService, CommandService, AdminService, AuthService])
    addService(router, service, (schema, method) => {
      const message = { ...hostileMessage(schema), nextPageToken: "" };
      return method === "GetServerInfo" ? { ...message, aggregator: false, authEnabled: true } : message;
    });
});
const refusing = await serve((router) => {
  for (const service of [QueryService, CommandService, AdminService, AuthService])
    addService(router, service, () => {
      throw new ConnectError(hostile, Code.FailedPrecondition);
    });
});

function addService(
  router: ConnectRouter,
  service: DescService,
  answer: (schema: DescMessage, method: string) => Message,
): void {
  for (const method of service.methods)
    router.rpc(method as never, (() => answer(method.output, method.name)) as never);
}

const file = join(tmpdir(), `hostile-${process.pid}.cue`);
writeFileSync(file, "hosts: {}\n");

/** Arguments of commands that need some; the others run without. */
const args: Readonly<Record<string, readonly string[]>> = {
  explain: ["x"],
  metrics: ["x"],
  "downtime add": ["x", "-for=1h", "-comment=y"],
  "downtime rm": ["x"],
  "comment add": ["x", "y"],
  "note add": ["x"],
  handover: ["-since=06:00"],
  "comment rm": ["x"],
  "toggle program": ["notifications", "off"],
  "toggle object": ["notifications", "off", "x"],
  "toggle contact": ["x", "off"],
  notify: ["x", "-comment=y"],
  "config validate": [file],
  "config diff": [file],
  "config apply": [file, "-yes"],
  "config period": [file, "x", "-from=2026-01-01T00:00:00Z", "-to=2026-01-02T00:00:00Z"],
  "config simulate": [file],
  ack: ["x", "-comment=y"],
  "pair promote": ["-force", "-yes"],
  login: ["-user=x"],
  completion: ["bash"],
};
/** Commands that work on files of this machine, through the agent's program. */
const local = /^(config (validate|period|simulate)|import|audit verify|backup|notify (test|route)|shadow|capacity)/;

for (const { path } of cliCommands.filter((each) => !local.test(each.path)))
  test(`[TX1] ${path} prints nothing that controls a terminal, in any format`, async () => {
    const more = path === "slo" ? [["-csv"]] : path === "status" ? [["-as-plugin"]] : [];
    const formats = [...outputFormats.map((format) => [`-output=${format}`]), ["-quiet"], ...more];
    for (const server of [answering, refusing])
      for (const format of formats) {
        const called = [...path.split(" "), ...(args[path] ?? (/^(ack|unack|check|custom)/.test(path) ? ["x"] : []))];
        const flags = [`-server=${server}`, "-token=t", ...format];
        const { code, stdout, stderr } = await runTestCli([...called, ...flags], {
          readPassword: async () => "secret",
        });
        const said = `${format}: ${JSON.stringify(stdout + stderr)}`;
        if (format[0] !== "-quiet") assert.notEqual(stdout + stderr, "", said);
        assert.notEqual(code, 2, said);
        assert.doesNotMatch(stdout + stderr, forbidden, said);
        if (code !== 0 || stdout === "") continue;
        if (format[0] === "-output=json") JSON.parse(stdout);
        if (format[0] === "-output=ndjson") for (const line of stdout.trim().split("\n")) JSON.parse(line);
      }
  });

test("[TX1] colours stay, and texts of a server get none", async () => {
  const { stdout } = await runTestCli(["objects", `-server=${answering}`], { colours: true });
  assert.ok(stdout.startsWith("\u001b[1m"));
  assert.ok(!stdout.includes("x\u001b"));
});

test("[TX1] JSON has the texts of the server", async () => {
  const { stdout } = await runTestCli(["objects", `-server=${answering}`, "-o=json"]);
  assert.ok(JSON.stringify(JSON.parse(stdout)).includes(JSON.stringify(hostile).slice(1, -1)));
});

test("[TX1] an id takes one line of -quiet", async () => {
  const { stdout } = await runTestCli(["objects", `-server=${answering}`, "-quiet"]);
  assert.equal(stdout.split("\n").length, 2, stdout);
});

for (const [what, tokenOf, failure] of [
  ["a page that is repeated", (at: number) => String(at % 3), "answered with a page that it had answered before"],
  ["pages without end", String, "answered with more than 1000 pages"],
] as const)
  test(`[TX3] ${what}: the list fails`, { timeout: 120_000 }, async () => {
    let pages = 0;
    const server = await serve((router) =>
      addService(router, QueryService, (schema) => {
        pages += 1;
        return create(schema, { nextPageToken: tokenOf(pages) } as never);
      }),
    );
    for (const called of ["objects", "history"]) {
      const { code, stderr } = await runTestCli([called, `-server=${server}`]);
      assert.deepEqual([code, stderr], [1, `realmwatch: ${server} ${failure}\n`]);
    }
  });

/** Server whose answers do not end. */
const endless = await listen(
  createServer((request, response) => {
    response.writeHead(200, { "content-type": request.headers["content-type"] ?? "text/plain" });
    const chunk = Buffer.alloc(2 ** 20, " ");
    const more = (): void => {
      while (response.write(chunk));
    };
    response.on("drain", more);
    request.resume();
    more();
  }),
);
for (const called of [["status"], ["ack", "x", "-comment=y"], ["realms", "-o=json"], ["capacity", "-for=1s"]])
  test(`[TX2] ${called.join(" ")}: an answer without end is cut at 64 MiB`, { timeout: 60_000 }, async () => {
    const { code, stdout, stderr } = await runTestCli([...called, `-server=${endless}`]);
    assert.deepEqual([code, stdout], [1, ""]);
    assert.match(stderr, /^realmwatch: http:\S+ sent an answer of more than 64 MiB$/m);
  });
