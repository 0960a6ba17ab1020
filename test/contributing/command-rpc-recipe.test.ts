import assert from "node:assert/strict";
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { generateContract } from "./generate-contract.fixture.ts";
import { openRecipe, root, type Step } from "./recipe.fixture.ts";

const product = ["shared/src", "agent/src", "aggregator/src", "shared/cli/src"];
const dashboard = { extends: "./shared/dashboard/tsconfig.json", include: ["shared/dashboard/src"] };
const { copy, steps, write, revert, typeErrors, run } = openRecipe("docs/contributing/add-a-command-rpc.md", {
  folders: [...product, "proto", "shared/dashboard/src", "shared/dashboard/tsconfig.json"],
  projects: { product: { include: product }, dashboard, part: { include: ["agent/src/engine", "agent/src/api"] } },
});
const commandsTest = "shared/src/commands/commands.test.ts";
const isContract = ({ file }: Step): boolean => file.endsWith(".proto");

/** Calls the new method of the agent's service, without a thread between port and engine, on a flapping service. */
const call = `import { create } from "@bufbuild/protobuf";
import { createClient, createRouterTransport } from "@connectrpc/connect";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import { TargetSchema } from "@realmwatch/proto/svc/v1/common_pb";
import { keyOf } from "@realmwatch/shared/model/object-key";
import { objectKeyToProto } from "@realmwatch/shared/wire/fields/object-ref";
import { openBareLoop } from "../realm/fixtures/bare-loop.fixture.ts";
import { commandService } from "../port/command-service.ts";
import { CommandExecutor } from "./command-executor.ts";
const it = openBareLoop();
const record = it.realm.records.get("web1!http");
record.state = { ...record.state, flap: { value: 0.5, flapping: true } };
const intake = { submit: async (command) => (it.command(command), { ok: true, value: command }) };
const options = { intake, realm: it.realm, clock: it.clock, mintId: () => "id", heldReason: () => "" };
const executor = new CommandExecutor({ ...options, whenReadable: async () => {} } as never);
const engine = { request: (_, call) => executor.execute(structuredClone(call)) } as never;
const transport = createRouterTransport((router) => router.service(CommandService, commandService(engine)));
const target = create(TargetSchema, { target: { case: "object", value: objectKeyToProto(keyOf("web1!http")) } });
await createClient(CommandService, transport).resetFlapping({ target });
await it.settle();
console.log(it.rows.get("web1!http").flapping);
process.exit();
`;

/** Prints the sentence of the new command of the command line. */
const listed = `import { cliCommands } from "./commands/cli-commands.ts";
console.log(cliCommands.find(({ path }) => path === "reset-flapping")?.summary);
`;

test("the recipe for a command takes four files beside the contract, compiles with all clients, and works", async () => {
  assert.equal(steps.filter((step) => !isContract(step)).length, 4);
  for (const step of steps) write(step);
  await generateContract(copy);
  assert.equal(await typeErrors("product"), "");
  assert.equal(await typeErrors("dashboard"), "");
  await run("--conditions=source", "--test", join(copy, commandsTest));
  const file = join(copy, "agent/src/api/call.ts");
  writeFileSync(file, call);
  assert.equal(await run("--conditions=source", file), "false\n");
  const cli = join(copy, "shared/cli/src/listed.ts");
  writeFileSync(cli, listed);
  assert.match(await run("--conditions=source", cli), /^Forget the changes of status/);
});

for (const step of steps.filter((each) => !isContract(each)))
  test(`without the change of ${step.file} it does not compile`, async () => {
    revert(step);
    assert.match(await typeErrors("part"), /error TS/);
    write(step);
  });

test("without the change of the aggregator's contract a test fails", async () => {
  const step = steps.find(({ file }) => file.endsWith("realm.proto"));
  assert.ok(step);
  revert(step);
  await generateContract(copy);
  const failed = run("--conditions=source", "--test", join(copy, commandsTest));
  await assert.rejects(failed, ({ stdout }: { stdout: string }) => stdout.includes("resetFlapping"));
  cpSync(join(root, "proto/gen"), join(copy, "proto/gen"), { recursive: true });
});
