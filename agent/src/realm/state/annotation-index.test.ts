import assert from "node:assert/strict";
import { test } from "node:test";
import type { Command } from "@realmwatch/shared/commands/commands";
import type { Downtime } from "@realmwatch/shared/model/downtime";
import { newState, type ObjectState } from "../../engine/state/object-state.ts";
import { AnnotationIndex } from "./annotation-index.ts";
import type { RealmReader } from "./realm-reader.ts";

const by = { author: "ann", onBehalfOf: "" };
const comment = (id: string): ObjectState["comments"][number] => ({ id, ...by, text: "", atMs: 0 });
const downtime = (id: string, shape: Downtime["shape"]): Downtime => ({
  ...{ id, shape, startMs: 0, endMs: 1, ...by, comment: "", inEffect: false },
});
const before = newState(0);
const scheduling: Command = {
  kind: "schedule_downtime",
  downtimes: [
    { id: "d1", ref: "web1" },
    { id: "d2", ref: "web2" },
  ],
  ...{ startMs: 0, endMs: 1, comment: "", shape: { kind: "fixed" } },
};

test("the effects of an announced command are visible", () => {
  const index = new AnnotationIndex();
  index.announce({ kind: "add_comment", ref: "web1", id: "c1", text: "" });
  index.announce(scheduling);
  assert.deepEqual([...index.comments], [["c1", "web1"]]);
  assert.deepEqual(Object.fromEntries(index.downtimes), { d1: "web1", d2: "web2" });
  index.announce({ kind: "delete_downtime", ref: "web1", id: "d1" });
  index.announce({ kind: "delete_comment", ref: "web1", id: "c1" });
  assert.deepEqual([index.comments.size, [...index.downtimes.keys()]], [0, ["d2"]]);
});

test("the announced deletion of another object's downtime leaves it", () => {
  const index = new AnnotationIndex();
  index.announce(scheduling);
  index.announce({ kind: "delete_downtime", ref: "web9", id: "d1" });
  assert.equal(index.downtimes.get("d1"), "web1");
});

test("a state change adds and removes its own ids and leaves those of announced commands", () => {
  const index = new AnnotationIndex();
  const one = { ...before, comments: [comment("c1")] };
  index.update("web1", before, one);
  index.announce({ kind: "delete_comment", ref: "web1", id: "c1" });
  const two = { ...one, comments: [...one.comments, comment("c2")] };
  index.update("web1", one, two);
  assert.deepEqual([...index.comments], [["c2", "web1"]]);
  index.update("web1", two, { ...two, comments: two.comments.slice(1) });
  index.update("web1", two, before);
  assert.equal(index.comments.size, 0);
});

test("[DT10] recurring downtimes are not indexed, triggered ones are found by their trigger", () => {
  const index = new AnnotationIndex();
  const downtimes = [
    downtime("recurring:backup", { kind: "recurring", name: "backup" }),
    downtime("d2", { kind: "triggered", triggeredBy: "d1", active: undefined }),
  ];
  const after = { ...before, downtimes };
  index.update("web2", before, after);
  assert.deepEqual([[...index.downtimes.keys()], index.triggeredBy("d1")], [["d2"], ["web2"]]);
  index.update("web2", after, before);
  assert.deepEqual([index.downtimes.size, index.triggeredBy("d1")], [0, []]);
});

test("[DT14] the downtimes of a change are found from its announcement to their deletion, one without is its own", () => {
  const index = new AnnotationIndex();
  const idsOf = (changeId: string) => index.downtimesOfChange(changeId).map(({ id }) => id);
  index.announce({ ...scheduling, changeId: "c1" });
  assert.deepEqual([idsOf("c1"), idsOf("d1")], [["d1", "d2"], []]);
  const scheduled = { ...downtime("d1", { kind: "fixed" }), changeId: "c1" };
  const after = { ...before, downtimes: [scheduled, downtime("d3", { kind: "fixed" })] };
  index.update("web1", before, after);
  assert.deepEqual([idsOf("c1"), idsOf("d3")], [["d1", "d2"], ["d3"]]);
  index.announce({ kind: "delete_downtime", downtimes: [{ id: "d1", ref: "web1" }] });
  assert.deepEqual(idsOf("c1"), ["d2"]);
  index.update("web1", after, before);
  assert.deepEqual([idsOf("c1"), idsOf("d3")], [["d2"], []]);
});

test("readers of a realm cannot change its state", () => {
  const change = (realm: RealmReader): void => {
    // @ts-expect-error the index of comments is read-only
    realm.commentRefs.set("c1", "web1");
    // @ts-expect-error the index of downtimes is read-only
    realm.downtimeRefs.delete("d1");
    // @ts-expect-error the records are read-only
    realm.records.delete("web1");
    const record = realm.records.get("web1");
    // @ts-expect-error the state of an object is read-only
    if (record !== undefined) record.state = before;
    // @ts-expect-error the program state is read-only
    realm.program = { ...realm.program };
  };
  // The type check is the test: a line without an error fails it.
  assert.equal(change.length, 1);
});
