import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { generateContract } from "./generate-contract.fixture.ts";
import { openRecipe } from "./recipe.fixture.ts";

const product = ["shared/src", "agent/src", "aggregator/src", "shared/cli/src"];
const dashboard = { extends: "./shared/dashboard/tsconfig.json", include: ["shared/dashboard/src"] };
const { copy, steps, write, revert, typeErrors, run } = openRecipe("docs/contributing/add-a-query-rpc.md", {
  folders: [...product, "proto", "shared/dashboard/src", "shared/dashboard/tsconfig.json"],
  projects: { product: { include: product }, dashboard, part: { include: ["shared/src/api"] } },
});

/** Calls the new method of the service. */
const call = `import { createClient, createRouterTransport } from "@connectrpc/connect";
import { QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { queryService } from "./query-service.ts";
const model = { realms: async () => ({ ok: true, value: [{ name: "us" }, { name: "eu" }] }) };
const options = { model, clock: { now: () => 0 }, serverInfo: () => ({}) } as never;
const transport = createRouterTransport((router) => router.service(QueryService, queryService(options)));
console.log((await createClient(QueryService, transport).listRealmNames({})).names.join());
`;

test("the recipe for a query takes one file beside the contract, compiles with all clients, and works", async () => {
  assert.deepEqual(
    steps.map(({ file }) => file),
    ["proto/svc/v1/query.proto", "shared/src/api/query/query-service.ts"],
  );
  for (const step of steps) write(step);
  await generateContract(copy);
  assert.equal(await typeErrors("product"), "");
  assert.equal(await typeErrors("dashboard"), "");
  const file = join(copy, "shared/src/api/query/call.ts");
  writeFileSync(file, call);
  assert.equal(await run("--conditions=source", file), "eu,us\n");
});

test("without the answer it does not compile", async () => {
  const [, answer] = steps;
  assert.ok(answer);
  revert(answer);
  assert.match(await typeErrors("part"), /listRealmNames/);
});
