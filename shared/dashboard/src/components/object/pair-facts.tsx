import type { Pair } from "@realmwatch/proto/svc/v1/pair_pb";
import { pairProblem, pairRoleOf, standbyState, takeoverText } from "@realmwatch/shared/view/pair-state";
import { optionalMs } from "../../api/status/status-item.ts";
import { DateTime } from "../time/time-text.tsx";
import { Fact } from "./fact.tsx";
import { Mark } from "./object-marks.tsx";

/** Pair of agents that serves a realm, as one of its members knows it. */
export function PairFacts({ pair }: { pair: Pair }) {
  const { self, active, standby, lastTakeover: last, documentsDiffer } = pair;
  return (
    <section className="panel-table" aria-label="Pair of agents">
      <h2>Pair of agents</h2>
      <dl className="facts">
        <Fact name="This member">
          {self}, {pairRoleOf(pair)} since <DateTime atMs={optionalMs(pair.since)} />
        </Fact>
        <Fact name="Active">{active || "unknown"}</Fact>
        <Fact name="Standby">{standby === "" ? standbyState(pair) : `${standby}, ${standbyState(pair)}`}</Fact>
        <Fact name="Last takeover">
          {last === undefined ? (
            "none"
          ) : (
            <>
              <DateTime atMs={optionalMs(last.at)} /> {takeoverText(last)}
            </>
          )}
        </Fact>
        {documentsDiffer && <Fact name="Configuration">the members have different documents</Fact>}
        {pairProblem(pair) !== "" && <Fact name="Problem">{pairProblem(pair)}</Fact>}
      </dl>
    </section>
  );
}

/** Active member and standby of a realm; marked when the realm would not survive its active member. */
export function PairNames({ pair }: { pair: Pair | undefined }) {
  if (pair === undefined) return <span className="muted">–</span>;
  const problem = pairProblem(pair);
  const { active, standby, lastTakeover: last } = pair;
  return (
    <>
      <span title={last === undefined ? "No takeover" : `Last takeover ${takeoverText(last)}`}>
        {active || "unknown"} active, {standby === "" ? standbyState(pair) : `${standby} ${standbyState(pair)}`}
      </span>{" "}
      {problem !== "" && (
        <Mark icon="below" title={problem}>
          degraded
        </Mark>
      )}
    </>
  );
}
