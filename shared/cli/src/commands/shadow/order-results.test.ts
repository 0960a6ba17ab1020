import assert from "node:assert/strict";
import { test } from "node:test";
import type { ObservedObject } from "./observed-object.ts";
import { orderResults, type Submission } from "./order-results.ts";
import { resultsFor, type ShadowedObject } from "./shadow-results.ts";

type State = readonly [status: "ok" | "critical" | "unreachable", phase?: "hard" | number];

/** Result of an object that was in one state and is in another since second `at`. */
function submission(ref: string, before: State, after: State, at = 100): Submission {
  const [status, phase = "hard"] = after;
  const [statusBefore, phaseBefore = "hard"] = before;
  const observed: ObservedObject = {
    ...{ ref, status, isHard: phase === "hard", attempt: phase === "hard" ? 1 : phase, checkedAtMs: at * 1_000 },
    ...{ executionMs: 0, output: "", longOutput: "", perfdata: "", lastOkAtMs: undefined, notifiedAtMs: undefined },
    ...{ isPassive: false, wasHardProblem: false, notificationNumber: 1, circumstances: [] },
  };
  const shadowed: ShadowedObject = {
    ...{
      ref,
      status: statusBefore,
      isHard: phaseBefore === "hard",
      maxAttempts: 4,
      checkedAtMs: 1_000,
      suppressedBy: [],
    },
    attempt: phaseBefore === "hard" ? 1 : phaseBefore,
  };
  return { observed, shadowed, results: resultsFor(observed, shadowed) };
}

/** The same, with the notifications of the present problem. */
const notified = (
  { observed, ...rest }: Submission,
  notifications: Partial<Pick<ObservedObject, "notificationNumber" | "notifiedAtMs" | "circumstances">>,
): Submission => ({ ...rest, observed: { ...observed, ...notifications } });

const up: State = ["ok"];
const down: State = ["critical", 1];
const unreachable: State = ["unreachable", 1];
const soft: State = ["critical", 1];
const hard: State = ["critical"];

const orders: [name: string, submissions: Submission[], order: string][] = [
  ["by time", [submission("b", up, up, 102), submission("a", up, up, 101)], "a b"],
  ["a hard service after the fall of its host", [submission("h!s", up, hard), submission("h", up, down)], "h h!s"],
  ["a soft service before the fall of its host", [submission("h", up, down), submission("h!s", up, soft)], "h!s h"],
  ["a hard service before the return of its host", [submission("h", down, up), submission("h!s", up, hard)], "h!s h"],
  ["a soft service after the return of its host", [submission("h!s", up, soft), submission("h", down, up)], "h h!s"],
  ["states win over times", [submission("h!s", up, hard, 100), submission("h", up, down, 103)], "h h!s"],
  [
    "a problem that was hard before proves nothing",
    [submission("h!s", hard, hard), submission("h", up, down)],
    "h!s h",
  ],
  [
    "a notification of Nagios proves that the host was up",
    [submission("h", up, down), notified(submission("h!s", hard, hard), { notifiedAtMs: 100_000 })],
    "h!s h",
  ],
  [
    "an earlier notification does not",
    [submission("h", up, down), notified(submission("h!s", hard, hard), { notifiedAtMs: 99_000 })],
    "h h!s",
  ],
  [
    "a hard problem that was never notified came while the host was down",
    [submission("h", down, up), notified(submission("h!s", hard, hard), { notificationNumber: 0 })],
    "h!s h",
  ],
  [
    "one that is acknowledged proves nothing",
    [
      submission("h", down, up),
      notified(submission("h!s", hard, hard), { notificationNumber: 0, circumstances: ["acknowledged"] }),
    ],
    "h h!s",
  ],
  ["unreachable after its parent", [submission("c", up, unreachable), submission("p", up, down)], "p c"],
  ["down before its only parent", [submission("p", up, down), submission("c", up, down)], "c p"],
  ["unreachable before its parent is back", [submission("p", down, up), submission("c", up, unreachable)], "c p"],
  ["a chain", [submission("c!s", up, hard), submission("c", up, unreachable), submission("p", up, down)], "p c c!s"],
  [
    "down while one of two parents was up: that whose time says so",
    [submission("p", up, down, 99), submission("c", up, down, 100), submission("q", up, down, 101)],
    "p c q",
  ],
];
for (const [name, submissions, order] of orders)
  test(`[SH15] order of results: ${name}`, () => {
    const parents = new Map([["c", ["p", ...(order.includes("q") ? ["q"] : [])]]]);
    const shadowed = new Map(submissions.map((each) => [each.observed.ref, each.shadowed]));
    assert.equal(
      orderResults(submissions, { dialect: "nagios", shadowed, parents })
        .map(({ ref }) => ref)
        .join(" "),
      order,
    );
  });
