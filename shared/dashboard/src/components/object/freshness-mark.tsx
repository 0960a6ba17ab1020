import type { RealmFreshness } from "@realmwatch/shared/model/realm";
import type { Status } from "@realmwatch/shared/model/status";
import { StatusIcon } from "../status/status-icon.tsx";
import "./freshness-mark.css";

/** Status whose colour and icon a freshness has; only `current` is green. */
const looks: Readonly<Record<RealmFreshness, Status>> = {
  current: "ok",
  behind: "warning",
  rebuilding: "pending",
  conflict: "critical",
  unreachable: "unreachable",
  unknown: "unknown",
};

/** Freshness of a realm with its shape and colour. */
export function FreshnessMark({ freshness }: { freshness: RealmFreshness }) {
  return (
    <span className={`realm-freshness is-${freshness}`} data-status={looks[freshness]}>
      <StatusIcon status={looks[freshness]} />
      {freshness}
    </span>
  );
}
