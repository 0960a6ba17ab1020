import type { StatusRow } from "@realmwatch/proto/svc/v1/query_pb";
import { personOf } from "@realmwatch/shared/view/person";
import { disabledFeatures } from "@realmwatch/shared/view/row-switches";
import { optionalMs } from "../../api/status/status-item.ts";

/** Reasons for which a row is muted, in words: `acknowledged by ann`, `downtime until …`, `notifications off`. */
export type MuteReason =
  | { readonly kind: "acknowledged"; readonly author: string; readonly comment: string }
  | {
      readonly kind: "downtime";
      readonly author: string;
      readonly comment: string;
      readonly untilMs: number | undefined;
    }
  | { readonly kind: "off"; readonly what: string };

/** Lists all reasons, the acknowledgement first. A downtime without an entry is one of the host. */
export function muteReasonsOf(row: StatusRow): readonly MuteReason[] {
  const { acknowledgement: ack } = row;
  const downtime = row.downtimes.find(({ inEffect }) => inEffect);
  const { comment = "of the host" } = downtime ?? {};
  const author = downtime === undefined ? "" : personOf(downtime);
  return [
    ...(ack === undefined ? [] : [{ kind: "acknowledged", author: personOf(ack), comment: ack.comment } as const]),
    ...(row.inDowntime ? [{ kind: "downtime", author, comment, untilMs: optionalMs(downtime?.end) } as const] : []),
    ...disabledFeatures(row).map((what) => ({ kind: "off", what }) as const),
  ];
}

/** Time since which a row is acknowledged or in downtime, the earlier of both, Unix ms; undefined for switches alone. */
export function mutedSinceMs({ acknowledgement, downtimes }: StatusRow): number | undefined {
  const starts = [
    optionalMs(acknowledgement?.at),
    ...downtimes.filter(({ inEffect }) => inEffect).map(({ start }) => optionalMs(start)),
  ].filter((atMs) => atMs !== undefined);
  return starts.length === 0 ? undefined : Math.min(...starts);
}
