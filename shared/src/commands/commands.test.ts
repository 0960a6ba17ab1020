import assert from "node:assert/strict";
import { test } from "node:test";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import { ExecuteRequestSchema, RealmCommandService } from "@realmwatch/proto/svc/v1/realm_pb";
import { recordedCommand } from "./commands.ts";
import { contactToggleText } from "./set-contact-notifications.ts";

const named = (names: readonly { readonly localName: string }[]): readonly string[] =>
  names.map(({ localName }) => localName).sort();
const withTarget = CommandService.methods.filter(({ input }) => input.field["target"] !== undefined);

test("an aggregator forwards every command", () => {
  assert.deepEqual(named(RealmCommandService.methods), named(CommandService.methods));
});

test("[CM2] every command with a target, but for a comment, may be sent for a selection in all realms", () => {
  const bulk = ExecuteRequestSchema.oneofs.flatMap(({ fields }) => fields);
  assert.deepEqual(named(bulk), named(withTarget.filter(({ localName }) => localName !== "addComment")));
});

test("each command that changes a toggle of the realm is recognised by its history record", () => {
  const commands: readonly [output: string, command: ReturnType<typeof recordedCommand>][] = [
    ["notifications off", { kind: "set_program_notifications", enabled: false }],
    ["active_checks on", { kind: "set_program_toggle", toggle: "activeChecks", enabled: true }],
    ["event_handlers off", { kind: "set_program_toggle", toggle: "eventHandlers", enabled: false }],
    [
      contactToggleText("ann on off", undefined),
      { kind: "set_contact_notifications", contact: "ann on off", enabled: true },
    ],
    [
      contactToggleText("ann", { untilMs: 5_000 }),
      { kind: "set_contact_notifications", contact: "ann", enabled: false, untilMs: 5_000 },
    ],
    [
      contactToggleText("ann", { untilMs: undefined }),
      { kind: "set_contact_notifications", contact: "ann", enabled: false },
    ],
    ["event_handler off", undefined],
    ["", undefined],
  ];
  for (const [output, command] of commands) assert.deepEqual(recordedCommand(output), command, output);
});
