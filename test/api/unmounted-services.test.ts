import assert from "node:assert/strict";
import { test } from "node:test";
import type { DescService } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { ServerReflection } from "@realmwatch/proto/grpc/reflection/v1/reflection_pb";
import { AuthService } from "@realmwatch/proto/svc/v1/auth_pb";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import { QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { RealmCommandService } from "@realmwatch/proto/svc/v1/realm_pb";
import { gatedServices, openTestProgram } from "./program-server.fixture.ts";
import { callRaw, grpcFrame, wireProtocols } from "./raw-call.ts";

const emptyGrpcBody = Buffer.from(grpcFrame(new Uint8Array()));
const contract: readonly DescService[] = [...gatedServices, AuthService];

test("[PT20] a service of the contract that is not mounted is HTTP 404 on every wire, whatever the method", async (t) => {
  const mounted: readonly DescService[] = [QueryService, RealmCommandService];
  const { base } = await openTestProgram(t, {
    auth: undefined,
    mount: (router) => {
      for (const service of mounted) router.service(service, {});
    },
  });
  const wrong: string[] = [];
  for (const service of contract)
    for (const method of [...service.methods.map(({ name }) => name), "Nope", ""])
      for (const protocol of wireProtocols) {
        const path = `/${service.typeName}/${method}`;
        const body = protocol.startsWith("grpc") ? emptyGrpcBody : Buffer.from(protocol === "json" ? "{}" : "");
        const { status, code } = await callRaw(base, path, { protocol, body });
        const isMounted = mounted.includes(service);
        const isGrpc = protocol.startsWith("grpc");
        const isUnknown = method === "Nope" || method === "";
        // An unknown method of a service that is mounted stays an error of the protocol.
        const expected = !isMounted || (isUnknown && !isGrpc) ? 404 : isGrpc ? 200 : 501;
        if (status !== expected) wrong.push(`${protocol} ${path}: ${status} ${code}`);
      }
  for (const protocol of ["grpc", "grpc-web"] as const) {
    const { status, code } = await callRaw(base, "/svc.v1.Nope/Call", { protocol, body: emptyGrpcBody });
    if (status !== 200 || code !== "unimplemented") wrong.push(`${protocol} of an unknown service: ${status} ${code}`);
  }
  assert.deepEqual(wrong, []);
});

test("[PT20] reflection lists mounted services only, and finds no other one that a mounted one's file imports", async (t) => {
  const { base } = await openTestProgram(t, {
    auth: undefined,
    mount: (router) => void router.service(RealmCommandService, {}),
  });
  const client = createClient(ServerReflection, createGrpcTransport({ baseUrl: base }));
  async function* requests() {
    yield { messageRequest: { case: "listServices" as const, value: "*" } };
    for (const value of [
      CommandService.typeName,
      `${CommandService.typeName}.AddComment`,
      RealmCommandService.typeName,
    ])
      yield { messageRequest: { case: "fileContainingSymbol" as const, value } };
  }
  const answers = [];
  for await (const { messageResponse } of client.serverReflectionInfo(requests())) answers.push(messageResponse);
  const [list, ...files] = answers;
  assert.ok(list?.case === "listServicesResponse");
  assert.deepEqual(
    list.value.service.map(({ name }) => name).filter((name) => name.startsWith("svc.")),
    [RealmCommandService.typeName],
  );
  assert.deepEqual(
    files.map((file) => file?.case),
    ["errorResponse", "errorResponse", "fileDescriptorResponse"],
  );
});
