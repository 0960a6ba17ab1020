import assert from "node:assert/strict";
import { test } from "node:test";
import type { Command } from "@realmwatch/shared/commands/commands";
import { newState, type ObjectState } from "../engine/state/object-state.ts";
import type { ReadonlyRecord, RealmReader } from "../realm/state/realm-reader.ts";
import { CommandLimits } from "./command-limits.ts";

const by = { author: "ann", onBehalfOf: "" };
const downtimeTimes = { startMs: 0, endMs: 1, shape: { kind: "fixed" } } as const;

/** A realm of two hosts, in which accepted commands are announced, and applied by `apply`. */
function openRealm() {
  const states: Record<string, ObjectState> = { web1: newState(0), web2: newState(0) };
  const commentRefs = new Map<string, string>();
  const downtimeRefs = new Map<string, string>();
  const records = { get: (ref: string) => states[ref] && ({ state: states[ref] } as ReadonlyRecord) };
  const limits = new CommandLimits({ records, commentRefs, downtimeRefs } as unknown as RealmReader);
  let ids = 0;
  const comment = (text: string, ref = "web1"): Command => ({ kind: "add_comment", ref, id: `c${++ids}`, text });
  const downtime = (text: string, ...refs: string[]): Command => {
    const downtimes = refs.map((ref) => ({ ref, id: `d${++ids}` }));
    return { kind: "schedule_downtime", downtimes, comment: text, ...downtimeTimes };
  };
  /** Returns true when the command is accepted. */
  const submit = (command: Command, author = by): boolean => {
    const reserved = limits.reserve(command, author);
    if (!reserved.ok) return false;
    reserved.value(true);
    if (command.kind === "add_comment") commentRefs.set(command.id, command.ref);
    if (command.kind === "schedule_downtime") for (const { id, ref } of command.downtimes) downtimeRefs.set(id, ref);
    return true;
  };
  const apply = (command: Command): void => {
    if (command.kind !== "add_comment") return;
    const state = states[command.ref] ?? newState(0);
    const { id, text } = command;
    states[command.ref] = { ...state, comments: [...state.comments, { id, text, ...by, atMs: 0 }] };
  };
  return { limits, commentRefs, submit, apply, comment, downtime };
}

test("[PT12] the free text of a command has at most 64 KiB, its authors included, in bytes of UTF-8", () => {
  const { submit, comment, downtime } = openRealm();
  assert.equal(submit(comment("x".repeat(65_533))), true);
  assert.equal(submit(comment("x".repeat(65_534))), false);
  assert.equal(submit(comment("ü".repeat(32_767))), false);
  assert.equal(submit(downtime("", "web2"), { author: "a".repeat(40_000), onBehalfOf: "b".repeat(40_000) }), false);
  const acknowledgement = { kind: "acknowledge_problem", refs: ["web1"], sticky: false, notify: false } as const;
  assert.equal(submit({ ...acknowledgement, comment: "x".repeat(65_536) }), false);
});

test("[PT12] the refusal of a long text names its field and size", () => {
  const { limits, comment, downtime } = openRealm();
  const refusalOf = (command: Command, author = by): string => {
    const reserved = limits.reserve(command, author);
    return reserved.ok || reserved.error.kind !== "exhausted" ? "" : reserved.error.what;
  };
  const long = "x".repeat(65_536);
  assert.equal(refusalOf(comment(long)), "text: has 65539 bytes with the author; at most 65536 are allowed");
  assert.equal(refusalOf(downtime(long)), "comment: has 65539 bytes with the author; at most 65536 are allowed");
  const removal = { kind: "remove_acknowledgement", refs: ["web1"] } as const;
  assert.equal(
    refusalOf(removal, { author: `${long}x`, onBehalfOf: "" }),
    "author: has 65537 bytes; at most 65536 are allowed",
  );
});

test("[PT12] an object has at most 256 KiB of text, of pending commands too, and another object its own", () => {
  const { submit, apply, comment, downtime } = openRealm();
  const [first, ...rest] = Array.from({ length: 4 }, () => comment("x".repeat(65_000)));
  assert.ok(first && [first, ...rest].every((each) => submit(each)));
  assert.equal(submit(comment("x".repeat(3_000))), false);
  assert.equal(submit(downtime("x".repeat(3_000), "web2", "web1")), false);
  apply(first);
  assert.equal(submit(comment("x".repeat(3_000))), false);
  assert.equal(submit(comment("x".repeat(1_000))), true);
  assert.equal(submit(comment("x".repeat(65_000), "web2")), true);
});

test("[PT12] an object has at most 1 000 comments and 1 000 downtimes, and room again after a deletion", () => {
  const { submit, commentRefs, comment, downtime } = openRealm();
  for (let n = 0; n < 1_000; n += 1) assert.ok(submit(comment("")) && submit(downtime("", "web1")));
  assert.deepEqual(
    [submit(comment("")), submit(downtime("", "web1")), submit(comment("", "web2"))],
    [false, false, true],
  );
  commentRefs.delete([...commentRefs.keys()][0] ?? "");
  assert.deepEqual([submit(comment("")), submit(comment(""))], [true, false]);
});

test("[PT12] a command that the journal refuses does not count", () => {
  const { limits, submit, comment } = openRealm();
  for (let n = 0; n < 8; n += 1) {
    const reserved = limits.reserve(comment("x".repeat(65_000)), by);
    assert.ok(reserved.ok);
    reserved.value(false);
  }
  assert.equal(submit(comment("x".repeat(65_000))), true);
});

test("[PT12] a command counts while the journal is still writing it", () => {
  const { limits, submit, comment } = openRealm();
  for (let n = 0; n < 4; n += 1) assert.ok(limits.reserve(comment("x".repeat(65_000)), by).ok);
  assert.equal(submit(comment("x".repeat(3_000))), false);
});
